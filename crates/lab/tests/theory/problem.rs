//! Random logistic problems of one to six features: arms in the unit ball, many of them equal or almost collinear, and
//! two parameters in the ball of radius S, often on its sphere and opposite to each other.

use optimist::link::{mean, softplus, variance};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::matrix::{Matrix, add_outer, dot, minus, norm, scaled_identity, solve};
use super::quadrature::along;

/// The same cases on every run and machine.
pub(super) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(0x2021_0130),
        ..ProptestConfig::default()
    }
}

/// A history with its ridge, and two parameters.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) norm_bound: f64,
    pub(super) ridge: f64,
    pub(super) arms: Vec<Vec<f64>>,
    pub(super) rewards: Vec<f64>,
    pub(super) first: Vec<f64>,
    pub(super) second: Vec<f64>,
}

pub(super) fn problems() -> impl Strategy<Value = Problem> {
    (1..=6_usize, 0.5..8.0, prop_oneof![0.01..1.0, 1.0..30.0], 0..60_usize, any::<u64>())
        .prop_map(|(d, norm_bound, ridge, count, seed)| draw(d, norm_bound, ridge, count, seed))
}

pub(super) fn direction(rng: &mut ChaCha8Rng, d: usize) -> Vec<f64> {
    loop {
        let x: Vec<f64> = (0..d).map(|_| rng.random_range(-1.0..1.0)).collect();
        let length = norm(&x);
        if length > 0.1 && length <= 1.0 {
            return x.iter().map(|v| v / length).collect();
        }
    }
}

pub(super) fn arm(rng: &mut ChaCha8Rng, earlier: &[Vec<f64>], d: usize) -> Vec<f64> {
    let fresh = direction(rng, d);
    let previous = earlier.last().filter(|x| norm(x) > 0.1);
    match (rng.random_range(0..6), previous) {
        (0 | 1, Some(previous)) => previous.clone(),
        (2, Some(previous)) => {
            let moved: Vec<f64> = previous.iter().zip(&fresh).map(|(p, f)| p + 1e-6 * f).collect();
            let length = norm(&moved);
            moved.iter().map(|v| v / length).collect()
        }
        (3, _) => {
            let length: f64 = rng.random_range(0.0..1.0);
            fresh.iter().map(|v| v * length).collect()
        }
        _ => fresh,
    }
}

fn parameter(rng: &mut ChaCha8Rng, d: usize, norm_bound: f64) -> Vec<f64> {
    let length = norm_bound * if rng.random_bool(0.5) { 1.0 } else { rng.random_range(0.0..1.0) };
    direction(rng, d).iter().map(|v| v * length).collect()
}

fn draw(d: usize, norm_bound: f64, ridge: f64, count: usize, seed: u64) -> Problem {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let first = parameter(&mut rng, d, norm_bound);
    let second = match rng.random_range(0..4) {
        0 => first.iter().map(|v| -v).collect(),
        1 => first.iter().map(|v| 0.999 * v).collect(),
        _ => parameter(&mut rng, d, norm_bound),
    };
    let mut arms: Vec<Vec<f64>> = Vec::new();
    for _ in 0..count {
        // One arm in four points along the parameter, where the mean rewards differ most.
        let along = rng.random_bool(0.25) && norm(&first) > 0.1;
        let next = if along { first.iter().map(|v| v / norm(&first)).collect() } else { arm(&mut rng, &arms, d) };
        arms.push(next);
    }
    let rewards = arms.iter().map(|x| f64::from(rng.random_bool(mean(dot(x, &second))))).collect();
    Problem { norm_bound, ridge, arms, rewards, first, second }
}

impl Problem {
    pub(super) fn dimension(&self) -> usize {
        self.first.len()
    }

    /// L(theta), with half the ridge times the squared norm.
    pub(super) fn loss(&self, theta: &[f64]) -> f64 {
        let data = self.arms.iter().zip(&self.rewards).map(|(x, r)| softplus(dot(x, theta)) - r * dot(x, theta));
        data.sum::<f64>() + 0.5 * self.ridge * dot(theta, theta)
    }

