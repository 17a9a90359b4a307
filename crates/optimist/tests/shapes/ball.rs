//! The unit ball as arm set.

use super::*;

fn check_plan(plan: &BallPlan, set: &LevelSet<'_>) {
    assert!((norm(&plan.arm) - 1.0).abs() < 1e-12);
    assert!((plan.value - norm(&plan.theta)).abs() <= 1e-12 * plan.value);
    assert!((dot(&plan.arm, &plan.theta) - plan.value).abs() <= 1e-9 * plan.value.max(1e-3));
    assert!(plan.upper_bound >= plan.value);
    assert!(norm(&plan.theta) <= set.norm_bound() * (1.0 + 1e-12));
    assert!(set.loss(&plan.theta) <= set.level() + 1e-9 * set.level().abs());
}

/// The largest support function over given directions.
fn largest(set: &LevelSet<'_>, directions: impl Iterator<Item = Vec<f64>>) -> f64 {
    let mut solver = SupportSolver::new(set.history().dimension());
    directions.map(|x| solver.solve(set, &x, Target::exact(1e-8)).unwrap().value).fold(f64::NEG_INFINITY, f64::max)
}

fn circle(points: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..points).map(move |i| {
        let angle = std::f64::consts::TAU * i as f64 / points as f64;
        vec![angle.cos(), angle.sin()]
    })
}

/// Nearly evenly spread points of the sphere (Fibonacci).
fn sphere(points: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..points).map(move |i| {
        let z = 1.0 - (2 * i + 1) as f64 / points as f64;
        let angle = 2.399963229728653 * i as f64;
        let r = (1.0 - z * z).sqrt();
        vec![r * angle.cos(), r * angle.sin(), z]
    })
}

#[test]
fn the_ball_in_one_dimension_has_two_directions() {
    let mut rng = rng(20);
    for round in 0..20 {
        let history = history(&mut rng, 1, 20 + 40 * round, 5, 2.0);
        let centre = minimiser(&history, 0.0, 5.0);
        let set = level_set(&history, &centre, 0.0, 2.0, 5.0);
        let plan = BallPlanner::new(1).choose(&set, 1e-8).unwrap();
        check_plan(&plan, &set);
        let best = largest(&set, [vec![1.0], vec![-1.0]].into_iter());
        assert!((plan.value - best).abs() < 1e-7 && plan.upper_bound >= best && plan.upper_bound - best < 1e-7);
        assert_ne!(plan.status, BallStatus::LocalOptimum);
    }
}

#[test]
fn the_ball_agrees_with_a_grid_of_angles() {
    let mut rng = rng(21);
    let mut certified = 0;
    for round in 0..20 {
        let bound = [2.0, 4.0, 8.0][round % 3];
        let history = history(&mut rng, 2, 30 + 100 * round, 12, bound - 1.0);
        let ridge = if round % 2 == 0 { 0.0 } else { 1.0 };
        let centre = minimiser(&history, ridge, bound);
        let set = level_set(&history, &centre, ridge, 0.5 + 3.0 * rng.random::<f64>(), bound);
        let plan = BallPlanner::new(2).choose(&set, 1e-6).unwrap();
        check_plan(&plan, &set);
        let grid = largest(&set, circle(1500));
        assert!(grid <= plan.upper_bound * (1.0 + 1e-9), "{grid} {plan:?}");
        // Half a step of the grid costs this much at most.
        assert!(grid >= plan.value * (1.0 - 3e-6) - 1e-6, "{grid} {plan:?}");
        assert!(plan.upper_bound - plan.value <= 1.001e-6 * plan.value);
        assert!(plan.solves < 100, "{plan:?}");
        certified += usize::from(plan.status == BallStatus::Certified);
    }
    assert!(certified > 8, "{certified}");
}

