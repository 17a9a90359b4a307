//! The confidence sets: levels against their formulas and against numerical integration, the lemmas they rest on, and
//! what every registered radius must do.

mod bernstein;
mod ellipsoid;
mod formulas;
mod integrals;
mod local_mixture;
mod registry;
mod sequential;

use optimist::Problem;
use optimist::loss::{Evaluation, Order, evaluate};
use optimist::plan::{SupportSolver, Target};
use optimist::set::{EnclosingEllipsoid, Excess, LevelSet, Radius};
use optimist::{Belief, Estimator, History, Penalty, link};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const DELTA: f64 = 0.05;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn options(dimension: usize, norm_bound: Option<f64>) -> Problem {
    Problem { dimension, delta: DELTA, norm_bound }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn gaussian(rng: &mut ChaCha8Rng, d: usize) -> Vec<f64> {
    (0..d).map(|_| StandardNormal.sample(rng)).collect()
}

/// A point of the ball, uniformly distributed.
fn in_ball(rng: &mut ChaCha8Rng, d: usize, radius: f64) -> Vec<f64> {
    let direction = gaussian(rng, d);
    let r = radius * rng.random_range(0.0_f64..1.0).powf(1.0 / d as f64);
    direction.iter().map(|v| v * r / norm(&direction)).collect()
}

/// Arms played, with their rewards, one by one.
#[derive(Clone)]
struct Data {
    d: usize,
    rows: Vec<(Vec<f64>, f64)>,
}

impl Data {
    /// `n` plays among `arms` random arms of the unit ball, with a true parameter of norm `scale`.
    fn random(rng: &mut ChaCha8Rng, d: usize, arms: usize, n: usize, scale: f64) -> Self {
        let arms: Vec<Vec<f64>> = (0..arms).map(|_| in_ball(rng, d, 1.0)).collect();
        let direction = gaussian(rng, d);
        let theta: Vec<f64> = direction.iter().map(|v| scale * v / norm(&direction)).collect();
        let rows = (0..n).map(|_| {
            let x = arms[rng.random_range(0..arms.len())].clone();
            let reward = f64::from(rng.random_bool(link::mean(dot(&x, &theta))));
            (x, reward)
        });
        Self { d, rows: rows.collect() }
    }

    fn n(&self) -> f64 {
        self.rows.len() as f64
    }

    fn history(&self) -> History {
        let mut history = History::new(self.d).unwrap();
        for (x, reward) in &self.rows {
            history.observe(x, *reward).unwrap();
        }
        history
    }

    fn belief(&self, radius: Radius) -> Belief {
        let mut belief = Belief::with_radius(radius).unwrap();
        for (x, reward) in &self.rows {
            belief.observe(x, *reward).unwrap();
        }
        belief
    }

    /// Level, and the estimate behind it, of a radius by its name.
    fn level(&self, name: &str, norm_bound: Option<f64>) -> (f64, Vec<f64>) {
        let radius = Radius::by_name(name, &options(self.d, norm_bound)).unwrap();
        let mut belief = self.belief(radius);
        let level = belief.set().level();
        (level, belief.estimate().to_vec())
    }

    /// L + (ridge/2)||theta||^2, term by term.
    fn loss(&self, theta: &[f64], ridge: f64) -> f64 {
        let terms = self.rows.iter().map(|(x, r)| (dot(x, theta).exp()).ln_1p() - r * dot(x, theta));
        terms.sum::<f64>() + 0.5 * ridge * dot(theta, theta)
    }

    /// sum_s weight(x_s) x_s x_s' + shift I.
    fn matrix(&self, shift: f64, weight: impl Fn(&[f64]) -> f64) -> Matrix {
        let mut matrix = Matrix::identity(self.d, shift);
        for (x, _) in &self.rows {
            matrix.add(weight(x), x);
        }
        matrix
    }

    fn hessian(&self, theta: &[f64], ridge: f64) -> Matrix {
        self.matrix(ridge, |x| link::variance(dot(x, theta)))
    }

    fn gradient(&self, theta: &[f64], ridge: f64) -> Vec<f64> {
        let mut gradient: Vec<f64> = theta.iter().map(|t| ridge * t).collect();
        for (x, r) in &self.rows {
            let residual = link::mean(dot(x, theta)) - r;
            gradient.iter_mut().zip(x).for_each(|(g, xi)| *g += residual * xi);
        }
        gradient
    }

    fn minimiser(&self, penalty: Penalty) -> Vec<f64> {
        let mut estimator = Estimator::new(self.d);
        assert!(estimator.fit(&self.history(), penalty).unwrap().is_converged());
        estimator.theta().to_vec()
    }
}

/// A full symmetric matrix, with Gauss elimination: slow and independent of the library's own.
#[derive(Clone)]
struct Matrix {
    d: usize,
    rows: Vec<Vec<f64>>,
}

impl Matrix {
    fn identity(d: usize, scale: f64) -> Self {
        let rows = (0..d).map(|i| (0..d).map(|j| if i == j { scale } else { 0.0 }).collect()).collect();
        Self { d, rows }
    }

    fn add(&mut self, weight: f64, x: &[f64]) {
        for (row, xi) in self.rows.iter_mut().zip(x) {
            row.iter_mut().zip(x).for_each(|(entry, xj)| *entry += weight * xi * xj);
        }
    }

    fn form(&self, x: &[f64]) -> f64 {
        self.rows.iter().zip(x).map(|(row, xi)| xi * dot(row, x)).sum()
    }

    /// Logarithm of the determinant, and A^{-1}b.
    fn eliminate(&self, b: &[f64]) -> (f64, Vec<f64>) {
        let (mut a, mut b, mut log_det) = (self.rows.clone(), b.to_vec(), 0.0);
        for i in 0..self.d {
            let pivot = a[i].clone();
            log_det += pivot[i].ln();
            for j in 0..self.d {
                if j != i {
                    let factor = a[j][i] / pivot[i];
                    a[j].iter_mut().zip(&pivot).for_each(|(entry, p)| *entry -= factor * p);
                    b[j] -= factor * b[i];
                }
            }
        }
        let solution = (0..self.d).map(|i| b[i] / a[i][i]).collect();
        (log_det, solution)
    }

    fn log_det(&self) -> f64 {
        self.eliminate(&vec![0.0; self.d]).0
    }

    fn inverse_form(&self, x: &[f64]) -> f64 {
        dot(x, &self.eliminate(x).1)
    }
}

#[track_caller]
fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0), "{a} and {b} differ");
}
