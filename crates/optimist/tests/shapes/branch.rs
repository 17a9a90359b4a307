//! Planning over the set of small decrements.

use super::*;

/// Plans and compares with a grid. Returns the boxes examined.
fn check_against_grid(set: &DecrementSet<'_>, x: &[f64], side: i32) -> usize {
    let d = x.len();
    let plan = BranchPlanner::new(d).maximise(set, x).unwrap();
    assert_eq!(plan.status, BranchStatus::Certified);
    assert!(set.contains(&plan.theta));
    assert!((plan.value - dot(x, &plan.theta)).abs() < 1e-12 * (1.0 + plan.value.abs()));
    let scale = plan.value.abs().max(norm(x) * norm(&plan.theta).min(1.0));
    assert!(plan.upper_bound >= plan.value && plan.upper_bound - plan.value <= 1.0001e-4 * scale);
    let mut best = f64::NEG_INFINITY;
    for_grid(d, set.norm_bound(), side, |theta| {
        let value = dot(x, theta);
        if value > best && set.contains(theta) {
            best = value;
        }
    });
    assert!(best <= plan.upper_bound, "{best} {plan:?}");
    plan.nodes
}

#[test]
fn branching_agrees_with_a_grid_in_one_dimension() {
    let mut rng = rng(7);
    for round in 0..30 {
        let bound = 1.0 + 5.0 * rng.random::<f64>();
        let history = history(&mut rng, 1, 10 + 20 * round, 5, bound);
        let set = DecrementSet::new(&history, 0.5, 0.3 + 3.0 * rng.random::<f64>(), bound).unwrap();
        if !set.contains(minimiser(&history, 0.5, bound).theta()) {
            continue;
        }
        for x in [[1.0], [-0.7]] {
            check_against_grid(&set, &x, 20_000);
            // In one dimension the maximiser is an end: just beyond it nothing belongs to the set.
            let plan = BranchPlanner::new(1).with_tolerance(1e-9).maximise(&set, &x).unwrap();
            assert!(!set.contains(&[plan.theta[0] + 1e-8 * x[0].signum()]));
        }
    }
}

#[test]
fn branching_agrees_with_a_grid_in_two_dimensions() {
    let mut rng = rng(8);
    let mut nodes = 0;
    for round in 0..12 {
        let bound = 2.0 + 4.0 * rng.random::<f64>();
        let history = history(&mut rng, 2, 30 + 60 * round, 15, bound - 1.0);
        let set = match round % 3 {
            0 => DecrementSet::corrected(&history, 0.05, bound).unwrap(),
            1 => DecrementSet::new(&history, 0.2, 1.5, bound).unwrap(),
            _ => DecrementSet::new(&history, 1.0, 4.0, bound).unwrap(),
        };
        nodes += check_against_grid(&set, &unit(&mut rng, 2), 250);
    }
    assert!(nodes < 12 * 500, "{nodes}");
}

#[test]
fn branching_agrees_with_a_grid_in_three_and_four_dimensions() {
    let mut rng = rng(9);
    for (d, rounds, side) in [(3, 5, 30), (4, 2, 11)] {
        for round in 0..rounds {
            let history = history(&mut rng, d, 100 + 100 * round, 15, 2.0);
            let set = DecrementSet::new(&history, 1.0, 1.0 + 2.0 * rng.random::<f64>(), 3.0).unwrap();
            check_against_grid(&set, &unit(&mut rng, d), side);
        }
    }
}

#[test]
fn a_fine_grid_comes_close_to_the_value() {
    let mut rng = rng(10);
    let history = history(&mut rng, 2, 150, 15, 2.0);
    let set = DecrementSet::new(&history, 1.0, 2.0, 4.0).unwrap();
    let x = unit(&mut rng, 2);
    let plan = BranchPlanner::new(2).with_tolerance(1e-6).maximise(&set, &x).unwrap();
    assert_eq!(plan.status, BranchStatus::Certified);
    let mut best = f64::NEG_INFINITY;
    for_grid(2, 0.05, 500, |y| {
        let theta = [plan.theta[0] + y[0], plan.theta[1] + y[1]];
        if dot(&x, &theta) > best && set.contains(&theta) {
            best = dot(&x, &theta);
        }
    });
    assert!(best <= plan.upper_bound && best > plan.value - 2e-4, "{best} {plan:?}");
}

