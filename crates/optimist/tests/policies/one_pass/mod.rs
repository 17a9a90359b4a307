//! Policies that look at each observation once, against slow computations with dense matrices and bisection.

mod dense;
mod ecolog;
mod linear;
mod mirror;

use optimist::Problem;
use optimist::policy::{self, Policy};
use optimist::{ArmSet, FiniteArms};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use crate::simulation::{Simulation, unit};
use dense::{Matrix, form, inner, inverse_form};

/// The slow computation: an ellipsoid in a ball, and whatever else cuts it.
trait Slow {
    fn learn(&mut self, x: &[f64], r: f64);
    fn centre(&self) -> Vec<f64>;
    fn matrix(&self) -> Matrix;
    fn squared_radius(&self) -> f64;
    /// Bounds on x'theta from elsewhere than the ellipsoid.
    fn outer(&self, _x: &[f64]) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }
    /// Whether what these bounds come from holds `theta`.
    fn holds(&self, _theta: &[f64]) -> bool {
        true
    }
}

/// Dimension, delta and norm bound of the comparisons.
const D: usize = 3;
const DELTA: f64 = 0.05;

fn problem(norm_bound: f64) -> Problem {
    Problem { dimension: D, delta: DELTA, norm_bound: Some(norm_bound) }
}

fn index(slow: &dyn Slow, x: &[f64]) -> f64 {
    inner(x, &slow.centre()) + (slow.squared_radius().max(0.0) * inverse_form(&slow.matrix(), x)).sqrt()
}

/// Two hundred rounds of an optimistic policy; four lists of arms, now and then a fractional reward.
fn compare(name: &str, options: serde_json::Value, slow: &mut dyn Slow, norm_bound: f64, seed: u64) {
    let mut policy = policy::build_with(name, &problem(norm_bound), &options).unwrap();
    let mut simulation = Simulation::new(D, 0.8 * norm_bound, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed + 1000);
    let claimed = policy.claim().guarantee().is_some();
    let mut list = simulation.ball_arms(15);
    for round in 0..200 {
        if round % 50 == 0 {
            list = simulation.ball_arms(15);
        }
        check_estimate(&mut *policy, slow, round);
        if claimed {
            check_set(&mut *policy, slow, &list, norm_bound, &mut rng);
        }
        let arms = ArmSet::from(list.clone());
        let x = policy.choose(&arms, &mut rng).unwrap().features.to_vec();
        let best = list.iter().map(|x| index(slow, x)).fold(f64::NEG_INFINITY, f64::max);
        let chosen = index(slow, &x);
        assert!(chosen >= best - 1e-9 * best.abs().max(1.0), "{name} round {round}: {chosen} and {best}");
        let reward = if round % 7 == 3 { 0.3 } else { simulation.reward(&x) };
        policy.observe(&x, reward).unwrap();
        slow.learn(&x, reward);
    }
}

fn check_estimate(policy: &mut dyn Policy, slow: &dyn Slow, round: usize) {
    for (a, b) in policy.estimate().iter().zip(slow.centre()) {
        assert!((a - b).abs() < 1e-8, "estimate in round {round}: {a} and {b}");
    }
}

fn check_set(policy: &mut dyn Policy, slow: &dyn Slow, list: &FiniteArms, norm_bound: f64, rng: &mut ChaCha8Rng) {
    let (centre, matrix, squared) = (slow.centre(), slow.matrix(), slow.squared_radius());
    for x in list.iter() {
        let found = policy.interval(x).unwrap().interval;
        let (low, high) = slow.outer(x);
        let reach = norm_bound * inner(x, x).sqrt();
        let (low, high) = (low.max(-reach), high.min(reach));
        let width = (squared * inverse_form(&matrix, x)).sqrt();
        let mean = inner(x, &centre);
        let expected = [(mean - width).max(low), (mean + width).min(high)];
        for (a, b) in [found.log_odds_lower, found.log_odds_upper].into_iter().zip(expected) {
            assert!((a - b).abs() < 1e-7 * (1.0 + b.abs()), "bounds {found:?} and {expected:?}");
        }
    }
    // Just inside and just outside of the ellipsoid, and somewhere inside.
    let direction = unit(rng, D);
    let scale = (squared / form(&matrix, &direction)).sqrt();
    for factor in [1.0 - 1e-6, 1.0 + 1e-6, rng.random_range(0.0..1.0)] {
        let theta: Vec<f64> = centre.iter().zip(&direction).map(|(c, v)| c + factor * scale * v).collect();
        let found = policy.contains(&theta).unwrap();
        let inside = factor < 1.0 && inner(&theta, &theta).sqrt() <= norm_bound && slow.holds(&theta);
        assert_eq!(found, inside, "{factor} {theta:?}");
    }
}

