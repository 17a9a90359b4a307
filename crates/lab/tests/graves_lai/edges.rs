//! Ties, bandits whose constant is zero, extreme ones, and refusals.

use optimist_lab::theory::graves_lai::{GravesLai, Status, graves_lai};

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
