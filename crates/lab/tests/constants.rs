//! The constants of instances against direct evaluation.

use optimist::{ArmSet, FiniteArms};
use optimist_lab::theory::{InstanceConstants, OptimalArm};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// mu' without cancellation: 1/(2 + 2 cosh z).
fn slope(z: f64) -> f64 {
    1.0 / (2.0 + 2.0 * z.cosh())
}

fn mu(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Agreement to 1e-12 of the larger one.
fn same(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{what}: {found} {expected}");
}

fn list(rows: &[Vec<f64>]) -> ArmSet<'static> {
    ArmSet::from(FiniteArms::from_rows(rows).unwrap())
}

#[test]
fn random_lists_agree_with_direct_evaluation() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut positive, mut negative) = (0, 0);
    for case in 0..300 {
        let (d, count) = (rng.random_range(1..8), rng.random_range(1..40));
        let shift = if case % 2 == 0 { 0.0 } else { -1.0 };
        let mut vector = |scale: f64| (0..d).map(|_| scale * rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
        let theta = vector(4.0);
        // Every second case has all arms on the far side of theta.
        let length = dot(&theta, &theta).sqrt();
        let rows: Vec<Vec<f64>> = (0..count)
            .map(|_| {
                let x = vector(0.5);
                let along = (dot(&x, &theta).abs() + 0.1) / (length * length);
                x.iter().zip(&theta).map(|(x, t)| x + shift * 2.0 * along * t).collect()
            })
            .collect();
        let bound = length + 1.0;
        let constants = InstanceConstants::of(&theta, &list(&rows), bound).unwrap();
        let odds: Vec<f64> = rows.iter().map(|x| dot(x, &theta)).collect();
        let best = odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let longest = rows.iter().map(|x| dot(x, x).sqrt()).fold(0.0, f64::max);
        same(constants.kappa, 1.0 / slope(bound * longest), "kappa");
        same(constants.kappa_star, 1.0 / slope(best), "kappa_*");
        same(constants.kappa_x, odds.iter().map(|z| 1.0 / slope(*z)).fold(0.0, f64::max), "kappa_X");
        let OptimalArm::Number(arm) = constants.optimal_arm else { panic!("arms of a list have numbers") };
        same(odds[arm], best, "the best arm");
        if best > 0.0 {
            positive += 1
        } else {
            negative += 1
        }
        let is_bad = |z: f64| if best > 0.0 { z <= -1.0 } else { slope(z) <= slope(best) / 2.0 };
        let bad: Vec<usize> = (0..count).filter(|i| is_bad(odds[*i])).collect();
        assert_eq!(constants.detrimental, bad, "case {case}");
        for ((facts, x), z) in constants.arms.iter().zip(&rows).zip(&odds) {
            same(facts.log_odds, *z, "log-odds");
            same(facts.gap, mu(best) - mu(*z), "gap");
            same(facts.log_odds_gap, best - z, "gap in log-odds");
            same(facts.information, slope(*z), "information");
            same(facts.least_information, slope(bound * dot(x, x).sqrt()), "least information");
            assert_eq!(facts.detrimental, is_bad(*z));
        }
    }
    assert!(positive > 50 && negative > 50, "both cases of X_- must be met: {positive} {negative}");
}

/// The closed forms of ball and sphere against many points of them.
#[test]
fn ball_and_sphere_are_the_limit_of_many_arms() {
    let theta = [1.5, -2.0];
    for (arms, radii) in
        [(ArmSet::Ball { dimension: 2 }, vec![0.0, 0.5, 1.0]), (ArmSet::Sphere { dimension: 2 }, vec![1.0])]
    {
        let constants = InstanceConstants::of(&theta, &arms, 3.0).unwrap();
        // A million directions would come within 1e-11; the best direction itself is among these.
        let start = f64::atan2(theta[1], theta[0]);
        let points =
            radii.iter().flat_map(|r| (0..2000).map(move |i| (*r, f64::from(i) * std::f64::consts::PI / 1000.0)));
        let rows: Vec<Vec<f64>> = points.map(|(r, a)| vec![r * (start + a).cos(), r * (start + a).sin()]).collect();
        let many = InstanceConstants::of(&theta, &list(&rows), 3.0).unwrap();
        same(constants.kappa_star, many.kappa_star, "kappa_*");
        same(constants.kappa_x, many.kappa_x, "kappa_X");
        same(constants.kappa, many.kappa, "kappa");
        same(constants.best_mean, many.best_mean, "best mean");
        assert_eq!((constants.detrimental_below, many.detrimental_below), (-1.0, -1.0));
        assert_eq!(constants.optimal_arm, OptimalArm::Point(vec![0.6, -0.8]));
        assert!(constants.detrimental.is_empty() && constants.arms.is_empty());
    }
}

/// At the boundary of the two cases, x*'theta* = 0 counts as "otherwise".
#[test]
fn a_best_arm_at_zero_belongs_to_the_second_case() {
    let arms = list(&[vec![0.0, 1.0], vec![-0.5, 0.0], vec![-0.9, 0.1]]);
    let constants = InstanceConstants::of(&[2.0, 0.0], &arms, 2.0).unwrap();
    same(constants.kappa_star, 4.0, "kappa_*");
    // mu' = 1/8 where cosh z = 3.
    same(constants.detrimental_below, -(3.0_f64.acosh()), "threshold");
    assert_eq!(constants.detrimental, [2]);
}

#[test]
fn bad_input_is_named() {
    let arms = list(&[vec![1.0, 0.0]]);
    let refusal = |theta: &[f64], bound: f64| InstanceConstants::of(theta, &arms, bound).unwrap_err().to_string();
    assert!(refusal(&[1.0], 2.0).contains("theta has 1 numbers and the arms have 2 features"));
    assert!(refusal(&[1.0, f64::NAN], 2.0).contains("theta has NaN"));
    assert!(refusal(&[3.0, 4.0], 4.0).contains("norm_bound is 4, below the norm 5"));
    assert!(refusal(&[0.0, 0.0], 0.0).contains("norm_bound is 0"));
    assert!(refusal(&[0.0, 0.0], f64::INFINITY).contains("norm_bound is inf"));
}
