//! A running estimate that never looks back: the Laplace approximation, one observation at a time.
//!
//! **Idea.** Sequential radii need, before each reward, an estimate made from the rewards before it. A full fit each time
//! would cost a pass over the data; the recursion below costs O(d^2) and keeps what a Gaussian can keep. From the prior
//! N(0, I/lambda), with H the precision and theta the mean so far, `count` observations (x, r) give
//!
//! ```text
//! theta' = argmin ||theta' - theta||_H^2 / 2 + count l(x'theta', r)
//! H'     = H + count mu'(x'theta') x x'
//! ```
//!
//! The minimiser lies on the line theta + a H^{-1}x, so that its logit solves one monotone scalar equation.
//!
//! Whatever its quality as an approximation, the filter is a function of the past alone, and that is all that the
//! guarantee of a radius built on it asks for.

use serde::{Deserialize, Serialize};

use crate::error::{Result, check_vector};
use crate::linalg::{Cholesky, add_scaled, dot, multiply};
use crate::link;

/// A symmetric positive definite matrix that grows by rank-one terms, and its inverse.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Precision {
    /// Lower triangle, row-major.
    matrix: Vec<f64>,
    /// Lower triangle of the inverse.
    inverse: Vec<f64>,
    /// Rank-one changes of the inverse since it was last computed afresh.
    updates: usize,
}

/// A rank-one term that multiplies the determinant by more than this costs the inverse that many digits: it is then
/// computed afresh. A determinant cannot grow so fast often.
const LARGE_GROWTH: f64 = 1e3;

impl Precision {
    /// `scale` times the identity.
    pub(super) fn new(dimension: usize, scale: f64) -> Self {
        let diagonal = |value: f64| {
            let mut matrix = vec![0.0; dimension * dimension];
            matrix.iter_mut().step_by(dimension + 1).for_each(|v| *v = value);
            matrix
        };
        Self { matrix: diagonal(scale), inverse: diagonal(1.0 / scale), updates: 0 }
    }

    /// Writes A^{-1}x to `direction` and returns x'A^{-1}x.
    pub(super) fn solve(&self, x: &[f64], direction: &mut [f64]) -> f64 {
        multiply(&self.inverse, x, direction);
        dot(x, direction).max(0.0)
    }

    /// A += weight x x', given `direction` = A^{-1}x and `square` = x'A^{-1}x as [`Precision::solve`] finds them.
    pub(super) fn add(&mut self, weight: f64, x: &[f64], direction: &[f64], square: f64) {
        let d = x.len();
        let shrink = -weight / (1.0 + weight * square);
        for i in 0..d {
            add_scaled(&mut self.matrix[i * d..][..=i], weight * x[i], &x[..=i]);
            add_scaled(&mut self.inverse[i * d..][..=i], shrink * direction[i], &direction[..=i]);
        }
        self.updates += 1;
        // The formula of Sherman and Morrison adds its rounding errors up; starting afresh every so often forgets them
        // at a cost of O(d^2) an update.
        if self.updates >= 4 * d + 64 || weight * square > LARGE_GROWTH {
            self.invert(d);
        }
    }

    /// Computes the inverse from the matrix. One that is singular to working precision keeps the inverse it has.
    fn invert(&mut self, d: usize) {
        self.updates = 0;
        let mut cholesky = Cholesky::new(d);
        if cholesky.factor(&self.matrix, 0.0) {
            self.inverse = cholesky.inverse();
        }
    }

    /// Checks a deserialised matrix.
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        check_vector("matrix", &self.matrix, dimension * dimension)?;
        check_vector("inverse", &self.inverse, dimension * dimension)
    }
}

/// The running Gaussian approximation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LaplaceFilter {
    theta: Vec<f64>,
    precision: Precision,
    /// H^{-1}x for the arm last predicted.
    #[serde(skip)]
    direction: Vec<f64>,
}