#[test]
fn without_data_the_set_is_a_ball() {
    for d in 1..=5 {
        let history = History::new(d).unwrap();
        let mut x = vec![0.0; d];
        (x[0], x[d - 1]) = (0.6, 0.8);
        for (gamma, bound) in [(6.0, 2.0), (2.0, 3.0)] {
            let set = DecrementSet::new(&history, 4.0, gamma, bound).unwrap();
            let plan = BranchPlanner::new(d).maximise(&set, &x).unwrap();
            let expected = bound.min(0.5 * gamma) * norm(&x);
            assert!(plan.value <= expected * (1.0 + 1e-12) && plan.upper_bound >= expected * (1.0 - 1e-12));
            if d <= 4 {
                assert_eq!(plan.status, BranchStatus::Certified);
                assert!((plan.value - expected).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn a_set_that_fills_the_ball_needs_no_boxes() {
    let mut rng = rng(11);
    let history = history(&mut rng, 2, 20, 10, 1.0);
    let set = DecrementSet::corrected(&history, 0.05, 2.0).unwrap();
    let plan = BranchPlanner::new(2).maximise(&set, &[0.6, 0.8]).unwrap();
    assert_eq!((plan.status, plan.nodes), (BranchStatus::Certified, 0));
    assert!((plan.value - 2.0).abs() < 2e-4);
    let nothing = BranchPlanner::new(2).maximise(&set, &[0.0, 0.0]).unwrap();
    assert_eq!((nothing.value, nothing.upper_bound, nothing.status), (0.0, 0.0, BranchStatus::Certified));
}

#[test]
fn an_empty_set_is_recognised() {
    // Everything says that theta is large, the ball says that it is not.
    let mut history = History::new(2).unwrap();
    history.observe_many(&[1.0, 0.0], 1.0, 300).unwrap();
    history.observe_many(&[0.0, 1.0], 0.0, 300).unwrap();
    let set = DecrementSet::new(&history, 0.1, 0.5, 0.5).unwrap();
    let mut planner = BranchPlanner::new(2);
    let plan = planner.maximise(&set, &[1.0, 0.0]).unwrap();
    assert_eq!(plan.status, BranchStatus::Empty);
    let centre = minimiser(&history, 0.1, 0.5);
    assert!((plan.value - centre.theta()[0]).abs() < 1e-9);
    for_grid(2, 0.5, 100, |theta| assert!(!set.contains(theta)));
    let arms = FiniteArms::from_rows(&[[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]).unwrap();
    let choice = planner.choose(&set, &arms).unwrap();
    assert_eq!((choice.arm, choice.plan.status), (1, BranchStatus::Empty));
}

#[test]
fn a_set_without_the_estimate_is_searched_all_the_same() {
    // The minimiser of the loss is outside the ball, and so are the smallest decrements.
    let mut rng = rng(12);
    let mut history = history(&mut rng, 2, 40, 10, 1.0);
    history.observe_many(&[0.8, 0.6], 1.0, 100).unwrap();
    for gamma in [1.0, 2.0, 4.0] {
        let set = DecrementSet::new(&history, 0.1, gamma, 1.0).unwrap();
        let x = [0.3, -0.9];
        let mut best = f64::NEG_INFINITY;
        for_grid(2, 1.0, 300, |theta| {
            if set.contains(theta) {
                best = best.max(dot(&x, theta));
            }
        });
        let plan = BranchPlanner::new(2).maximise(&set, &x).unwrap();
        if plan.status == BranchStatus::Empty {
            assert_eq!(best, f64::NEG_INFINITY);
        } else {
            assert_eq!(plan.status, BranchStatus::Certified);
            assert!(best <= plan.upper_bound && best > plan.value - 0.02, "{best} {plan:?}");
        }
    }
}

#[test]
fn a_thin_set_across_the_axes_needs_few_boxes() {
    // One arm that says much and a small ridge: a disc a thousand times wider than thick.
    let mut history = History::new(3).unwrap();
    let arm = [0.6, -0.48, 0.64];
    history.observe_many(&arm, 1.0, 600).unwrap();
    history.observe_many(&arm, 0.0, 400).unwrap();
    let (ridge, gamma): (f64, f64) = (1e-3, 0.05);
    let set = DecrementSet::new(&history, ridge, gamma, 10.0).unwrap();
    let plan = BranchPlanner::new(3).maximise(&set, &[0.8, 0.36, -0.48]).unwrap();
    assert_eq!(plan.status, BranchStatus::Certified);
    assert!(plan.nodes < 5000, "{plan:?}");
    // Across the arm the data say nothing, and the decrement is that of the ridge.
    let across = [0.8, 0.36, -0.48];
    let slope = dot(&across, &arm);
    let free = norm(&[across[0] - slope * arm[0], across[1] - slope * arm[1], across[2] - slope * arm[2]]);
    assert!(plan.value > 0.9 * free * gamma / ridge.sqrt() - 0.5, "{plan:?}");
}

#[test]
fn a_node_limit_is_reported_with_valid_bounds() {
    let mut rng = rng(13);
    let history = history(&mut rng, 3, 200, 15, 2.0);
    let set = DecrementSet::new(&history, 1.0, 2.0, 4.0).unwrap();
    let x = unit(&mut rng, 3);
    let full = BranchPlanner::new(3).maximise(&set, &x).unwrap();
    let cut = BranchPlanner::new(3).with_node_limit(20).maximise(&set, &x).unwrap();
    assert_eq!(cut.status, BranchStatus::NodeLimit);
    assert!(cut.nodes <= 22 && cut.value <= full.upper_bound && cut.upper_bound >= full.value);
}

#[test]
fn beyond_four_dimensions_the_optimum_is_called_local() {
    let mut rng = rng(14);
    let history = history(&mut rng, 6, 600, 40, 2.0);
    let set = DecrementSet::new(&history, 1.0, 2.0, 4.0).unwrap();
    let x = unit(&mut rng, 6);
    let plan = BranchPlanner::new(6).maximise(&set, &x).unwrap();
    assert_eq!(plan.status, BranchStatus::LocalOptimum);
    assert!(set.contains(&plan.theta) && plan.upper_bound > plan.value);
    for _ in 0..2000 {
        let theta = point(&mut rng, 6, 4.0);
        assert!(!set.contains(&theta) || dot(&x, &theta) <= plan.value);
    }
}

#[test]
fn the_best_of_many_arms() {
    let mut rng = rng(15);
    for d in 1..=3 {
        let history = history(&mut rng, d, 300, 15, 2.0);
        let set = DecrementSet::new(&history, 1.0, 2.5, 3.0).unwrap();
        let arms: Vec<Vec<f64>> = (0..15).map(|_| point(&mut rng, d, 1.0)).collect();
        let mut planner = BranchPlanner::new(d);
        let choice = planner.choose(&set, &FiniteArms::from_rows(&arms).unwrap()).unwrap();
        assert_eq!(choice.plan.status, BranchStatus::Certified);
        assert!(choice.solved >= 1 && choice.solved < 15);
        for x in &arms {
            let plan = planner.maximise(&set, x).unwrap();
            assert!(plan.value <= choice.plan.upper_bound + 1e-9, "{x:?}");
        }
        let own = planner.maximise(&set, &arms[choice.arm]).unwrap();
        assert!((own.value - choice.plan.value).abs() <= 2e-4 * own.value.abs().max(1.0));
    }
}

/// Arms whose squares vanish and whose reciprocals overflow are planned for as if they were longer.
#[test]
fn denormal_arms_are_bounded_from_above() {
    let least = f64::from_bits(1);
    let lists = [
        [[1e-310, 0.0], [0.0, least]],
        [[least, 0.0], [0.0, least]],
        [[1e-310, least], [-1e-300, 1e-320]],
        [[-1e-310, 3.0 * least], [0.0, 0.5]],
    ];
    // An exact product: the least double becomes 2^-74.
    let lift = 2f64.powi(1000);
    let mut rng = rng(15);
    for (bound, rows) in [1e-200, 0.01, 4.0, 250.0].into_iter().flat_map(|s| lists.map(|rows| (s, rows))) {
        let arms = FiniteArms::from_rows(&rows).unwrap();
        let mut history = History::new(2).unwrap();
        let mut planner = BranchPlanner::new(2);
        for round in 0..12 {
            let set = DecrementSet::corrected(&history, 0.05, bound).unwrap();
            let choice = planner.choose(&set, &arms).unwrap();
            let inside: Vec<_> = (0..20).map(|_| point(&mut rng, 2, bound)).filter(|t| set.contains(t)).collect();
            assert!(!inside.is_empty());
            for (k, x) in arms.iter().enumerate() {
                let plan = planner.maximise(&set, x).unwrap();
                assert!(plan.value <= plan.upper_bound && set.contains(&plan.theta), "{plan:?}");
                let unit = if norm(x) < 1.0 / lift { lift } else { 1.0 };
                let lifted = [x[0] * unit, x[1] * unit];
                for theta in inside.iter().chain([&plan.theta]) {
                    let value = dot(&lifted, theta);
                    assert!(value <= plan.upper_bound * unit, "{bound:e} {x:?} {theta:?}: {plan:?}");
                    assert!(value <= choice.plan.upper_bound * unit, "{bound:e} arm {k} {theta:?}: {choice:?}");
                }
            }
            history.observe(arms.arm(choice.arm), f64::from(round % 2)).unwrap();
        }
    }
}
