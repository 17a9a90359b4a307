//! The smallest regret of a consistent policy: against brute force, against what can be said by hand, and its refusals.
#![cfg(feature = "graves-lai")]

mod edges;
mod invariance;
mod naive;
mod space;

use optimist::FiniteArms;
use optimist_lab::theory::graves_lai::{GravesLai, Status, graves_lai};

fn list(arms: &[Vec<f64>]) -> FiniteArms<'static> {
    FiniteArms::from_rows(arms).unwrap()
}

/// Solved, and with everything about it that must always hold.
fn solve(theta: &[f64], arms: &[Vec<f64>], bound: Option<f64>) -> GravesLai {
    let result = graves_lai(theta, &list(arms), bound).unwrap();
    assert_eq!(result.status, Status::Converged, "{result:?}");
    assert!(result.relative_gap() <= 1e-6 && result.lower > 0.0 && result.lower <= result.upper, "{result:?}");
    assert!(result.value() <= result.lai_robbins * (1.0 + 1e-9), "{result:?}");
    let spent: f64 = result.plays.iter().map(|(k, eta)| eta * naive::gap(theta, arms, *k)).sum();
    assert!((spent / result.value() - 1.0).abs() < 1e-9, "the plays cost {spent}: {result:?}");
    result
}

fn circle(count: u32, radius: f64) -> Vec<Vec<f64>> {
    let angle = |k: u32| 0.3 + f64::from(k) * std::f64::consts::TAU / f64::from(count);
    (0..count).map(|k| vec![radius * angle(k).cos(), radius * angle(k).sin()]).collect()
}

#[test]
fn agrees_with_brute_force_in_the_plane() {
    let spread = vec![vec![1.0, 0.0], vec![0.6, 0.7], vec![0.1, -0.9], vec![-0.5, 0.4], vec![0.3, 0.2]];
    // The second arm is best from norm 2.30 on, the third from 2.24 on, on the other side.
    let sides = vec![vec![1.0, 0.0], vec![0.6, 0.7], vec![0.7, -0.6], vec![-0.5, 0.4]];
    let left = vec![vec![-0.4, 0.1], vec![-0.9, 0.3], vec![-0.7, -0.6], vec![-0.6, 0.8]];
    let near = vec![vec![0.8, 0.1], vec![0.78, 0.14], vec![0.2, 0.9], vec![0.3, -0.8]];
    for (name, theta, arms, bound) in [
        ("best arm positive", [2.0, 0.5], spread, None),
        ("best arm in the left tail", [12.0, 0.5], left, None),
        ("two arms nearly equal", [1.5, 0.6], near, None),
        ("many arms", [1.8, 2.4], circle(37, 0.9), None),
        ("norm bound active", [2.0, 0.5], sides.clone(), Some(2.25)),
    ] {
        let (expected, got) = (naive::plane(&theta, &arms, bound), solve(&theta, &arms, bound).value());
        println!("{name}: {expected} {got}");
        assert!((got / expected - 1.0).abs() < 1e-5, "{name}: {got}, by brute force {expected}");
    }
    let free = solve(&[2.0, 0.5], &sides, None).value();
    let bounded = solve(&[2.0, 0.5], &sides, Some(2.25)).value();
    assert!(bounded < 0.99 * free, "the norm bound is not active: {bounded} of {free}");
}
