//! What takes over where Newton's method from the centre fails: levels that rise in stages, and the path of minimisers.

use super::level_model::Step;
use super::{Bounds, NEWTON_LIMIT, SupportSolver, SupportStatus, Target};
use crate::fit::{Penalty, Tilt};
use crate::numerics::{add_scaled, dot};
use crate::set::LevelSet;

/// Passes of the first fall-back, which rarely needs more than forty, and Newton steps of each of its stages.
const CLIMB_LIMIT: u32 = 200;
const STAGE_LIMIT: usize = 8;

/// Gap at which the path is left for Newton's method.
const ROUGH_TOLERANCE: f64 = 1e-4;

/// Points of the fall-back's path. Its bracket shrinks by a constant factor with every third point at least.
const PATH_LIMIT: usize = 200;

/// Passes after which the fall-back is abandoned; it rarely needs more than two hundred.
const PASS_LIMIT: u32 = 2000;

/// To which the gradient must vanish at a point of the path: the certificate makes up for what is left.
const PATH_TOLERANCE: f64 = 1e-12;

/// A stage of [`SupportSolver::climb`].
struct Stage {
    /// Height of its level above the centre's loss.
    raised: f64,
    /// Ratio of the next stage's height to this one's.
    factor: f64,
    guess: Option<(f64, f64)>,
}

impl SupportSolver {
    /// Newton's method for a level that rises in stages from near the centre's loss to the one wanted.
    ///
    /// Far above its minimum the loss is nearly polyhedral, and from the centre its quadratic model says nothing about
    /// the edges out there. But edges are straight: from the maximiser of one level that of the next is easy to reach.
    pub(super) fn climb(
        &mut self,
        set: &LevelSet<'_>,
        x: &[f64],
        target: Target,
        bounds: &mut Bounds,
    ) -> Option<SupportStatus> {
        let room = set.room();
        let mut stage = Stage { raised: room.min(1.0), factor: 4.0, guess: self.start(set, None, bounds) };
        let mut foothold = self.theta.clone();
        let (mut reached, mut guess) = (0.0, None);
        let last_pass = bounds.passes + CLIMB_LIMIT;
        while bounds.passes < last_pass {
            if self.settle(set, x, &mut stage, bounds) {
                if stage.raised >= room {
                    return self.newton(set, x, stage.guess, target, bounds, NEWTON_LIMIT);
                }
                foothold.copy_from_slice(&self.theta);
                (reached, guess) = (stage.raised, stage.guess);
                stage.raised = (stage.factor * reached).min(room);
            } else {
                // Too high a step: back, and a smaller one.
                self.theta.copy_from_slice(&foothold);
                self.pass(set, bounds);
                stage.factor = stage.factor.sqrt();
                stage.raised = if reached == 0.0 { 0.1 * stage.raised } else { (stage.factor * reached).min(room) };
                stage.guess = guess;
            }
        }
        None
    }

    /// Newton's method for a stage of [`SupportSolver::climb`] until the steps are small; false if it takes too long.
    fn settle(&mut self, set: &LevelSet<'_>, x: &[f64], stage: &mut Stage, bounds: &mut Bounds) -> bool {
        let level = set.centre_loss() + stage.raised;
        for _ in 0..STAGE_LIMIT {
            self.update_gradient(set);
            let loss = self.loss_at_theta(set);
            let slack = level - loss;
            if slack < -0.25 * stage.raised && self.pull_back(set, slack) {
                self.pass(set, bounds);
                continue;
            }
            let Step::Level { nu, rho } = self.model_step(set, x, slack, stage.guess) else { return false };
            stage.guess = Some((nu, rho));
            self.bound_above(set, x, set.level - loss, nu, rho, bounds);
            // What the step gains is worth nu times that in loss.
            let gain = nu * dot(x, &self.model.step);
            add_scaled(&mut self.theta, 1.0, &self.model.step);
            self.pass(set, bounds);
            if slack.abs() <= 0.2 * stage.raised && gain.abs() <= 0.2 * stage.raised {
                return true;
            }
        }
        false
    }

    /// Follows the path until Newton's method should converge from there.
    pub(super) fn polish_path(
        &mut self,
        set: &LevelSet<'_>,
        x: &[f64],
        target: Target,
        bounds: &mut Bounds,
    ) -> Option<SupportStatus> {
        let rough = Target { tolerance: ROUGH_TOLERANCE.max(target.tolerance), ..target };
        match self.follow_path(set, x, rough, bounds) {
            SupportStatus::Inexact => return None,
            SupportStatus::Level | SupportStatus::Both => {}
            done => return Some(done),
        }
        self.theta.copy_from_slice(&self.best);
        self.pass(set, bounds);
        self.newton(set, x, Some((bounds.nu, bounds.rho)), target, bounds, NEWTON_LIMIT)
    }

