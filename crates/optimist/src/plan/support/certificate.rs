//! Both sides of the certificate at a point of the search: an upper bound from weak duality, and a feasible point.

use super::{Bounds, SupportSolver, SupportStatus, Target};
use crate::link::growth;
use crate::numerics::{Elementary, dot, multiply, norm, square_form};
use crate::set::LevelSet;

impl SupportSolver {
    /// Weak duality at theta with multipliers (nu, rho): for every point of the set,
    /// nu x'y <= level - L(y) + rho (S^2 - ||y||^2)/2 + nu x'y, and the right side, minus a convex function of y with
    /// residual e = G + rho theta - nu x at theta, is at most its value at theta plus the error computed here.
    pub(super) fn bound_above(
        &mut self,
        set: &LevelSet<'_>,
        x: &[f64],
        slack: f64,
        nu: f64,
        rho: f64,
        bounds: &mut Bounds,
    ) {
        let reach = set.reach();
        for (e, ((g, t), xi)) in self.scratch.iter_mut().zip(self.gradient.iter().zip(&self.theta).zip(x)) {
            *e = g + rho * t - nu * xi;
        }
        let error = self.residual_error(set, rho);
        let squared = dot(&self.theta, &self.theta);
        let ball = 0.5 * rho * (reach - squared.sqrt()) * (reach + squared.sqrt());
        let upper = dot(x, &self.theta) + (slack + ball + error) / nu;
        if upper < bounds.upper {
            (bounds.upper, bounds.nu, bounds.rho) = (upper, nu, rho);
        }
    }

    /// How far below its value at theta the function L + (rho/2)||.||^2 - nu x'. can fall within the ball, given its
    /// gradient there (in `scratch`): the least of three bounds.
    pub(super) fn residual_error(&mut self, set: &LevelSet<'_>, rho: f64) -> f64 {
        let length = norm(&self.scratch);
        let spread = set.reach() + norm(&self.theta);
        // The model's maximiser solves (M + rho) step = -e up to its own rounding, so e'(M + rho)^{-1}e is the step's
        // curvature; the logistic loss keeps the fraction 2/(2 + D) of it within distance D
        // (Abeille, Faury and Calauzenes 2021, second lemma on self-concordance).
        multiply(&self.at_theta.hessian, &self.model.step, &mut self.candidate);
        let step = &self.model.step;
        let squared = dot(step, step);
        let curvature = dot(&self.candidate, step).max(0.0) + (set.ridge + rho + self.doubt()) * squared;
        let mismatch: f64 = (0..step.len())
            .map(|i| (self.candidate[i] + (set.ridge + rho) * step[i] + self.scratch[i]).square())
            .sum::<f64>()
            .sqrt();
        let by_curvature = 0.25 * (2.0 + set.history.max_norm() * spread) * curvature + mismatch * spread;
        let by_distance = length * spread;
        let by_ridge = length * length / (2.0 * (set.ridge + rho));
        by_curvature.min(by_distance).min(by_ridge)
    }

    /// A feasible point near theta + step. Self-concordance bounds the loss there from above without a pass, and a
    /// mixture with the centre, whose loss is known, brings it below the level by convexity.
    pub(super) fn bound_below(&mut self, set: &LevelSet<'_>, x: &[f64], slack: f64, bounds: &mut Bounds) {
        for (y, (t, s)) in self.candidate.iter_mut().zip(self.theta.iter().zip(&self.model.step)) {
            *y = t + s;
        }
        let reach = set.reach();
        let length = norm(&self.candidate);
        if length > reach {
            self.candidate.iter_mut().for_each(|v| *v *= reach / length);
        }
        for (s, (y, t)) in self.scratch.iter_mut().zip(self.candidate.iter().zip(&self.theta)) {
            *s = y - t;
        }
        let excess = dot(&self.gradient, &self.scratch) - slack + self.curvature_bound(set);
        let room = set.room();
        let give = if excess <= 0.0 { 0.0 } else { excess / (excess + room) };
        if !(give < 1.0) {
            return;
        }
        for (y, centre) in self.candidate.iter_mut().zip(set.centre) {
            *y += give * (centre - *y);
        }
        let value = dot(x, &self.candidate);
        if value > bounds.lower {
            bounds.lower = value;
            std::mem::swap(&mut self.best, &mut self.candidate);
        }
    }

    /// Upper bound on the second-order term of the loss along `scratch`: (e^u - u - 1)/u^2 times the curvature, with u
    /// the largest change of a log-odds (self-concordance constant 1).
    pub(super) fn curvature_bound(&mut self, set: &LevelSet<'_>) -> f64 {
        let step = &self.scratch;
        let squared = dot(step, step);
        let curvature = square_form(&self.at_theta.hessian, step).max(0.0) + self.doubt() * squared;
        let u = set.history.max_norm() * squared.sqrt();
        0.5 * set.ridge * squared + curvature * growth(u)
    }

    /// Rounding error of the Hessian: a curvature computed as zero, or less, may be as large as this.
    pub(super) fn doubt(&self) -> f64 {
        4.0 * f64::EPSILON * self.hessian_trace()
    }

    pub(super) fn hessian_trace(&self) -> f64 {
        let d = self.theta.len();
        (0..d).map(|i| self.at_theta.hessian[i * d + i]).sum()
    }

    pub(super) fn finished(&self, set: &LevelSet<'_>, target: Target, bounds: &Bounds) -> Option<SupportStatus> {
        if bounds.upper < target.cutoff {
            return Some(SupportStatus::Cut);
        }
        let closed = bounds.upper - bounds.lower <= self.allowance(set, target, bounds);
        closed.then_some(if bounds.rho > 0.0 { SupportStatus::Both } else { SupportStatus::Level })
    }

    /// The largest gap allowed. The level is known to its last digits only, and each of them is worth 1/nu.
    pub(super) fn allowance(&self, set: &LevelSet<'_>, target: Target, bounds: &Bounds) -> f64 {
        target.allowance(bounds.lower, bounds.x_norm, norm(&self.best)) + set.rounding() / bounds.nu
    }
}
