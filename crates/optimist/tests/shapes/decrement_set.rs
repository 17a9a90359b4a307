//! The set of small Newton decrements.

use super::*;

#[test]
fn the_decrement_is_the_distance_of_fitted_sums() {
    let mut rng = rng(1);
    for d in 1..=5 {
        for _ in 0..10 {
            let history = history(&mut rng, d, 60, 15, 2.0);
            let ridge = 0.1 + 3.0 * rng.random::<f64>();
            let set = DecrementSet::new(&history, ridge, 1.0, 4.0).unwrap();
            let estimate = minimiser(&history, ridge, f64::INFINITY);
            let at_estimate = fitted(&history, ridge, estimate.theta());
            for _ in 0..10 {
                let theta = point(&mut rng, d, 6.0);
                let mut difference = fitted(&history, ridge, &theta);
                difference.iter_mut().zip(&at_estimate).for_each(|(a, b)| *a -= b);
                let dense = inverse_form(hessian(&history, ridge, &theta), &difference).sqrt();
                assert!((set.decrement(&theta) - dense).abs() <= 1e-8 * (1.0 + dense), "{d}");
            }
        }
    }
}

#[test]
fn gammas_ridges_and_what_they_promise() {
    let mut history = History::new(2).unwrap();
    history.observe_many(&[0.6, 0.8], 1.0, 99).unwrap();
    let corrected = DecrementSet::corrected(&history, 0.05, 3.0).unwrap();
    let ridge = 2.0 * (1.0 + 100_f64.ln());
    assert_eq!(corrected.ridge(), ridge);
    let root = ridge.sqrt();
    let by_hand = root * 3.5
        + 2.0 / root * (1.0 / 0.05_f64).ln()
        + 2.0 / root * (4.0 * (ridge / 2.0) * (1.0 + 99.0 / (8.0 * ridge))).ln();
    assert!((corrected.gamma() - by_hand).abs() < 1e-12 * by_hand);
    assert_eq!(corrected.guarantee().delta, Some(0.05));
    let printed = DecrementSet::printed(&history, 0.05, 3.0).unwrap();
    let ridge = 2.0 * 100_f64.ln();
    let by_hand = ridge.sqrt() * 3.5 + 2.0 / ridge.sqrt() * (80.0 * (1.0 + 100.0 / (32.0 * ridge))).ln();
    assert_eq!(printed.ridge(), ridge);
    assert!((printed.gamma() - by_hand).abs() < 1e-12 * by_hand);
    assert_eq!(printed.guarantee().delta, None);
    // Before any data there is a ridge as well.
    let empty = History::new(1).unwrap();
    assert!(DecrementSet::printed(&empty, 0.1, 1.0).unwrap().ridge() > 0.0);
    assert_eq!(DecrementSet::corrected(&empty, 0.1, 1.0).unwrap().ridge(), 1.0);
}

#[test]
fn bad_options_are_refused() {
    let mut history = History::new(1).unwrap();
    assert!(DecrementSet::new(&history, 0.0, 1.0, 1.0).is_err());
    assert!(DecrementSet::new(&history, 1.0, 0.0, 1.0).is_err());
    assert!(DecrementSet::new(&history, 1.0, 1.0, f64::INFINITY).is_err());
    assert!(DecrementSet::corrected(&history, 1.0, 1.0).is_err());
    let set = DecrementSet::new(&history, 1.0, 1.0, 1.0).unwrap();
    assert!(BranchPlanner::new(1).maximise(&set, &[1.0, 0.0]).is_err());
    assert!(BranchPlanner::new(2).maximise(&set, &[1.0, 0.0]).is_err());
    assert!(set.least_decrement(&[0.0], &[f64::NAN]).is_err());
    history.observe(&[1.5], 1.0).unwrap();
    assert!(DecrementSet::corrected(&history, 0.1, 1.0).is_err());
    assert!(DecrementSet::printed(&history, 0.1, 1.0).is_err());
    let centre = minimiser(&history, 1.0, 2.0);
    let level = level_set(&history, &centre, 1.0, 1.0, 2.0);
    assert!(BallPlanner::new(1).choose(&level, 0.0).is_err());
    assert!(BallPlanner::new(2).choose(&level, 1e-6).is_err());
}

#[test]
fn a_level_set_contains_the_decrement_set() {
    let mut rng = rng(2);
    let mut members = 0;
    let mut largest = 0.0_f64;
    for round in 0..60 {
        let (d, bound) = (1 + round % 3, 1.0 + 5.0 * rng.random::<f64>());
        let history = history(&mut rng, d, 20 + 10 * round, 12, bound);
        let (ridge, gamma) = (0.1 + rng.random::<f64>() * 3.0, 0.5 + 4.0 * rng.random::<f64>());
        let set = DecrementSet::new(&history, ridge, gamma, bound).unwrap();
        let estimate = minimiser(&history, ridge, f64::INFINITY);
        let least =
            optimist::loss::loss(&history, estimate.theta()) + 0.5 * ridge * dot(estimate.theta(), estimate.theta());
        assert_eq!(set.contains(estimate.theta()), norm(estimate.theta()) <= bound);
        // From the minimiser, and from any other point.
        let level = set.relaxation_level(estimate.theta());
        let other = set.relaxation_level(&point(&mut rng, d, bound));
        for _ in 0..300 {
            let theta = point(&mut rng, d, bound);
            if set.contains(&theta) {
                let loss = optimist::loss::loss(&history, &theta) + 0.5 * ridge * dot(&theta, &theta);
                assert!(loss <= level && loss <= other);
                largest = largest.max((loss - least) / (level - least));
                members += 1;
            }
        }
    }
    assert!(members > 2000, "{members}");
    // The bound is not idle.
    assert!(largest > 0.3, "{largest}");
}

#[test]
fn boundary_points_are_on_the_boundary() {
    let mut rng = rng(3);
    for _ in 0..5 {
        let history = history(&mut rng, 2, 100, 10, 2.0);
        let set = DecrementSet::new(&history, 1.0, 2.0, 3.0).unwrap();
        let centre = minimiser(&history, 1.0, 3.0);
        let points = set.boundary(40);
        assert_eq!(points.len(), 40);
        for p in points {
            let away: Vec<f64> = p.iter().zip(centre.theta()).map(|(a, c)| c + 1.0001 * (a - c)).collect();
            let on_level = (set.decrement(&p) - 2.0).abs() < 1e-8;
            let on_sphere = (norm(&p) - 3.0).abs() < 1e-8;
            assert!(on_level || on_sphere);
            assert!(!set.contains(&away));
        }
    }
}
