//! A local maximiser of x'theta over the set of small Newton decrements, which is not convex.
//!
//! Every step maximises x'y over the ball and the second-order model of half the squared decrement f, with f's own
//! second derivative where that is positive definite and the Hessian of the loss (its value where f vanishes)
//! otherwise; the result is pulled back towards a point of the set until it belongs to it. With u = H^{-1}G, T = sum n
//! mu'' (x'u) xx' and P = sum n mu''' (x'u)^2 xx',
//!
//! ```text
//! f''/2 = H - T - P/2 + T H^{-1} T.
//! ```

use crate::fit::Penalty;
use crate::numerics::{Cholesky, dot, norm};
use crate::plan::support::level_model::{LevelModel, Local, Step};
use crate::set::{DecrementSet, Minorant};

/// Steps of one climb; five are typical.
const STEP_LIMIT: usize = 60;
/// Halvings of a step that gains nothing.
const HALVING_LIMIT: usize = 8;

/// Climbs in memory of its own.
#[derive(Debug, Clone)]
pub(super) struct Ascent {
    /// Relative accuracy of a climb.
    precision: f64,
    minorant: Minorant,
    model: LevelModel,
    cholesky: Cholesky,
    second: Vec<f64>,
    skew: Vec<f64>,
    kurtosis: Vec<f64>,
    theta: Vec<f64>,
    target: Vec<f64>,
    trial: Vec<f64>,
    pulled: Vec<f64>,
    column: Vec<f64>,
}

