//! The support function of a level set, max x'theta, with a certificate.
//!
//! Fast path: Newton on the KKT system. Every iteration is one pass over the data; it solves the quadratic model of the
//! level set exactly (`level_model`) and yields at the same time
//! - an *upper bound* on the true maximum by weak duality, second-order accurate at an inexact point,
//! - a *feasible point* whose loss is bounded by generalised self-concordance, hence a lower bound, without a pass.
//!
//! When Newton does not get there, the fall-back follows the path of minimisers of L - nu x'theta, each found by the
//! globally convergent [`Estimator`], and brackets the nu at which the level is met.

mod basis;
mod certificate;
mod coordinates;
mod double;
mod dual;
mod fallback;
mod interior_point;
pub(super) mod level_model;
mod recession;
mod scaled_factor;
mod span;
mod unbounded;

use serde::{Deserialize, Serialize};

use self::level_model::{LevelModel, Local, Step};
use crate::error::{Result, check_vector};
use crate::fit::{Estimator, Penalty};
use crate::loss::{Evaluation, Order, evaluate};
use crate::numerics::{add_scaled, dot, norm};
use crate::set::LevelSet;

/// Which constraints hold the maximiser, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SupportStatus {
    /// The direction is zero: every point of the set is a maximiser.
    ZeroDirection,
    /// Only the norm bound binds: the maximiser is norm_bound * x/||x||.
    Corner,
    /// Only the level binds.
    Level,
    /// Level and norm bound bind.
    Both,
    /// The set is empty; value and bound are those of its centre, the point of the ball with the least loss.
    Empty,
    /// No norm bound, and the set reaches to infinity in this direction: value and bound are infinite.
    Unbounded,
    /// The search stopped because the upper bound fell below the cutoff that was asked for.
    Cut,
    /// The gap could not be closed to the tolerance: value and bound are valid, the maximiser is feasible.
    Inexact,
}

/// The maximum of x'theta over a level set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// x'theta at a feasible point: a lower bound on the maximum.
    pub value: f64,
    /// An upper bound on the maximum, from weak duality.
    pub upper_bound: f64,
    /// Multiplier of the level: d value / d level.
    pub level_multiplier: f64,
    /// Multiplier of ||theta||^2/2 <= norm_bound^2/2.
    pub norm_multiplier: f64,
    /// What happened.
    pub status: SupportStatus,
    /// Passes over the data.
    pub passes: u32,
}

impl Support {
    /// Upper bound minus value.
    pub fn gap(&self) -> f64 {
        if self.upper_bound == self.value { 0.0 } else { self.upper_bound - self.value }
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Largest gap, relative to |value| or to ||x|| min(||theta||, 1), whichever is larger.
    pub tolerance: f64,
    /// Stop as soon as the upper bound is below this number: the arm has lost anyway.
    pub cutoff: f64,
}

impl Target {
    /// Solve to a relative gap.
    pub fn exact(tolerance: f64) -> Self {
        Self { tolerance, cutoff: f64::NEG_INFINITY }
    }

    /// The largest gap allowed at a value: relative to |value|, or to ||x|| min(||theta||, 1) if that is larger.
    pub(super) fn allowance(&self, value: f64, x_norm: f64, theta_norm: f64) -> f64 {
        self.tolerance * value.abs().max(x_norm * theta_norm.min(1.0))
    }
}

/// Where a search may start: the maximiser and multipliers of an earlier, similar problem.
#[derive(Debug, Clone, Copy)]
pub struct WarmStart<'a> {
    /// The earlier maximiser.
    pub theta: &'a [f64],
    /// The earlier level multiplier.
    pub level_multiplier: f64,
    /// The earlier norm multiplier.
    pub norm_multiplier: f64,
}

/// Newton steps before the fall-backs take over. Warm starts need two or three, cold ones about ten.
const NEWTON_LIMIT: usize = 25;

/// Solves support problems in memory of its own.
#[derive(Debug, Clone)]
pub struct SupportSolver {
    theta: Vec<f64>,
    at_theta: Evaluation,
    /// Gradient with ridge at theta.
    gradient: Vec<f64>,
    model: LevelModel,
    candidate: Vec<f64>,
    best: Vec<f64>,
    scratch: Vec<f64>,
    path: Estimator,
}

/// Best bounds so far.
struct Bounds {
    lower: f64,
    upper: f64,
    nu: f64,
    rho: f64,
    passes: u32,
    x_norm: f64,
}

impl Bounds {
    /// What is known without any computation.
    fn new(set: &LevelSet<'_>, x: &[f64], x_norm: f64) -> Self {
        let (lower, upper) = (dot(x, set.centre), set.reach() * x_norm);
        Self { lower, upper, nu: f64::INFINITY, rho: 0.0, passes: 0, x_norm }
    }

    fn conclude(&self, set: &LevelSet<'_>, status: SupportStatus) -> Support {
        let level_multiplier = 1.0 / self.nu;
        let norm_multiplier = match status {
            SupportStatus::Corner => self.x_norm / set.norm_bound,
            _ => self.rho * level_multiplier,
        };
        Support {
            value: self.lower,
            upper_bound: self.upper.max(self.lower),
            level_multiplier,
            norm_multiplier,
            status,
            passes: self.passes,
        }
    }
}