#[test]
fn the_ball_agrees_with_a_grid_on_the_sphere() {
    let mut rng = rng(22);
    for round in 0..6 {
        let bound = [3.0, 6.0][round % 2];
        let history = history(&mut rng, 3, 300 + 300 * round, 15, bound - 1.0);
        let centre = minimiser(&history, 0.5, bound);
        let set = level_set(&history, &centre, 0.5, 1.0 + rng.random::<f64>(), bound);
        let plan = BallPlanner::new(3).choose(&set, 1e-6).unwrap();
        check_plan(&plan, &set);
        let grid = largest(&set, sphere(4000));
        assert!(grid <= plan.upper_bound * (1.0 + 1e-9), "{grid} {plan:?}");
        assert!(grid >= plan.value * (1.0 - 2e-3), "{grid} {plan:?}");
        assert!(plan.upper_bound - plan.value <= 1.001e-6 * plan.value, "{plan:?}");
        assert!(plan.solves < 1000, "{plan:?}");
    }
}

#[test]
fn the_ball_in_four_dimensions_and_beyond() {
    let mut rng = rng(23);
    for d in [4, 5, 7] {
        for norm_bound in [4.0, f64::INFINITY] {
            let history = history(&mut rng, d, 3000, 40, 2.0);
            let centre = minimiser(&history, 0.0, norm_bound);
            let set = level_set(&history, &centre, 0.0, 3.0, norm_bound);
            let plan = BallPlanner::new(d).choose(&set, 1e-5).unwrap();
            check_plan(&plan, &set);
            assert_eq!(plan.status == BallStatus::Certified, d == 4, "{plan:?}");
            let directions: Vec<Vec<f64>> = (0..1000).map(|_| unit(&mut rng, d)).collect();
            assert!(largest(&set, directions.into_iter()) <= plan.value * (1.0 + 1e-5));
            if d == 5 {
                let exact = BallPlanner::new(d).certify_up_to(5).choose(&set, 1e-4).unwrap();
                assert_eq!(exact.status, BallStatus::Certified);
                assert!(plan.value <= exact.upper_bound && plan.value >= exact.value * (1.0 - 1e-4));
                assert!(plan.upper_bound >= exact.value);
            }
        }
    }
}

#[test]
fn a_set_that_reaches_the_sphere_saturates() {
    let mut rng = rng(24);
    for d in 1..=5 {
        let history = history(&mut rng, d, 10, 5, 1.0);
        let centre = minimiser(&history, 0.0, 1.0);
        let set = level_set(&history, &centre, 0.0, 10.0, 1.0);
        let plan = BallPlanner::new(d).choose(&set, 1e-6).unwrap();
        check_plan(&plan, &set);
        assert_eq!((plan.status, plan.value, plan.upper_bound), (BallStatus::Saturated, 1.0, 1.0));
        // Without data, too.
        let mut belief = Belief::new(d, Some(3.0), 0.05).unwrap();
        let plan = BallPlanner::new(d).choose(&belief.set(), 1e-6).unwrap();
        assert_eq!((plan.status, plan.value, plan.solves), (BallStatus::Saturated, 3.0, 0));
    }
}

#[test]
fn a_narrow_contact_with_the_sphere_is_found() {
    // The set touches the sphere around one direction only, which is none of those tried first.
    let mut rng = rng(25);
    let mut touched = 0;
    for _ in 0..20 {
        let history = history(&mut rng, 2, 400, 12, 2.0);
        let free = minimiser(&history, 0.0, f64::INFINITY);
        let wide = level_set(&history, &free, 0.0, 2.0, f64::INFINITY);
        let reach = BallPlanner::new(2).choose(&wide, 1e-9).unwrap().value;
        let bound = reach * 0.9999;
        let centre = minimiser(&history, 0.0, bound);
        let set = LevelSet::new(&history, 0.0, wide.level(), bound, centre.theta(), centre.evaluation());
        let plan = BallPlanner::new(2).choose(&set, 1e-8).unwrap();
        check_plan(&plan, &set);
        assert_eq!(plan.status, BallStatus::Saturated, "{plan:?}");
        touched += usize::from(plan.solves > 0);
    }
    assert!(touched > 10, "{touched}");
}

