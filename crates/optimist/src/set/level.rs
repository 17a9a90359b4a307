//! The convex set that all planning runs over: a level set of the log-loss inside a ball.
//!
//! With ridge = lambda_t and level = L_t(theta_hat_t) + beta_t(delta)^2 it is E_t(delta), the convex relaxation of Abeille,
//! Faury and Calauzenes 2021 (Section 6, Lemma 1).

use crate::history::History;
use crate::loss::{Evaluation, loss};
use crate::numerics::{Elementary, dot, norm};

/// { theta : L(theta) + (ridge/2)||theta||^2 <= level, ||theta|| <= norm_bound }, with a centre.
///
/// The centre is any point of the set well inside it, normally an estimate; planning starts from it. If the set is
/// empty the centre is the point of the ball with the least loss.
#[derive(Debug, Clone, Copy)]
pub struct LevelSet<'a> {
    pub(crate) history: &'a History,
    pub(crate) ridge: f64,
    pub(crate) level: f64,
    pub(crate) norm_bound: f64,
    pub(crate) centre: &'a [f64],
    pub(crate) at_centre: &'a Evaluation,
}

impl<'a> LevelSet<'a> {
    /// The set of the given level. `at_centre` must be the evaluation of `history` at `centre` (at least up to the
    /// Hessian), as an [`Estimator`](crate::fit::Estimator) leaves it; `norm_bound` may be infinite.
    pub fn new(
        history: &'a History,
        ridge: f64,
        level: f64,
        norm_bound: f64,
        centre: &'a [f64],
        at_centre: &'a Evaluation,
    ) -> Self {
        Self { history, ridge, level, norm_bound, centre, at_centre }
    }

    /// The data.
    pub fn history(&self) -> &'a History {
        self.history
    }

    /// Weight of ||theta||^2 / 2 in the loss.
    pub fn ridge(&self) -> f64 {
        self.ridge
    }

    /// The largest loss (ridge included) of a point of the set.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// The bound on ||theta||; infinite if there is none.
    pub fn norm_bound(&self) -> f64 {
        self.norm_bound
    }

    /// The centre.
    pub fn centre(&self) -> &'a [f64] {
        self.centre
    }

    /// Loss with ridge at `theta`: one pass over the data.
    pub fn loss(&self, theta: &[f64]) -> f64 {
        loss(self.history, theta) + 0.5 * self.ridge * dot(theta, theta)
    }

    /// Loss with ridge at the centre: no pass.
    pub fn centre_loss(&self) -> f64 {
        self.at_centre.loss + 0.5 * self.ridge * dot(self.centre, self.centre)
    }

    /// Whether `theta` belongs to the set.
    pub fn contains(&self, theta: &[f64]) -> bool {
        norm(theta) <= self.norm_bound && self.loss(theta) <= self.level
    }

    /// Whether the set is empty: then even its centre, the point of the ball with the least loss, lies above the level.
    /// A set that contains the true parameter with probability 1 - delta is empty with probability at most delta.
    pub fn is_empty(&self) -> bool {
        // The centre's loss is known to its rounding error only.
        self.centre_loss() > self.level + self.rounding()
    }

    /// Rounding error to be expected of a loss near the level.
    pub(crate) fn rounding(&self) -> f64 {
        16.0 * f64::EPSILON * (self.level.abs() + self.centre_loss().abs())
    }

    /// A bound on ||theta|| over the set: the declared one, or what the ridge implies because losses are not negative, or
    /// the quadratic of consolidated rows, for the same reason.
    pub(crate) fn reach(&self) -> f64 {
        let implied = if self.ridge > 0.0 { (2.0 * self.level.max(0.0) / self.ridge).sqrt() } else { f64::INFINITY };
        let consolidated = self.history.summary().map_or(f64::INFINITY, |summary| summary.reach(self.level));
        self.norm_bound.min(implied).min(self.reach_by_ridge()).min(consolidated)
    }

    /// From the strong convexity of the loss: at distance r from the centre, where the gradient is g, it has risen by
    /// ridge r^2/2 - ||g|| r at least.
    pub(crate) fn reach_by_ridge(&self) -> f64 {
        if !(self.ridge > 0.0) {
            return f64::INFINITY;
        }
        let gradient = self.at_centre.gradient.iter().zip(self.centre);
        let slope = gradient.map(|(g, c)| (g + self.ridge * c).square()).sum::<f64>();
        let room = self.room() + self.rounding();
        norm(self.centre) + (slope.sqrt() + (slope + 2.0 * self.ridge * room).sqrt()) / self.ridge
    }

    /// How far the centre lies below the level. Not negative: a set that is empty but for rounding has no room.
    pub(crate) fn room(&self) -> f64 {
        (self.level - self.centre_loss()).max(0.0)
    }

    /// Points on the boundary of a set in two dimensions, at equally spaced angles around the centre, for drawing.
    /// Where the set is unbounded the ray is cut at `horizon`.
    ///
    /// # Panics
    /// If the dimension is not two.
    pub fn boundary(&self, points: usize, horizon: f64) -> Vec<[f64; 2]> {
        assert!(self.centre.len() == 2, "boundary points are for two dimensions");
        let centre = [self.centre[0], self.centre[1]];
        super::cast_rays(centre, points, horizon, |theta| self.contains(theta))
    }
}
