//! `ecolog` and `ts-ecolog`.

use optimist::set::EnclosingEllipsoid;
use optimist::{ArmSet, Belief, policy};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde_json::json;

use super::dense::{
    Matrix, add_outer, bisect, cholesky, curvature, hermite, identity, inner, inverse_form, loss, mu, solve,
    solve_transposed,
};
use super::{D, DELTA, Slow, compare, compare_on_sphere, problem};
use crate::simulation::Simulation;

/// `ecolog`.
struct Ecolog {
    bound: f64,
    ridge: f64,
    published: bool,
    theta: Vec<f64>,
    w: Matrix,
    squared: f64,
    observations: f64,
    failures: usize,
    log: Belief,
    ellipsoid: Option<EnclosingEllipsoid>,
    rule: Vec<(f64, f64)>,
}

impl Ecolog {
    fn new(bound: f64, ridge: f64, published: bool) -> Self {
        let confidence = (2.0 + 2.0 * bound) * (2.0 / DELTA).ln();
        Self {
            bound,
            ridge,
            published,
            theta: vec![0.0; D],
            w: identity(D, ridge),
            squared: if published { 0.0 } else { ridge * bound * bound + confidence },
            observations: 0.0,
            failures: 0,
            log: Belief::new(D, Some(bound), DELTA / 2.0).unwrap(),
            ellipsoid: None,
            rule: hermite(),
        }
    }

    fn slab(&self, x: &[f64]) -> (f64, f64) {
        let reach = self.bound * inner(x, x).sqrt();
        let (low, high) = self.outer(x);
        let (low, high) = (low.max(-reach), high.min(reach));
        if self.published {
            return (low, high);
        }
        let width = (self.squared * inverse_form(&self.w, x)).sqrt();
        let mean = inner(x, &self.theta);
        (low.max(mean - width), high.min(mean + width))
    }
}

impl Slow for Ecolog {
    fn learn(&mut self, x: &[f64], r: f64) {
        self.observations += 1.0;
        let (low, high) = self.slab(x);
        assert!(low <= high);
        let c = 2.0 + high - low;
        let (z, q) = (inner(x, &self.theta), inverse_form(&self.w, x));
        // The derivative of (u - z)^2/(c q) + the losses, cut to the slab.
        let step = |rewards: &[f64]| {
            let slope = |u: f64| 2.0 * (u - z) / (c * q) + rewards.iter().map(|r| mu(u) - r).sum::<f64>();
            bisect(-100.0, 100.0, slope).max(low).min(high)
        };
        let middle = step(&[0.0, 1.0]);
        if curvature(middle) > 2.0 * curvature(step(&[0.0])).min(curvature(step(&[1.0]))) {
            self.failures += 1;
            self.log.observe(x, r).unwrap();
            let guarantee = self.log.guarantee();
            self.ellipsoid = Some(EnclosingEllipsoid::around(&self.log.set(), &guarantee).unwrap());
            return;
        }
        let u = step(&[r]);
        self.squared += if self.published {
            2.0 * (1.0 + self.bound) * (loss(middle, r) - loss(u, r)) - 0.5 * (u - middle).abs() / q.sqrt()
        } else {
            let deviation = (c / 2.0 * q).sqrt();
            let mixed: f64 = self.rule.iter().map(|(at, p)| p * (-loss(z + deviation * at, r)).exp()).sum();
            c * (-mixed.ln() - loss(u, r)) - (u - z).powi(2) / q
        };
        let direction = solve(&self.w, x);
        self.theta.iter_mut().zip(direction).for_each(|(t, v)| *t += (u - z) / q * v);
        add_outer(&mut self.w, curvature(u), x);
    }

    fn centre(&self) -> Vec<f64> {
        self.theta.clone()
    }

    fn matrix(&self) -> Matrix {
        self.w.clone()
    }

    fn squared_radius(&self) -> f64 {
        if !self.published {
            return self.squared;
        }
        let (s, t, ridge) = (self.bound, self.observations + 1.0, self.ridge);
        let log = (2.0 * (1.0 + t / (4.0 * ridge)).sqrt() / DELTA).ln();
        let gamma = 0.5 * ridge.sqrt() + 2.0 * log / ridge.sqrt();
        2.0 * ridge * s * s + (1.0 + s).powi(2) * gamma + self.squared
    }

    fn outer(&self, x: &[f64]) -> (f64, f64) {
        let Some(set) = &self.ellipsoid else { return (f64::NEG_INFINITY, f64::INFINITY) };
        let opposite: Vec<f64> = x.iter().map(|v| -v).collect();
        (-set.view().support(&opposite), set.view().support(x))
    }

    fn holds(&self, theta: &[f64]) -> bool {
        self.ellipsoid.as_ref().is_none_or(|set| set.view().contains(theta))
    }
}

#[test]
fn ecolog_does_what_it_says() {
    let (mut failures, mut steps) = (0, 0);
    for (seed, bound, ridge) in [(1, 0.5, 1.0), (2, 2.0, 1.0), (3, 4.0, 1.0), (4, 5.0, 6.0), (5, 5.0, 0.3)] {
        let mut slow = Ecolog::new(bound, ridge, false);
        compare("ecolog", json!({"ridge": ridge}), &mut slow, bound, seed);
        println!("S = {bound}: {} rounds of 200 without a step, radius {}", slow.failures, slow.squared.sqrt());
        failures += slow.failures;
        steps += 200 - slow.failures;
        let options = json!({"ridge": ridge, "constants": "published"});
        let mut slow = Ecolog::new(bound, ridge, true);
        compare("ecolog", options, &mut slow, bound, seed);
        println!("published: {} rounds without a step, radius {}", slow.failures, slow.squared_radius().sqrt());
    }
    assert!(failures > 10 && steps > 10, "both branches must be met: {failures} and {steps}");
}

#[test]
fn ecolog_plays_the_best_direction_of_the_sphere() {
    compare_on_sphere("ecolog", &mut Ecolog::new(3.0, 4.0, false), 3.0, 7);
}

/// The draw is made again from the same random numbers.
#[test]
fn ts_ecolog_does_what_it_says() {
    for (bound, scale, ridge) in [(2.0, 1.0, 1.0), (5.0, 0.2, 0.3)] {
        let mut policy =
            policy::build_with("ts-ecolog", &problem(bound), json!({"scale": scale, "ridge": ridge})).unwrap();
        let mut slow = Ecolog::new(bound, ridge, false);
        let mut simulation = Simulation::new(D, 0.8 * bound, 9);
        let list = simulation.ball_arms(15);
        let arms = ArmSet::from(list.clone());
        let mut rng = ChaCha8Rng::seed_from_u64(10);
        for round in 0..200 {
            let mut copy = rng.clone();
            let normal: Vec<f64> = (0..D).map(|_| copy.sample(StandardNormal)).collect();
            let offset = solve_transposed(&cholesky(&slow.w), &normal);
            let radius = scale * slow.squared_radius().sqrt();
            let draw: Vec<f64> = slow.theta.iter().zip(offset).map(|(t, v)| t + radius * v).collect();
            let x = policy.choose(&arms, &mut rng).unwrap().features.to_vec();
            let best = list.iter().map(|x| inner(x, &draw)).fold(f64::NEG_INFINITY, f64::max);
            assert!(inner(&x, &draw) >= best - 1e-7, "round {round}");
            for (a, b) in policy.estimate().iter().zip(&slow.theta) {
                assert!((a - b).abs() < 1e-8, "round {round}: {a} and {b}");
            }
            let reward = simulation.reward(&x);
            policy.observe(&x, reward).unwrap();
            slow.learn(&x, reward);
        }
    }
}
