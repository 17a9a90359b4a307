//! The support function: brute force in the plane, meaning of the multipliers, certificates that stay valid, refusals.

mod common {
    pub mod simulation;
}

use std::collections::HashSet;

use common::simulation::{Simulation, unit};
use optimist::plan::{Support, SupportSolver, SupportStatus, Target};
use optimist::set::{Excess, LevelSet, Radius, SetOptions};
use optimist::{Belief, Estimator, History, Penalty};
use rand::RngExt;

const TOLERANCE: f64 = 1e-9;

fn excess_belief(dimension: usize, excess: f64, ridge: f64, norm_bound: Option<f64>) -> Belief {
    let options = SetOptions { dimension, delta: 0.05, norm_bound };
    Belief::with_radius(Radius::Excess(Excess::new(excess, ridge, &options).unwrap())).unwrap()
}

fn solve(belief: &mut Belief, x: &[f64]) -> (Support, Vec<f64>) {
    let mut solver = SupportSolver::new(x.len());
    let support = solver.solve(&belief.set(), x, Target::exact(TOLERANCE)).unwrap();
    (support, solver.maximiser().to_vec())
}

#[test]
fn brute_force_in_the_plane() {
    let mut seen = HashSet::new();
    for seed in 0..40 {
        let mut simulation = Simulation::new(2, 3.0, seed);
        let excess = 10.0_f64.powf(simulation.rng.random_range(-1.0..2.0));
        let ridge = if seed % 2 == 0 { 0.0 } else { 0.5 };
        let mut belief = excess_belief(2, excess, ridge, Some(3.5));
        let arms = simulation.ball_arms(6);
        for round in 0..(seed * seed / 4) as usize {
            let x = arms.arm(round % 6);
            belief.observe(x, simulation.reward(x)).unwrap();
        }
        let x = unit(&mut simulation.rng, 2);
        let (support, theta) = solve(&mut belief, &x);
        let set = belief.set();
        seen.insert(support.status);
        // Rays from the centre: every boundary point is feasible, and between neighbours the set bulges by at most
        // 1 - cos of the angle between them times its size.
        let rays = 4000;
        let boundary = set.boundary(rays, 8.0);
        let best = boundary.iter().map(|p| p[0] * x[0] + p[1] * x[1]).fold(f64::NEG_INFINITY, f64::max);
        assert!(best <= support.upper_bound + 1e-9, "seed {seed}: {best} beats {support:?}");
        assert!(best >= support.value - 0.02, "seed {seed}: rays reach only {best} of {support:?}");
        assert!(set.loss(&theta) <= set.level() + 1e-9 * set.level().abs(), "seed {seed}");
        assert!(theta[0].hypot(theta[1]) <= 3.5 * (1.0 + 1e-12));
        assert!((theta[0] * x[0] + theta[1] * x[1] - support.value).abs() <= 1e-12 * support.value.abs().max(1.0));
        assert!(support.gap() <= 1e-8 * support.value.abs().max(1.0), "seed {seed}: {support:?}");
    }
    for status in [SupportStatus::Corner, SupportStatus::Level, SupportStatus::Both] {
        assert!(seen.contains(&status), "{status:?} never happened");
    }
}

#[test]
fn multipliers_are_derivatives_of_the_value() {
    let mut checked = 0;
    for seed in 50..70 {
        let mut simulation = Simulation::new(3, 3.0, seed);
        let arms = simulation.ball_arms(12);
        let mut history = History::new(3).unwrap();
        for round in 0..200 {
            let x = arms.arm(round % 12);
            history.observe(x, simulation.reward(x)).unwrap();
        }
        let bound = if seed % 2 == 0 { 3.2 } else { 20.0 };
        let mut centre = Estimator::new(3);
        centre.fit(&history, Penalty { ridge: 0.1, norm_bound: bound }).unwrap();
        let level = optimist::loss::loss(&history, centre.theta())
            + 0.05 * centre.theta().iter().map(|v| v * v).sum::<f64>()
            + 4.0;
        let x = unit(&mut simulation.rng, 3);
        let mut solver = SupportSolver::new(3);
        let mut value = |level: f64, bound: f64| {
            let set = LevelSet::new(&history, 0.1, level, bound, centre.theta(), centre.evaluation());
            solver.solve(&set, &x, Target::exact(1e-12)).unwrap()
        };
        let support = value(level, bound);
        if !matches!(support.status, SupportStatus::Level | SupportStatus::Both) {
            continue;
        }
        checked += 1;
        let h = 1e-4;
        let by_level = (value(level + h, bound).value - value(level - h, bound).value) / (2.0 * h);
        assert!(
            (by_level - support.level_multiplier).abs() <= 1e-4 * support.level_multiplier,
            "{support:?} {by_level}"
        );
        let by_bound = (value(level, bound + h).value - value(level, bound - h).value) / (2.0 * h);
        assert!((by_bound - bound * support.norm_multiplier).abs() <= 1e-4, "{support:?} {by_bound}");
    }
    assert!(checked >= 15);
}