    /// g(theta): the gradient of L without the rewards.
    pub(super) fn g(&self, theta: &[f64]) -> Vec<f64> {
        let mut sum: Vec<f64> = theta.iter().map(|v| self.ridge * v).collect();
        for x in &self.arms {
            let mean = mean(dot(x, theta));
            sum.iter_mut().zip(x).for_each(|(s, x)| *s += mean * x);
        }
        sum
    }

    pub(super) fn gradient(&self, theta: &[f64]) -> Vec<f64> {
        let mut sum = self.g(theta);
        for (x, r) in self.arms.iter().zip(&self.rewards) {
            sum.iter_mut().zip(x).for_each(|(s, x)| *s -= r * x);
        }
        sum
    }

    /// The sum of weight(x) x x', and c times the ridge on the diagonal.
    pub(super) fn weighted(&self, c: f64, weight: impl Fn(&[f64]) -> f64) -> Matrix {
        let mut sum = scaled_identity(self.dimension(), c * self.ridge);
        for x in &self.arms {
            add_outer(&mut sum, weight(x), x);
        }
        sum
    }

    /// H(theta).
    pub(super) fn hessian(&self, theta: &[f64]) -> Matrix {
        self.weighted(1.0, |x| variance(dot(x, theta)))
    }

    /// G(a, b), which is symmetric in a and b.
    pub(super) fn mean_hessian(&self, a: &[f64], b: &[f64]) -> Matrix {
        self.weighted(1.0, |x| alpha(dot(x, a), dot(x, b)))
    }

    /// The remainder of Taylor's expansion at a, with c times the ridge: 1/2 where it is exact, 1 as it is printed.
    pub(super) fn taylor_hessian(&self, a: &[f64], b: &[f64], c: f64) -> Matrix {
        self.weighted(c, |x| along(dot(x, a), dot(x, b), |v, z| (1.0 - v) * variance(z)))
    }

    /// The squared Newton decrement, ||grad L(theta)||^2 in the metric of H(theta)^{-1}.
    pub(super) fn squared_decrement(&self, theta: &[f64]) -> f64 {
        super::matrix::inverse_square(&self.hessian(theta), &self.gradient(theta))
    }

    /// The minimiser of L: Newton's steps, halved until the loss falls.
    pub(super) fn minimiser(&self) -> Vec<f64> {
        let mut theta = vec![0.0; self.dimension()];
        for _ in 0..200 {
            let gradient = self.gradient(&theta);
            if norm(&gradient) < 1e-11 * (1.0 + self.arms.len() as f64) {
                return theta;
            }
            let step = solve(&self.hessian(&theta), &gradient);
            let mut scale = 1.0;
            let slack = 1e-14 * (1.0 + self.loss(&theta));
            let next = loop {
                let next = minus(&theta, &step.iter().map(|v| scale * v).collect::<Vec<_>>());
                if self.loss(&next) <= self.loss(&theta) + slack || scale < 1e-9 {
                    break next;
                }
                scale *= 0.5;
            };
            theta = next;
        }
        panic!("no minimiser of {self:?}");
    }
}

/// The mean of mu' between z1 and z2.
pub(super) fn alpha(z1: f64, z2: f64) -> f64 {
    along(z1, z2, |_, z| variance(z))
}

proptest! {
    #![proptest_config(config(100))]

    /// The derivatives that all other tests build upon, against differences; and the minimiser.
    #[test]
    fn gradient_and_hessian_are_derivatives(problem in problems()) {
        let step = 1e-5;
        let (gradient, hessian) = (problem.gradient(&problem.first), problem.hessian(&problem.first));
        for i in 0..problem.dimension() {
            let at = |h: f64| -> Vec<f64> {
                problem.first.iter().enumerate().map(|(j, v)| if j == i { v + h } else { *v }).collect()
            };
            let slope = (problem.loss(&at(step)) - problem.loss(&at(-step))) / (2.0 * step);
            prop_assert!((slope - gradient[i]).abs() < 1e-7 * (1.0 + problem.loss(&problem.first)));
            let (up, down) = (problem.gradient(&at(step)), problem.gradient(&at(-step)));
            for j in 0..problem.dimension() {
                prop_assert!(((up[j] - down[j]) / (2.0 * step) - hessian[i][j]).abs() < 1e-7);
            }
        }
        prop_assert!(norm(&problem.gradient(&problem.minimiser())) < 1e-9);
    }
}
