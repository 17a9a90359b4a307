//! Support values over sets with a quadratic, against independent solvers.

use optimist::plan::{Answers, BallPlanner, BallStatus, Planner, SupportSolver, Target};
use optimist::{Belief, FiniteArms, generator};

use super::{bounded, play};
use crate::common::checks::{dot, loss, verify};
use crate::common::conic;
use crate::simulation::unit;

/// A belief after many consolidations.
fn after(d: usize, norm_bound: Option<f64>, rows: usize, n: usize, seed: u64) -> Belief {
    let mut rng = generator(seed);
    let mut theta = vec![0.0; d];
    theta[d - 1] = 2.0;
    let mut belief = bounded(d, norm_bound, 0.05, rows);
    for _ in 0..n {
        let (x, reward) = play(&mut rng, &theta);
        if belief.history().rows() > rows {
            belief.set();
        }
        belief.observe(&x, reward).unwrap();
    }
    assert!(belief.history().consolidations() >= 2, "{} rows", belief.history().rows());
    belief
}

#[test]
fn support_values_agree_with_a_conic_solver() {
    let mut compared = 0;
    for (d, rows) in [(2, 20), (3, 30), (5, 60), (10, 100)] {
        for norm_bound in [Some(2.5), Some(8.0), None] {
            let mut belief = after(d, norm_bound, rows, 8 * rows, d as u64);
            let set = belief.set();
            let mut rng = generator(7);
            let mut solver = SupportSolver::new(d);
            for _ in 0..4 {
                let x = unit(&mut rng, d);
                let support = solver.solve(&set, &x, Target::exact(1e-9)).unwrap();
                let verdict = verify(&set, &x, &support, solver.maximiser());
                assert!(verdict.failures.is_empty(), "d {d}, {norm_bound:?}: {:?}", verdict.failures);
                if let Some(verdict) = conic::compare(&set, &x, &support, solver.maximiser()) {
                    verdict.unwrap_or_else(|wrong| panic!("d {d}, {norm_bound:?}: {wrong}"));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= 40, "{compared} compared");
}

#[test]
fn bounds_are_those_of_the_boundary_in_two_dimensions() {
    // No corners where level and ball meet: between the rays there is then less than 1e-6.
    for norm_bound in [Some(5.0), None] {
        let mut belief = after(2, norm_bound, 30, 400, 3);
        let set = belief.set();
        let boundary = set.boundary(20_000, 50.0);
        assert!(boundary.iter().all(|theta| loss(set.history(), 0.0, theta) <= set.level() * (1.0 + 1e-12)));
        let mut answers = Answers::new(2, 1e-9).unwrap();
        for x in [[1.0, 0.0], [0.6, -0.8], [-0.3, 0.4], [0.0, -1.0]] {
            let interval = answers.interval(&set, &x).unwrap();
            let largest = boundary.iter().map(|theta| dot(theta, &x)).fold(f64::NEG_INFINITY, f64::max);
            let least = boundary.iter().map(|theta| dot(theta, &x)).fold(f64::INFINITY, f64::min);
            assert!(interval.log_odds_upper >= largest - 1e-9 && interval.log_odds_upper <= largest + 1e-5);
            assert!(interval.log_odds_lower <= least + 1e-9 && interval.log_odds_lower >= least - 1e-5);
        }
        let farthest = boundary.iter().map(|theta| dot(theta, theta).sqrt()).fold(0.0, f64::max);
        let plan = BallPlanner::new(2).choose(&set, 1e-7).unwrap();
        assert!(matches!(plan.status, BallStatus::Certified | BallStatus::Saturated), "{plan:?}");
        assert!((plan.value - farthest).abs() <= 1e-5 && plan.upper_bound >= farthest - 1e-9, "{plan:?} {farthest}");
    }
}

/// Bounds that arms carry over from earlier rounds are about a loss that consolidation makes smaller.
#[test]
fn the_planner_stays_exact_across_consolidations() {
    let mut rng = generator(5);
    let rows: Vec<Vec<f64>> = (0..60).map(|_| unit(&mut rng, 2)).collect();
    let arms = FiniteArms::from_rows(&rows).unwrap();
    let theta = [1.5, 1.0];
    for norm_bound in [Some(3.0), None] {
        let mut belief = bounded(2, norm_bound, 0.05, 24);
        let mut planner = Planner::new(&arms, 1e-9).unwrap();
        let mut solver = SupportSolver::new(2);
        for _ in 0..400 {
            let set = belief.set();
            let plan = planner.choose(&set, &arms).unwrap();
            let value = |x: &[f64]| solver.solve(&set, x, Target::exact(1e-9)).unwrap().value;
            let best = arms.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
            assert!(plan.support.value >= best - 4e-9 * best.abs() || best == f64::INFINITY, "{plan:?} {best}");
            // Every arm is tried at times, so that the list does not fit into the memory.
            let arm = if rand::RngExt::random::<f64>(&mut rng) < 0.5 {
                plan.arm
            } else {
                belief.history().observations() as usize % 60
            };
            let success = rand::RngExt::random::<f64>(&mut rng) < optimist::link::mean(dot(arms.arm(arm), &theta));
            belief.observe(arms.arm(arm), f64::from(u8::from(success))).unwrap();
        }
        assert!(belief.history().consolidations() > 5);
    }
}
