//! Ties, bandits whose constant is zero, extreme ones, and refusals.

use optimist_lab::theory::graves_lai::{GravesLai, Status, graves_lai};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{list, naive, solve};

fn rows(arms: &[&[f64]]) -> Vec<Vec<f64>> {
    arms.iter().map(|x| x.to_vec()).collect()
}

fn zero(theta: &[f64], arms: &[&[f64]], bound: Option<f64>, status: Status) {
    let result = graves_lai(theta, &list(&rows(arms)), bound).unwrap();
    assert_eq!((result.status, result.value(), result.lower), (status, 0.0, 0.0));
    assert!(result.plays.is_empty() && status.to_string().starts_with("zero"));
}

#[test]
fn nothing_to_learn_is_zero_with_a_reason() {
    zero(&[1.5], &[&[1.0], &[0.3], &[-0.8]], None, Status::AllSpanned);
    zero(&[1.0, 1.0], &[&[1.0, 0.0], &[0.0, 1.0], &[-0.3, 0.4]], None, Status::AllSpanned);
    zero(&[1.0, 1.0], &[&[1.0, 0.0], &[0.0, 1.0]], None, Status::AllBest);
    zero(&[1.0, 1.0], &[&[1.0, 0.0]], None, Status::AllBest);
    zero(&[2.0, 0.0], &[&[1.0, 0.0], &[0.0, 1.0]], Some(2.0), Status::OutOfReach);
}

#[test]
fn a_single_rival_is_told_by_itself() {
    // Two best arms; the third is seen by nothing but its own plays, and needs log-odds 1.
    let tied = solve(&[1.0, 1.0, 0.0], &rows(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]), None);
    let expected = (1.0 / (1.0 + (-1.0_f64).exp()) - 0.5) / naive::kl(0.0, 1.0);
    assert!((tied.value() / expected - 1.0).abs() < 1e-6 && (tied.lai_robbins / expected - 1.0).abs() < 1e-12);
    // One feature, and the best arm is nothing: playing it tells nothing.
    let result = solve(&[1.0], &rows(&[&[0.0], &[-1.0]]), None);
    let expected = (0.5 - 1.0 / (1.0 + 1.0_f64.exp())) / naive::kl(-1.0, 0.0);
    assert!((result.value() / expected - 1.0).abs() < 1e-6, "{result:?}");
}

#[test]
fn log_odds_that_differ_by_rounding_are_tied() {
    let arms = rows(&[&[0.6, 0.0, 0.0], &[0.0, 0.2, 0.0], &[0.1, 0.1, 0.9], &[0.2, -0.5, 0.3]]);
    let value = solve(&[1.0, 3.0, 0.2], &arms, None).value();
    let shaken = solve(&[1.0 + 1e-15, 3.0 - 2e-15, 0.2], &arms, None).value();
    assert!((value / shaken - 1.0).abs() < 2e-6, "{value} {shaken}");
}

#[test]
fn extreme_bandits_are_solved() {
    // Gaps and divergences over many orders of magnitude.
    let arms = rows(&[&[1.0, 0.0], &[0.99, 0.1], &[0.0, 1.0], &[-1.0, 0.5], &[0.5, -0.7]]);
    for theta in [[1e-2, 0.0], [5.0, 0.0], [25.0, 1.0], [-18.0, -3.0]] {
        let (value, expected) = (solve(&theta, &arms, None).value(), naive::plane(&theta, &arms, None));
        println!("{theta:?}: {value} {expected}");
        // The naive divergence has few digits left.
        assert!((value / expected - 1.0).abs() < 1e-4, "{theta:?}: {value}, by brute force {expected}");
    }
}

#[test]
fn results_are_written_and_read() {
    let result = solve(&[1.0, 0.2], &rows(&[&[1.0, 0.0], &[0.3, 0.9], &[0.1, -0.8]]), None);
    let text = serde_json::to_string(&result).unwrap();
    assert!(text.contains("\"status\":\"converged\""), "{text}");
    assert_eq!(serde_json::from_str::<GravesLai>(&text).unwrap(), result);
}

#[test]
fn bad_input_is_refused_in_words() {
    let arms = list(&rows(&[&[1.0, 0.0], &[0.0, 1.0]]));
    for (theta, bound, expected) in [
        (vec![1.0], None, "theta has 1 entries, the arms have 2: give as many"),
        (vec![1.0, f64::NAN], None, "theta has an entry NaN: give finite numbers"),
        (vec![3.0, 4.0], Some(4.5), "norm_bound is 4.5, below the norm of theta, 5: raise it"),
        (vec![0.0, 0.0], Some(0.0), "norm_bound is 0: give a positive number"),
        (vec![1.0, 0.0], Some(f64::NAN), "norm_bound is NaN: give a positive number"),
        (vec![600.0, 0.0], None, "arm 0 has log-odds 600 under theta, beyond 500: scale theta or the arms down"),
    ] {
        assert_eq!(graves_lai(&theta, &arms, bound).unwrap_err().to_string(), expected);
    }
    assert!(graves_lai(&[3.0, 4.0], &arms, Some(5.0)).is_ok());
}

/// With as many independent arms as dimensions every arm can be raised without moving the others, so that no arm tells
/// anything of another: the constant is that of Lai and Robbins. Where rewards are all but certain this is hard to find.
#[test]
fn independent_arms_tell_nothing_of_each_other() {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    let (mut converged, mut cases) = (0, 0);
    for norm in [3.0, 8.0, 12.0, 20.0] {
        for d in 3..=6 {
            for case in 0..40 {
                let vector = |rng: &mut ChaCha8Rng| (0..d).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
                let theta = vector(&mut rng);
                let length = theta.iter().map(|t| t * t).sum::<f64>().sqrt();
                let theta: Vec<f64> = theta.iter().map(|t| norm * t / length).collect();
                let mut arms: Vec<Vec<f64>> = (0..d).map(|_| vector(&mut rng)).collect();
                if case % 2 == 0 {
                    // Two arms that nearly point the same way, or the opposite way.
                    let sign = if case % 4 == 0 { 1.0 } else { -1.0 };
                    arms[1] = arms[0].iter().zip(&arms[1]).map(|(a, b)| sign * 0.9 * a + 0.1 * b).collect();
                }
                cases += 1;
                converged += usize::from(check_independent(&theta, &arms));
            }
        }
    }
    assert!(converged as f64 > 0.97 * f64::from(cases), "{converged} of {cases}");
}

/// Whether it converged; what is claimed must hold either way.
fn check_independent(theta: &[f64], arms: &[Vec<f64>]) -> bool {
    let result = graves_lai(theta, &list(arms), None).unwrap();
    assert!(result.upper >= result.lai_robbins * (1.0 - 1e-9), "{theta:?} {arms:?}: {result:?}");
    assert!(result.lower <= result.lai_robbins * (1.0 + 1e-9), "{theta:?} {arms:?}: {result:?}");
    result.status == Status::Converged
}

/// Newton's first step leads where all outcomes are certain to the last digit, and the curvature is zero on a slope.
#[test]
fn a_slope_without_curvature_is_not_a_minimum() {
    let theta = [-5.9661, -7.3072, -7.4168];
    let arms = rows(&[&[0.1664, 0.9078, -0.3517], &[0.2407, 0.0635, -0.2788], &[-0.2382, -0.2005, -0.5947]]);
    assert!(check_independent(&theta, &arms));
}