    /// The fall-back: theta(nu) = argmin of L - nu x'theta over the ball, with nu bracketed until the level is met.
    ///
    /// Between a point below the level and one above it, convexity gives a feasible point without a pass. As the
    /// bracket closes it becomes optimal even where theta(nu) jumps, because both ends then minimise the same function.
    pub(super) fn follow_path(
        &mut self,
        set: &LevelSet<'_>,
        x: &[f64],
        target: Target,
        bounds: &mut Bounds,
    ) -> SupportStatus {
        if self.visit_corner(set, x, bounds) {
            return SupportStatus::Corner;
        }
        let penalty = Penalty { ridge: set.ridge, norm_bound: set.reach() };
        let mut inner = PathPoint { theta: set.centre.to_vec(), nu: 0.0, loss: set.centre_loss() };
        let mut outer = PathPoint { theta: self.theta.clone(), nu: f64::INFINITY, loss: self.loss_at_theta(set) };
        let mut nu = if bounds.nu.is_finite() { bounds.nu } else { inner.chord(&outer, x) };
        self.path.restart(set.centre);
        for turn in 0..PATH_LIMIT {
            let before = self.path.passes();
            self.path.minimise(set.history, penalty, Some(Tilt { direction: x, scale: nu }), PATH_TOLERANCE);
            bounds.passes += (self.path.passes() - before) as u32;
            self.take_path_point(set);
            let loss = self.loss_at_theta(set);
            self.bound_above(set, x, set.level - loss, nu, self.path.multiplier(), bounds);
            self.bound_below(set, x, set.level - loss, bounds);
            let end = if loss <= set.level { &mut inner } else { &mut outer };
            end.theta.copy_from_slice(&self.theta);
            (end.nu, end.loss) = (nu, loss);
            self.bound_between(set, x, &inner, &outer, bounds);
            if let Some(status) = self.finished(set, target, bounds) {
                return status;
            }
            let next = inner.next(&outer, x, set.level, turn);
            if !(next > inner.nu && next < outer.nu) || bounds.passes > PASS_LIMIT {
                break;
            }
            nu = next;
        }
        SupportStatus::Inexact
    }

    /// Takes over the minimiser that the path's estimator has found, and its Newton step for the certificate.
    fn take_path_point(&mut self, set: &LevelSet<'_>) {
        self.theta.copy_from_slice(self.path.theta());
        self.at_theta.copy_from(self.path.evaluation());
        self.model.step.copy_from_slice(self.path.step());
        self.update_gradient(set);
    }

    /// The point between `inner` and `outer` where the chord of the loss meets the level.
    fn bound_between(
        &mut self,
        set: &LevelSet<'_>,
        x: &[f64],
        inner: &PathPoint,
        outer: &PathPoint,
        bounds: &mut Bounds,
    ) {
        let share = (set.level - inner.loss) / (outer.loss - inner.loss);
        for (y, (a, b)) in self.candidate.iter_mut().zip(inner.theta.iter().zip(&outer.theta)) {
            *y = a + share * (b - a);
        }
        let value = dot(x, &self.candidate);
        if (0.0..=1.0).contains(&share) && value > bounds.lower {
            bounds.lower = value;
            std::mem::swap(&mut self.best, &mut self.candidate);
        }
    }
}

/// A point of the fall-back's path: the minimiser of L - nu x'theta, and the loss there.
struct PathPoint {
    theta: Vec<f64>,
    nu: f64,
    loss: f64,
}

impl PathPoint {
    /// The slope of the loss against x'theta from here to `outer`: a nu between theirs.
    fn chord(&self, outer: &PathPoint, x: &[f64]) -> f64 {
        let gain: f64 = outer.theta.iter().zip(&self.theta).zip(x).map(|((a, b), xi)| (a - b) * xi).sum();
        (outer.loss - self.loss) / gain
    }

    /// The next nu to try between here and `outer`. For a quadratic loss nu^2 is linear in the loss, for a polyhedral
    /// one the chord is exact; the geometric mean closes the bracket in any case.
    fn next(&self, outer: &PathPoint, x: &[f64], level: f64, turn: usize) -> f64 {
        let open = self.nu == 0.0 || outer.nu.is_infinite();
        if open || turn.is_multiple_of(3) {
            return self.chord(outer, x);
        }
        if turn % 3 == 1 {
            let share = (level - self.loss) / (outer.loss - self.loss);
            return (self.nu * self.nu + share * (outer.nu * outer.nu - self.nu * self.nu)).sqrt();
        }
        (self.nu * outer.nu).sqrt()
    }
}