/// What the past says about the logit of an arm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prediction {
    /// x'theta.
    pub(super) mean: f64,
    /// x'H^{-1}x.
    pub(super) variance: f64,
}

impl LaplaceFilter {
    /// The prior N(0, I/precision).
    pub(super) fn new(dimension: usize, precision: f64) -> Self {
        let vector = vec![0.0; dimension];
        Self { theta: vector.clone(), precision: Precision::new(dimension, precision), direction: vector }
    }

    /// The estimate.
    pub(super) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Mean and variance of the logit of `x`.
    pub(super) fn predict(&mut self, x: &[f64]) -> Prediction {
        self.direction.resize(x.len(), 0.0);
        let variance = self.precision.solve(x, &mut self.direction);
        Prediction { mean: dot(x, &self.theta), variance }
    }

    /// Takes in `count` observations of `x` with outcome `reward`; `prior` is what [`LaplaceFilter::predict`] just said
    /// about `x`.
    pub(super) fn learn(&mut self, x: &[f64], reward: f64, count: f64, prior: Prediction) {
        let logit = posterior_logit(prior, reward, count);
        if prior.variance > 0.0 {
            // The two ends of the step are known better than the gradient there, which for large counts cancels.
            add_scaled(&mut self.theta, (logit - prior.mean) / prior.variance, &self.direction);
        }
        self.precision.add(count * link::variance(logit), x, &self.direction, prior.variance);
    }

    /// Checks a deserialised filter.
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        check_vector("theta", &self.theta, dimension)?;
        self.precision.check(dimension)
    }
}

/// The loss of one observation at logit z.
pub(super) fn log_loss(z: f64, reward: f64) -> f64 {
    // Without cancellation for rewards of one.
    link::lane(z).log1p_exp + if z > 0.0 { (1.0 - reward) * z } else { -reward * z }
}

/// mu(z) - reward, without cancellation for a reward of one.
fn residual(z: f64, reward: f64) -> f64 {
    (1.0 - reward) * link::mean(z) - reward * link::mean(-z)
}

/// The minimiser of (z - mean)^2/(2 variance) + count l(z, reward).
///
/// It solves z - mean + variance count (mu(z) - reward) = 0, which is increasing in z. Newton's method inside a bracket:
/// the root lies on the side of the mean where the residual is smaller, and no further away than a step with the
/// residual at the mean, nor than the log-odds of the reward.
fn posterior_logit(prior: Prediction, reward: f64, count: f64) -> f64 {
    let Prediction { mean, variance } = prior;
    let gain = variance * count;
    let full_step = mean - gain * residual(mean, reward);
    let odds = link::log_odds(reward);
    let (mut low, mut high) =
        if full_step > mean { (mean, full_step.min(odds.max(mean))) } else { (full_step.max(odds.min(mean)), mean) };
    let mut z = mean;
    // Newton's method takes a handful of steps; a hundred halvings would exhaust the doubles.
    for _ in 0..100 {
        let value = z - mean + gain * residual(z, reward);
        if value > 0.0 {
            high = z
        } else {
            low = z
        }
        let newton = z - value / (1.0 + gain * link::variance(z));
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let done = (next - z).abs() <= 2.0 * f64::EPSILON * z.abs().max(next.abs());
        z = next;
        if done {
            break;
        }
    }
    z
}

/// Into which blocks `count` equal observations are split: each a sixteenth of those before it, and at least one.
///
/// Within a block the prediction stays what it was before the block, so that a count of 1e12 costs some four hundred
/// updates. That is still a prediction from the past alone: whether another equal outcome follows decides where a block
/// ends, never what was predicted in it.
pub(super) fn blocks(count: u64) -> impl Iterator<Item = f64> {
    let mut seen = 0;
    std::iter::from_fn(move || {
        let block = (seen / 16).max(1).min(count - seen);
        seen += block;
        (block > 0).then_some(block as f64)
    })
}
