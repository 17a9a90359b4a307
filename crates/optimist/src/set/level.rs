//! The convex set that all planning runs over: a level set of the log-loss inside a ball.
//!
//! With ridge = lambda_t and level = L_t(theta_hat_t) + beta_t(delta)^2 it is E_t(delta), the convex relaxation of Abeille,
//! Faury and Calauzenes 2021 (Section 6, Lemma 1).

use crate::history::History;
use crate::link::{growth, least_growth};
use crate::loss::{Evaluation, loss, loss_up_to};
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

    /// [`LevelSet::loss`] if that is at most `limit`; otherwise some number above the limit, mostly without a whole pass.
    pub(crate) fn loss_up_to(&self, theta: &[f64], limit: f64) -> f64 {
        let penalty = 0.5 * self.ridge * dot(theta, theta);
        loss_up_to(self.history, theta, limit - penalty) + penalty
    }

    /// What the loss at the centre and its derivatives there say of the loss at `theta`, without a pass: whether that is below the
    /// level (true) or above it (false); none if only a pass can tell, so that the answer is the same as by a pass.
    ///
    /// With y = theta - centre, where every log-odds changes by u at most, self-concordance has L(theta) between
    /// L(centre) + g'y + a y'Hy for a = (e^-u + u - 1)/u^2 and a = (e^u - u - 1)/u^2.
    pub(crate) fn is_surely_below(&self, theta: &[f64]) -> Option<bool> {
        let d = self.centre.len();
        // It costs d^2, a pass as much for every d rows.
        if self.history.summary().is_some() || self.history.rows() < d || theta.len() != d {
            return None;
        }
        let step = |i: usize| theta[i] - self.centre[i];
        let (mut squared, mut slope, mut curvature) = (0.0, 0.0, 0.0);
        for i in 0..d {
            let y = step(i);
            let row = &self.at_centre.hessian[i * d..][..=i];
            let before: f64 = (0..i).map(|j| row[j] * step(j)).sum();
            squared += y * y;
            slope += self.at_centre.gradient[i] * y;
            curvature += y * (row[i] * y + 2.0 * before);
        }
        let u = self.history.max_norm() * f64::sqrt(squared);
        let penalty = 0.5 * self.ridge * dot(theta, theta);
        let tangent = self.at_centre.loss + slope + penalty;
        // A thousand times what rounding can do to the sums of both sides, or more.
        let doubt = 1e-6 * (1.0 + self.level.abs() + self.at_centre.loss.abs() + penalty)
            + 1e-10 * self.history.observations() * (u + u * u);
        if tangent + least_growth(u) * curvature > self.level + doubt {
            return Some(false);
        }
        // Here rounding of the curvature, of a relative 1e-16 of the sum of all rows, is multiplied by up to e^u: beside many rows a
        // flat one would be lost. Up to 10 that stays a ten-thousandth of the doubt.
        (u <= 10.0 && tangent + growth(u) * curvature < self.level - doubt).then_some(true)
    }

    /// Loss with ridge at the centre: no pass.
    pub fn centre_loss(&self) -> f64 {
        self.at_centre.loss + 0.5 * self.ridge * dot(self.centre, self.centre)
    }

    /// Whether `theta` belongs to the set.
    pub fn contains(&self, theta: &[f64]) -> bool {
        let is_below = || self.loss_up_to(theta, self.level) <= self.level;
        norm(theta) <= self.norm_bound && self.is_surely_below(theta).unwrap_or_else(is_below)
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::fit::{Estimator, Penalty};
    use crate::loss::{Order, evaluate};

    /// A history of `rows` arms of the unit ball in three dimensions, with its estimate.
    fn observed(rows: usize, rng: &mut ChaCha8Rng) -> (History, Estimator) {
        let mut history = History::new(3).unwrap();
        for _ in 0..rows {
            let x = [0; 3].map(|_| rng.random_range(-0.5..0.5));
            let success = rng.random::<f64>() < 1.0 / (1.0 + (-3.0 * x[0]).exponential());
            history.observe_many(&x, f64::from(u8::from(success)), 1 + rows as u64 / 20).unwrap();
        }
        let mut estimate = Estimator::new(3);
        estimate.fit(&history, Penalty::ridge(0.5)).unwrap();
        (history, estimate)
    }

    /// Beside many rows the curvature of a flat one is lost to rounding, and what it costs to turn it round is not.
    #[test]
    fn a_flat_row_beside_many_is_not_forgotten() {
        let (many, flat) = (1e6, 30.0);
        let mut history = History::new(2).unwrap();
        history.observe_many(&[0.5, 0.5], 0.0, many as u64 / 2).unwrap();
        history.observe_many(&[0.5, 0.5], 1.0, many as u64 / 2).unwrap();
        history.observe(&[0.5, -0.5], 1.0).unwrap();
        let (centre, theta) = ([flat, -flat], [-flat, flat]);
        let mut at_centre = Evaluation::new(2);
        evaluate(&history, &centre, Order::Hessian, &mut at_centre);
        let set = LevelSet::new(&history, 0.0, at_centre.loss + 10.0, 100.0, &centre, &at_centre);
        assert!(set.loss(&theta) > set.level() && !set.contains(&theta));
    }

    /// What is said without a pass is what a pass says, and it is said of most points.
    #[test]
    fn what_is_sure_is_true() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut inside, mut outside, mut unsure) = (0, 0, 0);
        for rows in [3, 40, 64, 300] {
            let (history, estimate) = observed(rows, &mut rng);
            let centre = estimate.theta();
            let least = estimate.evaluation().loss + 0.25 * dot(centre, centre);
            for room in [0.5, 4.0, 30.0] {
                let set = LevelSet::new(&history, 0.5, least + room, 9.0, centre, estimate.evaluation());
                for _ in 0..500 {
                    let size = rng.random_range(0.0..4.0);
                    let theta: Vec<f64> = centre.iter().map(|c| c + size * rng.random_range(-1.0..1.0)).collect();
                    let by_pass = set.loss(&theta) <= set.level();
                    match set.is_surely_below(&theta) {
                        Some(said) => assert_eq!(said, by_pass, "{rows} rows, room {room}: {theta:?}"),
                        None => unsure += 1,
                    }
                    (inside, outside) = (inside + usize::from(by_pass), outside + usize::from(!by_pass));
                    assert_eq!(set.contains(&theta), by_pass && norm(&theta) <= 9.0);
                }
            }
        }
        assert!(inside > 500 && outside > 500 && 2 * unsure < inside + outside, "{inside} {outside} {unsure}");
    }

    #[test]
    fn a_limit_changes_only_what_is_above_it() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let (history, estimate) = observed(300, &mut rng);
        let set = LevelSet::new(&history, 0.5, 10.0, 9.0, estimate.theta(), estimate.evaluation());
        let mut stopped = 0;
        for _ in 0..200 {
            let theta = [0; 3].map(|_| rng.random_range(-3.0..3.0));
            let loss = set.loss(&theta);
            for part in [0.1, 0.5, 0.99, 1.0, 1.01, 2.0] {
                let (limit, found) = (part * loss, set.loss_up_to(&theta, part * loss));
                assert!(
                    if loss <= limit { found.to_bits() == loss.to_bits() } else { found > limit },
                    "{theta:?} {part}"
                );
                stopped += usize::from(found < loss);
            }
        }
        assert!(stopped > 200, "{stopped}");
    }
}