impl Ascent {
    pub(super) fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        let matrix = vec![0.0; dimension * dimension];
        Self {
            precision: 1e-12,
            minorant: Minorant::new(dimension),
            model: LevelModel::new(dimension),
            cholesky: Cholesky::new(dimension),
            second: matrix.clone(),
            skew: matrix.clone(),
            kurtosis: matrix,
            theta: vector.clone(),
            target: vector.clone(),
            trial: vector.clone(),
            pulled: vector.clone(),
            column: vector,
        }
    }

    /// Climbs far enough for a gap of `tolerance`: what is lost must not be felt there.
    pub(super) fn set_precision(&mut self, tolerance: f64) {
        self.precision = (1e-4 * tolerance).max(1e-12);
    }

    /// The point where the last climb ended.
    pub(super) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Climbs from `start`, pulled towards `inner`, which must belong to the set. Returns x'theta at the end, which
    /// belongs to the set.
    pub(super) fn climb(&mut self, set: &DecrementSet<'_>, x: &[f64], inner: &[f64], start: &[f64]) -> f64 {
        self.trial.copy_from_slice(start);
        self.pull(set, inner);
        self.theta.copy_from_slice(&self.pulled);
        let mut value = dot(x, &self.theta);
        // Without a direction every point will do.
        let steps = if norm(x) > 0.0 { STEP_LIMIT } else { 0 };
        for _ in 0..steps {
            if !self.propose(set, x) {
                break;
            }
            let Some(next) = self.advance(set, x, inner, value) else { break };
            let gain = next - value;
            value = next;
            if gain <= self.precision * (value.abs() + norm(x)) {
                break;
            }
        }
        value
    }

    /// The maximiser of the model into `target`; false if the model has none.
    fn propose(&mut self, set: &DecrementSet<'_>, x: &[f64]) -> bool {
        let squared = self.minorant.squared_decrement(set, &self.theta);
        self.minorant.differentiate(set, &self.theta, &mut self.skew, &mut self.kurtosis);
        self.second_derivative();
        let convex = self.cholesky.factor(&self.second, set.ridge);
        // The gradient of f/2.
        self.minorant.slope.iter_mut().for_each(|v| *v *= 0.5);
        let limit = set.gamma * set.gamma;
        let local = Local {
            hessian: if convex { &self.second } else { &self.minorant.at.hessian },
            penalty: Penalty { ridge: set.ridge, norm_bound: set.norm_bound },
            theta: &self.theta,
            gradient: &self.minorant.slope,
            slack: 0.5 * (limit - squared),
            rounding: 1e-15 * limit,
            direction: x,
        };
        match self.model.solve(&local, None) {
            Step::Infeasible => return false,
            Step::Corner => {
                let scale = set.norm_bound / norm(x);
                self.target.iter_mut().zip(x).for_each(|(t, xi)| *t = scale * xi);
            }
            Step::Level { .. } => {
                for (t, (theta, step)) in self.target.iter_mut().zip(self.theta.iter().zip(&self.model.step)) {
                    *t = theta + step;
                }
            }
        }
        true
    }

    /// f''/2 without the ridge, which enters H alone.
    fn second_derivative(&mut self) {
        let d = self.theta.len();
        for i in 0..d {
            for j in 0..=i {
                let k = i * d + j;
                self.second[k] = self.minorant.at.hessian[k] - self.skew[k] - 0.5 * self.kurtosis[k];
            }
        }
        for j in 0..d {
            for i in 0..d {
                self.column[i] = symmetric(&self.skew, d, i, j);
            }
            self.minorant.cholesky.solve(&mut self.column);
            for i in j..d {
                let product: f64 = (0..d).map(|k| symmetric(&self.skew, d, i, k) * self.column[k]).sum();
                self.second[i * d + j] += product;
            }
        }
    }

    /// Moves towards `target` as far as that gains, and returns the new value; none if it does not.
    fn advance(&mut self, set: &DecrementSet<'_>, x: &[f64], inner: &[f64], value: f64) -> Option<f64> {
        let mut length = 1.0;
        for _ in 0..HALVING_LIMIT {
            for (t, (theta, target)) in self.trial.iter_mut().zip(self.theta.iter().zip(&self.target)) {
                *t = theta + length * (target - theta);
            }
            self.pull(set, inner);
            let next = dot(x, &self.pulled);
            if next > value {
                self.theta.copy_from_slice(&self.pulled);
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }

    /// The point of the segment from `inner` to `trial` (first brought into the ball) where the decrement reaches
    /// gamma, found by a bracketed secant, into `pulled`; `trial` itself if it belongs to the set.
    fn pull(&mut self, set: &DecrementSet<'_>, inner: &[f64]) {
        enter_ball(&mut self.trial, set.norm_bound);
        let (mut low, mut high) = (0.0, 1.0);
        let (mut at_low, mut at_high) = (self.excess(set, inner, 0.0), self.excess(set, inner, 1.0));
        if at_high <= 0.0 {
            return;
        }
        for turn in 0..60 {
            if high - low <= 1e-13 || at_low >= -self.precision * set.gamma {
                break;
            }
            let secant = low - at_low * (high - low) / (at_high - at_low);
            // Every third turn halves, because a secant may leave one end where it is.
            let s = if turn % 3 == 2 { 0.5 * (low + high) } else { secant.clamp(low, high) };
            let at = self.excess(set, inner, s);
            if at <= 0.0 { (low, at_low) = (s, at) } else { (high, at_high) = (s, at) }
        }
        self.mix(set, inner, low);
    }

    /// Decrement minus gamma at a fraction of the way from `inner` to `trial`; the point is left in `pulled`.
    fn excess(&mut self, set: &DecrementSet<'_>, inner: &[f64], fraction: f64) -> f64 {
        self.mix(set, inner, fraction);
        self.minorant.squared_decrement(set, &self.pulled).sqrt() - set.gamma
    }

    fn mix(&mut self, set: &DecrementSet<'_>, inner: &[f64], fraction: f64) {
        for (p, (i, t)) in self.pulled.iter_mut().zip(inner.iter().zip(&self.trial)) {
            *p = if fraction == 1.0 { *t } else { i + fraction * (t - i) };
        }
        enter_ball(&mut self.pulled, set.norm_bound);
    }
}

/// Brings a point into the ball, and so far that rounding does not take it out again.
fn enter_ball(theta: &mut [f64], norm_bound: f64) {
    let length = norm(theta);
    if length > norm_bound {
        theta.iter_mut().for_each(|v| *v *= (1.0 - 4.0 * f64::EPSILON) * norm_bound / length);
    }
}

/// An entry of a symmetric matrix of which the lower triangle is stored.
fn symmetric(a: &[f64], d: usize, i: usize, j: usize) -> f64 {
    if i >= j { a[i * d + j] } else { a[j * d + i] }
}