impl SupportSolver {
    /// A solver for `dimension` features.
    pub fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        Self {
            theta: vector.clone(),
            at_theta: Evaluation::new(dimension),
            gradient: vector.clone(),
            model: LevelModel::new(dimension),
            candidate: vector.clone(),
            best: vector.clone(),
            scratch: vector,
            path: Estimator::new(dimension),
        }
    }

    /// The feasible point that attains the last value.
    pub fn maximiser(&self) -> &[f64] {
        &self.best
    }

    /// Maximises x'theta over `set`.
    ///
    /// # Errors
    /// If `x` has the wrong length or holds a number that is not finite.
    pub fn solve(&mut self, set: &LevelSet<'_>, x: &[f64], target: Target) -> Result<Support> {
        check_vector("x", x, set.history.dimension())?;
        Ok(self.maximise(set, x, None, target))
    }

    /// As [`SupportSolver::solve`], starting from an earlier solution; `x` is trusted.
    pub(crate) fn maximise(
        &mut self,
        set: &LevelSet<'_>,
        x: &[f64],
        warm: Option<WarmStart<'_>>,
        target: Target,
    ) -> Support {
        let x_norm = norm(x);
        self.best.copy_from_slice(set.centre);
        let at_centre = dot(x, set.centre);
        if set.is_empty() {
            return Support::empty(at_centre);
        }
        if x_norm == 0.0 {
            return Support::constant(0.0);
        }
        let bounded = LevelSet { norm_bound: set.reach(), ..*set };
        if bounded.norm_bound.is_infinite() {
            return unbounded::maximise(self, set, x, warm, target);
        }
        let mut bounds = Bounds::new(&bounded, x, x_norm);
        let status = self.search(&bounded, x, warm, target, &mut bounds);
        let status = status.unwrap_or_else(|| self.follow_path(&bounded, x, target, &mut bounds));
        bounds.conclude(&bounded, status)
    }

    /// Newton's method: directly, or else in stages, or else from where the path leads; none if all fail.
    fn search(
        &mut self,
        set: &LevelSet<'_>,
        x: &[f64],
        warm: Option<WarmStart<'_>>,
        target: Target,
        bounds: &mut Bounds,
    ) -> Option<SupportStatus> {
        let guess = self.start(set, warm, bounds);
        let status = self.newton(set, x, guess, target, bounds, NEWTON_LIMIT);
        let status = status.or_else(|| self.climb(set, x, target, bounds));
        status.or_else(|| self.polish_path(set, x, target, bounds))
    }

    /// A few Newton steps on a set with a norm bound, without the fall-back.
    pub(super) fn attempt(
        &mut self,
        set: &LevelSet<'_>,
        x: &[f64],
        warm: Option<WarmStart<'_>>,
        target: Target,
        steps: usize,
    ) -> Support {
        let mut bounds = Bounds::new(set, x, norm(x));
        let guess = self.start(set, warm, &mut bounds);
        let status = self.newton(set, x, guess, target, &mut bounds, steps);
        bounds.conclude(set, status.unwrap_or(SupportStatus::Inexact))
    }

    /// Newton's method from theta; none if it did not converge.
    fn newton(
        &mut self,
        set: &LevelSet<'_>,
        x: &[f64],
        mut guess: Option<(f64, f64)>,
        target: Target,
        bounds: &mut Bounds,
        limit: usize,
    ) -> Option<SupportStatus> {
        let room = set.room();
        let mut idle_steps = 0;
        for _ in 0..limit {
            self.update_gradient(set);
            let slack = set.level - self.loss_at_theta(set);
            if slack < -0.25 * room && self.pull_back(set, slack) {
                self.pass(set, bounds);
                continue;
            }
            match self.model_step(set, x, slack, guess) {
                Step::Infeasible => {
                    if !self.pull_back(set, slack) {
                        return None;
                    }
                }
                Step::Corner => {
                    if self.visit_corner(set, x, bounds) {
                        return Some(SupportStatus::Corner);
                    }
                    guess = None;
                    continue;
                }
                Step::Level { nu, rho } => {
                    guess = Some((nu, rho));
                    self.bound_above(set, x, slack, nu, rho, bounds);
                    self.bound_below(set, x, slack, bounds);
                    if let Some(status) = self.finished(set, target, bounds) {
                        return Some(status);
                    }
                    // A step that changes neither the value nor the loss means that rounding has the last word.
                    let idle = dot(x, &self.model.step).abs() <= 1e-3 * self.allowance(set, target, bounds);
                    idle_steps = if idle && slack.abs() <= set.rounding() { idle_steps + 1 } else { 0 };
                    if idle_steps > 2 {
                        return None;
                    }
                    add_scaled(&mut self.theta, 1.0, &self.model.step);
                }
            }
            self.pass(set, bounds);
        }
        None
    }

    /// The maximiser of the quadratic model at theta, whose loss is `slack` below the level wanted.
    fn model_step(&mut self, set: &LevelSet<'_>, x: &[f64], slack: f64, guess: Option<(f64, f64)>) -> Step {
        let ridge = set.ridge + self.damping(set, norm(x), guess);
        let local = Local {
            hessian: &self.at_theta.hessian,
            penalty: Penalty { ridge, norm_bound: set.reach() },
            theta: &self.theta,
            gradient: &self.gradient,
            slack,
            rounding: set.rounding(),
            direction: x,
        };
        self.model.solve(&local, guess)
    }

    /// Puts theta at the start of the search and returns the guess of (nu, rho).
    fn start(&mut self, set: &LevelSet<'_>, warm: Option<WarmStart<'_>>, bounds: &mut Bounds) -> Option<(f64, f64)> {
        match warm {
            Some(warm) => {
                self.theta.copy_from_slice(warm.theta);
                self.pass(set, bounds);
                (warm.level_multiplier > 0.0)
                    .then(|| (1.0 / warm.level_multiplier, warm.norm_multiplier / warm.level_multiplier))
            }
            None => {
                self.theta.copy_from_slice(set.centre);
                self.at_theta.copy_from(set.at_centre);
                None
            }
        }
    }

    fn pass(&mut self, set: &LevelSet<'_>, bounds: &mut Bounds) {
        evaluate(set.history, &self.theta, Order::Hessian, &mut self.at_theta);
        bounds.passes += 1;
    }

    fn loss_at_theta(&self, set: &LevelSet<'_>) -> f64 {
        self.at_theta.loss + 0.5 * set.ridge * dot(&self.theta, &self.theta)
    }

    fn update_gradient(&mut self, set: &LevelSet<'_>) {
        self.gradient.copy_from_slice(&self.at_theta.gradient);
        add_scaled(&mut self.gradient, set.ridge, &self.theta);
    }

    /// Extra curvature of the model around theta, which holds the step in directions in which the data say nothing:
    /// there the model's slope is rounding error only, and without it the step would be that error divided by zero. It
    /// keeps that part of the step below a thousandth of the set's size, and is far too small to matter otherwise.
    fn damping(&self, set: &LevelSet<'_>, x_norm: f64, guess: Option<(f64, f64)>) -> f64 {
        let tilt = guess.map_or(0.0, |(nu, _)| nu * x_norm);
        let slope = norm(&self.gradient) + tilt + self.hessian_trace() * norm(&self.theta);
        1e3 * f64::EPSILON * slope / set.reach()
    }

    /// From a point above the level, moves towards the centre to where the tangent meets the level: by convexity not
    /// beyond the boundary. False if theta is not above the level.
    fn pull_back(&mut self, set: &LevelSet<'_>, slack: f64) -> bool {
        for (c, (t, centre)) in self.candidate.iter_mut().zip(self.theta.iter().zip(set.centre)) {
            *c = t - centre;
        }
        let slope = dot(&self.gradient, &self.candidate);
        if !(slack < 0.0 && slope > 0.0) {
            return false;
        }
        let keep = (1.0 + slack / slope).clamp(0.0, 1.0);
        for (t, (c, centre)) in self.theta.iter_mut().zip(self.candidate.iter().zip(set.centre)) {
            *t = centre + keep * c;
        }
        true
    }

    /// Moves to the corner norm_bound * x/||x||; true if it belongs to the set, and then it is the maximiser.
    fn visit_corner(&mut self, set: &LevelSet<'_>, x: &[f64], bounds: &mut Bounds) -> bool {
        let reach = set.reach() / bounds.x_norm;
        for (t, xi) in self.theta.iter_mut().zip(x) {
            *t = reach * xi;
        }
        self.pass(set, bounds);
        if self.loss_at_theta(set) > set.level {
            return false;
        }
        self.best.copy_from_slice(&self.theta);
        bounds.lower = set.reach() * bounds.x_norm;
        bounds.upper = bounds.lower;
        bounds.nu = f64::INFINITY;
        true
    }

    /// The point where the last search ended, which is its maximiser up to the last step.
    pub(super) fn last_point(&self) -> &[f64] {
        &self.theta
    }

    /// Room for a point, which [`SupportSolver::keep_spare`] makes the one that is reported.
    pub(super) fn spare(&mut self) -> &mut [f64] {
        &mut self.candidate
    }

    pub(super) fn keep_spare(&mut self) {
        std::mem::swap(&mut self.best, &mut self.candidate);
    }
}

impl Support {
    /// The value at the centre of an empty set.
    pub(super) fn empty(value: f64) -> Self {
        Self { status: SupportStatus::Empty, ..Self::constant(value) }
    }

    /// A value that needs no search: that of every point, if the direction is zero.
    pub(super) fn constant(value: f64) -> Self {
        let status = SupportStatus::ZeroDirection;
        Self { value, upper_bound: value, level_multiplier: 0.0, norm_multiplier: 0.0, status, passes: 0 }
    }
}