/// Sixty rounds on the sphere: no direction has a larger index than the one that is played.
fn compare_on_sphere(name: &str, slow: &mut dyn Slow, norm_bound: f64, seed: u64) {
    let mut policy = policy::build(name, &problem(norm_bound)).unwrap();
    let mut simulation = Simulation::new(D, 0.8 * norm_bound, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed + 1000);
    for round in 0..60 {
        let kind = if round % 2 == 0 { ArmSet::Ball { dimension: D } } else { ArmSet::Sphere { dimension: D } };
        let x = policy.choose(&kind, &mut rng).unwrap().features.to_vec();
        assert!((inner(&x, &x) - 1.0).abs() < 1e-12);
        let chosen = index(slow, &x);
        for _ in 0..200 {
            let other = index(slow, &unit(&mut rng, D));
            assert!(other <= chosen + 1e-6 * chosen.abs(), "{name} round {round}: {chosen} and {other}");
        }
        let reward = simulation.reward(&x);
        policy.observe(&x, reward).unwrap();
        slow.learn(&x, reward);
    }
}

/// Nothing panics or leaves the range of doubles at the ends of what options allow, and a restored copy goes on alike.
#[test]
fn extreme_options_are_survived() {
    let cases = ["ol2m", "gloc", "ecolog", "ts-ecolog"].into_iter().flat_map(|name| {
        [(1e-3, Some(1.0)), (300.0, Some(1.0)), (5.0, Some(0.3)), (5.0, Some(1e-9)), (5.0, Some(1e9))]
            .map(|c| (name, c))
    });
    for (name, (norm_bound, ridge)) in cases.chain([("glb-omd", (1e-3, None)), ("glb-omd", (1e6, None))]) {
        let options = ridge.map_or(json!({}), |ridge| json!({"ridge": ridge}));
        let mut policy = policy::build_with(name, &problem(norm_bound), &options).unwrap();
        let mut simulation = Simulation::new(D, norm_bound, 3);
        let arms = ArmSet::from(simulation.ball_arms(10));
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for round in 0..150 {
            let mut restored = policy::restore(&policy.save().unwrap()).unwrap();
            let mut copy = rng.clone();
            let choice = policy.choose(&arms, &mut rng).unwrap();
            assert_eq!(choice, restored.choose(&arms, &mut copy).unwrap(), "{name} {norm_bound} {ridge:?} {round}");
            let reward = simulation.reward(&choice.features);
            policy.observe(&choice.features, reward).unwrap();
            assert!(policy.estimate().iter().all(|v| v.is_finite()), "{name} {norm_bound} {ridge:?}");
        }
        let sure = policy.interval(&[0.6, 0.0, 0.8]).unwrap().interval;
        assert!(sure.log_odds_lower <= sure.log_odds_upper, "{name} {norm_bound} {ridge:?}: {sure:?}");
    }
}

/// After a million observations the inverse that is kept is the inverse of the matrix.
#[test]
fn a_million_rounds_leave_the_inverse_accurate() {
    let mut policy = policy::build("glb-omd", &problem(2.0)).unwrap();
    let mut simulation = Simulation::new(D, 1.5, 5);
    let arms = simulation.ball_arms(50);
    for i in 0..1_000_000 {
        let x = arms.arm(i * 7 % 50);
        let reward = simulation.reward(x);
        policy.observe(x, reward).unwrap();
    }
    let document: serde_json::Value = serde_json::from_str(&policy.save().unwrap()).unwrap();
    let read = |name: &str| {
        let numbers = document["state"]["rule"]["precision"][name].as_array().unwrap();
        let at = |i: usize, j: usize| numbers[i.max(j) * D + i.min(j)].as_f64().unwrap();
        (0..D).map(|i| (0..D).map(|j| at(i, j)).collect()).collect::<Matrix>()
    };
    let (matrix, inverse) = (read("matrix"), read("inverse"));
    for (i, row) in inverse.iter().enumerate() {
        let unit: Vec<f64> = (0..D).map(|j| f64::from(u8::from(i == j))).collect();
        let fresh = dense::solve(&matrix, &unit);
        let scale = fresh.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for (kept, exact) in row.iter().zip(&fresh) {
            assert!((kept - exact).abs() <= 1e-8 * scale, "{kept} {exact}");
        }
    }
}
