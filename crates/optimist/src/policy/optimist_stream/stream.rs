//! The ellipsoid of the stream.

use serde::{Deserialize, Serialize};

use super::sane_norm_bound;
use crate::arms::FiniteArms;
use crate::consolidation::Beneath;
use crate::error::{Result, check_number, check_vector};
use crate::link;
use crate::numerics::{
    Elementary, Precision, add_scaled, dot, least_curvature, mixed_loss, norm, posterior_logit, trace,
};
use crate::policy::model::{CutEllipsoid, Widths};
use crate::policy::rule::Pick;
use crate::problem::Problem;

/// The doubt about W is at most this share of its least eigenvalue.
const DOUBT: f64 = 0.01;

/// Estimate, matrix and radius; see the documentation of the policy.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Stream {
    theta: Vec<f64>,
    precision: Precision,
    /// b^2. Negative only if the promise is broken.
    squared_radius: f64,
    /// What W may be too large by, since its sums are rounded: the norm of the difference is at most this.
    doubt: f64,
    /// None: there is no ball.
    norm_bound: Option<f64>,
    widths: Widths,
    #[serde(skip)]
    direction: Vec<f64>,
}

impl Stream {
    /// Starts from the ball of the norm bound.
    pub(super) fn new(problem: &Problem, ridge: Option<f64>) -> Self {
        let d = problem.dimension;
        // Whoever starts here has a norm bound.
        let square = problem.norm_bound.unwrap_or(1.0).square();
        let ridge = ridge.unwrap_or_else(|| problem.default_ridge());
        let squared_radius = ridge * square - 2.0 * problem.delta.logarithm();
        Self::of(problem, vec![0.0; d], Precision::new(d, ridge), squared_radius)
    }

    /// Goes on from a quadratic below the loss of the mixture set.
    pub(super) fn resume(problem: &Problem, beneath: Beneath) -> Self {
        let Beneath { centre, matrix, room, .. } = beneath;
        let precision = Precision::of(matrix, problem.dimension, f64::MIN_POSITIVE);
        Self::of(problem, centre, precision, 2.0 * room)
    }

    fn of(problem: &Problem, theta: Vec<f64>, precision: Precision, squared_radius: f64) -> Self {
        let direction = vec![0.0; theta.len()];
        let norm_bound = problem.norm_bound;
        Self { theta, precision, squared_radius, doubt: 0.0, norm_bound, widths: Widths::default(), direction }
    }

    pub(super) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The squared radius, with room for what W may be too large by: W less its doubt is at least (1 - share) W, and in that norm
    /// theta* is within b.
    fn widened(&self) -> f64 {
        let share = self.share_of(self.doubt);
        if self.squared_radius > 0.0 { self.squared_radius / (1.0 - share.min(0.5)) } else { self.squared_radius }
    }

    /// A doubt as a share of the least eigenvalue of W, or more.
    fn share_of(&self, doubt: f64) -> f64 {
        doubt * trace(self.precision.inverse(), self.theta.len())
    }

    fn radius(&self) -> f64 {
        self.widened().max(0.0).sqrt()
    }

    pub(super) fn set(&self) -> CutEllipsoid<'_> {
        let ellipsoid = self.precision.ellipsoid(&self.theta, self.radius());
        let norm_bound = self.norm_bound.unwrap_or(f64::INFINITY);
        CutEllipsoid { ellipsoid, squared_radius: self.widened(), norm_bound }
    }

    pub(super) fn pick(&mut self, arms: &FiniteArms) -> Pick {
        let ellipsoid = self.precision.ellipsoid(&self.theta, self.radius());
        let best = self.widths.best(ellipsoid, arms);
        self.set().pick(best, arms.arm(best.arm))
    }

    pub(super) fn learn(&mut self, x: &[f64], reward: f64) {
        self.direction.resize(x.len(), 0.0);
        let square = self.precision.solve(x, &mut self.direction);
        let mean = dot(x, &self.theta);
        if square == 0.0 {
            // A zero arm says nothing: the forecast is certain and the step is nil.
            return;
        }
        let logit = posterior_logit(mean, square, reward, 1.0);
        let curvature = 2.0 * self.least_curvature(x, logit);
        let forecast = mixed_loss(mean, square.sqrt(), reward, 1.0);
        let step = (logit - mean) / square;
        self.squared_radius += 2.0 * (forecast - link::log_loss(logit, reward)) - step * step * square;
        add_scaled(&mut self.theta, step, &self.direction);
        self.grow(curvature, x, square);
    }

    /// W += curvature x x', of which each entry is rounded: by half a unit in the last place of sqrt(W_ii W_jj) at most, in all by less
    /// than two units of the trace. Where many long arms have nearly one direction this adds up to more than is known across
    /// them. W may always be smaller. So doubt that has grown is taken off, and a term that would bring too much of it is left out.
    fn grow(&mut self, curvature: f64, x: &[f64], mut square: f64) {
        let rounding = 2.0 * f64::EPSILON * (trace(self.precision.matrix(), x.len()) + curvature * dot(x, x));
        if self.share_of(rounding) > 0.1 * DOUBT {
            return;
        }
        if self.share_of(self.doubt + rounding) > DOUBT {
            let mut matrix = self.precision.matrix().to_vec();
            matrix.iter_mut().step_by(x.len() + 1).for_each(|v| *v -= self.doubt);
            self.precision = Precision::of(matrix, x.len(), f64::MIN_POSITIVE);
            self.widths = Widths::default();
            // Of the subtraction itself.
            self.doubt = rounding;
            square = self.precision.solve(x, &mut self.direction);
        }
        self.doubt += rounding;
        self.widths.add(&mut self.precision, curvature, x, &self.direction, square);
    }

    /// The least curvature quotient at `logit` over the log-odds that the set allows x.
    fn least_curvature(&self, x: &[f64], logit: f64) -> f64 {
        let (low, high) = self.set().bounds(x);
        if low <= high {
            return least_curvature(logit, low, high);
        }
        // The promise is broken; what is learnt from now on is sound given the ball alone, if there is one.
        self.norm_bound.map_or(0.0, |bound| least_curvature(logit, -bound * norm(x), bound * norm(x)))
    }

    pub(super) fn check(&self, problem: &Problem) -> Result<()> {
        check_vector("theta", &self.theta, problem.dimension)?;
        check_number("squared_radius", self.squared_radius, true, "a number")?;
        check_number("doubt", self.doubt, self.doubt >= 0.0, "zero or positive")?;
        if problem.norm_bound.is_some() {
            sane_norm_bound(problem, super::INFO.name)?;
        }
        let same = self.norm_bound == problem.norm_bound;
        check_number("norm_bound", self.norm_bound.unwrap_or(0.0), same, "that of the problem")?;
        self.precision.check(problem.dimension)?;
        self.widths.check(problem.dimension)
    }
}