#[test]
fn a_certificate_moved_to_a_later_level_still_holds() {
    for info in Radius::all() {
        let options = SetOptions { dimension: 2, delta: 0.05, norm_bound: Some(3.0) };
        let mut belief = Belief::with_radius(Radius::by_name(info.name, &options).unwrap()).unwrap();
        let mut simulation = Simulation::new(2, 2.5, 80);
        let arms = simulation.ball_arms(8);
        let mut solver = SupportSolver::new(2);
        let mut old: Vec<(f64, f64, f64)> = Vec::new();
        for round in 0..300 {
            let set = belief.set();
            let fresh: Vec<Support> =
                arms.iter().map(|x| solver.solve(&set, x, Target::exact(TOLERANCE)).unwrap()).collect();
            for (k, (bound, level, multiplier)) in old.iter().enumerate() {
                let moved = bound + (set.level() - level) * multiplier;
                let value = fresh[k % arms.len()].value;
                assert!(value <= moved + 1e-8, "{}: round {round}: {value} > {moved}", info.name);
            }
            if round % 50 == 10 {
                old.extend(fresh.iter().map(|s| (s.upper_bound, set.level(), s.level_multiplier)));
            }
            let x = arms.arm(round % 8);
            belief.observe(x, simulation.reward(x)).unwrap();
        }
    }
}

#[test]
fn zero_empty_and_unbounded() {
    let mut belief = excess_belief(2, 1.0, 0.0, None);
    let (support, _) = solve(&mut belief, &[0.0, 0.0]);
    assert_eq!((support.status, support.value, support.upper_bound), (SupportStatus::ZeroDirection, 0.0, 0.0));
    let (support, _) = solve(&mut belief, &[0.1, 0.0]);
    assert_eq!((support.status, support.value), (SupportStatus::Unbounded, f64::INFINITY));
    let mut belief = Belief::new(2, Some(0.5), 0.05).unwrap();
    belief.observe_many(&[1.0, 0.0], 1.0, 1000).unwrap();
    let (support, theta) = solve(&mut belief, &[1.0, 0.0]);
    assert_eq!(support.status, SupportStatus::Empty);
    assert!((theta[0] - 0.5).abs() < 1e-9 && theta[1].abs() < 1e-9, "the least loss in the ball is at its edge");
}

#[test]
fn a_maximum_that_is_only_approached_is_certified() {
    // Arm A never failed, so its log-odds may be anything above some number; arm B is bounded by its own data alone.
    let mut belief = excess_belief(2, 2.0, 0.0, None);
    belief.observe_many(&[1.0, 0.0], 1.0, 9).unwrap();
    belief.observe_many(&[0.0, 1.0], 1.0, 3).unwrap();
    belief.observe_many(&[0.0, 1.0], 0.0, 5).unwrap();
    let (a, _) = solve(&mut belief, &[1.0, 0.0]);
    assert_eq!(a.status, SupportStatus::Unbounded);
    let (b, _) = solve(&mut belief, &[0.0, 1.0]);
    // The root of 8 softplus(z) - 3 z = level above the minimiser, by bisection.
    let level = belief.set().level();
    let (mut low, mut high) = ((3.0_f64 / 5.0).ln(), 100.0);
    for _ in 0..200 {
        let z = 0.5 * (low + high);
        if 8.0 * optimist::link::softplus(z) - 3.0 * z > level { high = z } else { low = z }
    }
    assert_eq!(b.status, SupportStatus::Level);
    assert!((b.value - low).abs() <= 1e-7 && b.upper_bound >= low - 1e-9 && b.upper_bound <= low + 1e-7, "{b:?} {low}");
    let (below, _) = solve(&mut belief, &[-1.0, 0.0]);
    assert!(below.status == SupportStatus::Level && below.value.is_finite());
}

#[test]
fn bad_directions_are_refused() {
    let mut belief = excess_belief(2, 1.0, 1.0, None);
    let set = belief.set();
    let mut solver = SupportSolver::new(2);
    assert!(solver.solve(&set, &[1.0], Target::exact(TOLERANCE)).is_err());
    assert!(solver.solve(&set, &[1.0, f64::NAN], Target::exact(TOLERANCE)).is_err());
    assert!(solver.solve(&set, &[f64::NEG_INFINITY, 0.0], Target::exact(TOLERANCE)).is_err());
}

#[test]
fn a_set_that_is_empty_but_for_rounding_holds_its_maximiser() {
    let mut simulation = Simulation::new(2, 2.0, 90);
    for seed in 0..300 {
        let arms = simulation.ball_arms(5);
        let mut history = History::new(2).unwrap();
        for round in 0..60 {
            let x = arms.arm(round % 5);
            history.observe(x, simulation.reward(x)).unwrap();
        }
        let mut centre = Estimator::new(2);
        centre.fit(&history, Penalty::ball(2.0)).unwrap();
        let least = centre.evaluation().loss;
        let level = least + f64::from(seed % 61 - 30) * f64::EPSILON * least;
        let set = LevelSet::new(&history, 0.0, level, 2.0, centre.theta(), centre.evaluation());
        let x = unit(&mut simulation.rng, 2);
        let mut solver = SupportSolver::new(2);
        let support = solver.solve(&set, &x, Target::exact(TOLERANCE)).unwrap();
        let theta = solver.maximiser();
        assert!(theta[0].hypot(theta[1]) <= 2.0 * (1.0 + 1e-9), "{seed}: {support:?} at {theta:?}");
        assert!(set.loss(theta) <= level + 1e-9 * level, "{seed}: {support:?}");
        assert!(support.upper_bound >= support.value && support.value <= 2.0 + 1e-9);
    }
}