#[test]
fn without_norm_bound_the_set_may_be_bounded_or_not() {
    let mut rng = rng(26);
    for d in 1..=3 {
        let mut history = history(&mut rng, d, 400, 15, 1.0);
        let centre = minimiser(&history, 0.0, f64::INFINITY);
        let set = level_set(&history, &centre, 0.0, 2.0, f64::INFINITY);
        let plan = BallPlanner::new(d).choose(&set, 1e-6).unwrap();
        check_plan(&plan, &set);
        assert_eq!(plan.status, BallStatus::Certified);
        let directions: Vec<Vec<f64>> = (0..300).map(|_| unit(&mut rng, d)).collect();
        assert!(largest(&set, directions.into_iter()) <= plan.upper_bound * (1.0 + 1e-9));
        // The same with a ridge, which bounds the set by itself.
        let centre = minimiser(&history, 1.0, f64::INFINITY);
        let ridged = level_set(&history, &centre, 1.0, 2.0, f64::INFINITY);
        let plan = BallPlanner::new(d).choose(&ridged, 1e-6).unwrap();
        check_plan(&plan, &ridged);
        assert_eq!(plan.status, BallStatus::Certified);
        // Arms of one line say nothing across it; and a single success nothing about how good the arm is.
        history = History::new(d).unwrap();
        history.observe(&unit(&mut rng, d), 1.0).unwrap();
        let centre = minimiser(&history, 0.0, f64::INFINITY);
        let open = level_set(&history, &centre, 0.0, 2.0, f64::INFINITY);
        let plan = BallPlanner::new(d).choose(&open, 1e-6).unwrap();
        assert_eq!((plan.status, plan.value), (BallStatus::Unbounded, f64::INFINITY));
        assert!((norm(&plan.arm) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn an_empty_level_set_is_reported() {
    let mut rng = rng(27);
    let history = history(&mut rng, 2, 100, 8, 2.0);
    let centre = minimiser(&history, 1.0, 2.0);
    let set = level_set(&history, &centre, 1.0, -1.0, 2.0);
    let plan = BallPlanner::new(2).choose(&set, 1e-6).unwrap();
    assert_eq!((plan.status, plan.value), (BallStatus::Empty, norm(centre.theta())));
}

#[test]
fn a_set_of_one_point_still_gives_an_arm() {
    let mut history = History::new(2).unwrap();
    for x in [[1.0, 0.0], [0.0, 1.0]] {
        history.observe(&x, 1.0).unwrap();
        history.observe(&x, 0.0).unwrap();
    }
    let centre = minimiser(&history, 1.0, 2.0);
    let set = level_set(&history, &centre, 1.0, 0.0, 2.0);
    let plan = BallPlanner::new(2).choose(&set, 1e-6).unwrap();
    assert!((norm(&plan.arm) - 1.0).abs() < 1e-12);
    assert!(plan.value < 1e-6 && plan.upper_bound >= plan.value, "{plan:?}");
}

#[test]
fn a_limit_on_solves_leaves_valid_bounds() {
    // A round set: every direction is nearly as good as the best, and nothing can be discarded early.
    let mut history = History::new(3).unwrap();
    for j in 0..3 {
        let mut x = [0.0; 3];
        x[j] = 1.0;
        history.observe_many(&x, 1.0, 50).unwrap();
        history.observe_many(&x, 0.0, 50).unwrap();
    }
    let centre = minimiser(&history, 0.0, 5.0);
    let set = level_set(&history, &centre, 0.0, 0.5, 5.0);
    let plan = BallPlanner::new(3).with_solve_limit(200).choose(&set, 1e-9).unwrap();
    check_plan(&plan, &set);
    assert_eq!(plan.status, BallStatus::LocalOptimum);
    let grid = largest(&set, sphere(2000));
    assert!(grid <= plan.upper_bound && plan.upper_bound < plan.value * 1.05);
}
