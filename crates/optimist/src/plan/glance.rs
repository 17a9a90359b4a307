//! A bound on an arm's value from a look at the data: weak duality at the arm's last maximiser, in closed form.
//!
//! Let q be any point, L the penalised loss with gradient g and Hessian H (ridge included) there, rho >= 0 and M = H + rho.
//! As in [`super::support`], every theta of the set satisfies, for every nu > 0,
//!
//! ```text
//! nu x'theta <= level + rho S^2/2 - min F,   F(y) = L(y) + (rho/2)||y||^2 - nu x'y.
//! ```
//!
//! With r = ||y - q||_M no log-odds changes by more than m r, where m is the largest ||x_s||_{M^{-1}} of an observed arm. So
//! by self-concordance F(y) >= F(q) - G r + (e^{-mr} + mr - 1)/m^2, where G is the norm of e = g + rho q - nu x for M^{-1}.
//! If a = m G < 1 the right side is least at mr = -log(1 - a), and everywhere
//!
//! ```text
//! min F >= F(q) - (a + (1 - a) log(1 - a))/m^2 = F(q) - G^2 (1/2 + a/6 + a^2/12 + ...),
//! ```
//!
//! with or without a norm bound. In a ball there is also min F >= F(q) - G^2 (2 + D)/4, as in [`super::outer`]. What has been
//! observed since q was the maximiser enters F(q) exactly, which makes the bound one by the tangents of the new losses, and
//! only the square of the new slope is lost. The nu for which G^2/2 gives the best bound satisfies
//! nu^2 = (2A + ||g + rho q||^2)/||x||^2 in the norm of M^{-1}, with A = level - L(q) + rho (S^2 - ||q||^2)/2.
//!
//! A solve takes several passes, and where level and ball bind a search for two multipliers in each. A look takes one pass
//! and one factor, and is all that most arms need: they have lost, and it only remains to be proved.

use super::leverage;
use super::support::WarmStart;
use crate::loss::{Evaluation, Order, evaluate};
use crate::numerics::{Cholesky, Elementary, add_scaled, dot, norm, trace};
use crate::set::LevelSet;

/// Points looked from, each a Newton step from the last. The first is mostly enough with a norm bound; without one the set
/// may have changed much since the arm was last on top.
const POINTS: usize = 6;

/// The certificate of an arm that has lost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// No point of the set has more.
    pub(super) upper_bound: f64,
    /// 1/nu: the bound's derivative in the level.
    pub(super) level_multiplier: f64,
    /// rho/nu.
    pub(super) norm_multiplier: f64,
}

/// Looks at arms in memory of its own.
#[derive(Debug, Clone)]
pub(super) struct Glance {
    /// q.
    point: Vec<f64>,
    at: Evaluation,
    /// LL' = M.
    cholesky: Cholesky,
    /// L^{-1}x.
    along: Vec<f64>,
    /// L^{-1}e, whose length is G.
    residual: Vec<f64>,
    tile: Vec<f64>,
    passes: u32,
}

impl Glance {
    pub(super) fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        Self {
            point: vector.clone(),
            at: Evaluation::new(dimension),
            cholesky: Cholesky::new(dimension),
            along: vector.clone(),
            residual: vector,
            tile: vec![0.0; leverage::scratch_size(dimension)],
            passes: 0,
        }
    }

    /// A Newton step beyond the point that gave the last look's bound.
    pub(super) fn next_point(&self) -> &[f64] {
        &self.point
    }

    /// Passes over the data of the last look.
    pub(super) fn passes(&self) -> u32 {
        self.passes
    }

    /// Looks at arm `x` from an earlier maximiser. None if no bound below `cutoff` was found, as when the arm is the best.
    pub(super) fn look(&mut self, set: &LevelSet<'_>, x: &[f64], warm: WarmStart<'_>, cutoff: f64) -> Option<Look> {
        self.passes = 0;
        self.point.copy_from_slice(warm.theta);
        let rho = if set.reach().is_finite() { warm.norm_multiplier / warm.level_multiplier } else { 0.0 };
        for _ in 0..POINTS {
            let (room, nu) = self.expand(set, x, rho)?;
            let squared = dot(&self.residual, &self.residual);
            let value = dot(x, &self.point);
            let upper = |fall: f64| value + (room + fall) / nu;
            // What a step to the minimum promises at best.
            if !(upper(0.5 * squared) < cutoff) {
                return None;
            }
            let change = set.history.max_norm() * (set.reach() + norm(&self.point));
            let mut bound = upper(0.25 * (2.0 + change) * squared);
            let mut a = 0.0;
            if !(bound < cutoff) {
                let m = leverage::largest(set.history, &self.cholesky, &mut self.tile).sqrt();
                a = m * squared.sqrt();
                bound = bound.min(upper(fall(a, squared)));
            }
            self.step(a);
            if bound < cutoff {
                return Some(Look { upper_bound: bound, level_multiplier: 1.0 / nu, norm_multiplier: rho / nu });
            }
        }
        None
    }

    /// Evaluates F at the point: returns A and nu, and leaves the factor of M and the residual behind.
    fn expand(&mut self, set: &LevelSet<'_>, x: &[f64], rho: f64) -> Option<(f64, f64)> {
        let (q, d) = (&self.point, x.len());
        evaluate(set.history, q, Order::Hessian, &mut self.at);
        self.passes += 1;
        let squared = dot(q, q);
        let loss = self.at.loss + 0.5 * set.ridge * squared;
        let ball = if rho > 0.0 { 0.5 * rho * (set.reach().square() - squared) } else { 0.0 };
        let room = set.level - loss + ball + set.rounding();
        // The matrix and its factor are known up to rounding: what is factored must be no larger than the true one.
        let doubt = 8.0 * d as f64 * f64::EPSILON * (trace(&self.at.hessian, d) + d as f64 * (set.ridge + rho));
        if !self.cholesky.factor(&self.at.hessian, set.ridge + rho - doubt) {
            return None;
        }
        self.along.copy_from_slice(x);
        self.cholesky.solve_lower(&mut self.along);
        self.residual.copy_from_slice(&self.at.gradient);
        add_scaled(&mut self.residual, set.ridge + rho, q);
        self.cholesky.solve_lower(&mut self.residual);
        let slope = dot(&self.residual, &self.residual);
        let nu = ((2.0 * room + slope) / dot(&self.along, &self.along)).sqrt();
        add_scaled(&mut self.residual, -nu, &self.along);
        (nu > 0.0 && nu.is_finite()).then_some((room, nu))
    }

    /// A Newton step on F, damped as its self-concordance asks for: by log(1 + a)/a.
    fn step(&mut self, a: f64) {
        let length = if a > 1e-3 { a.logarithm_1p() / a } else { 1.0 };
        self.cholesky.solve_upper(&mut self.residual);
        add_scaled(&mut self.point, -length, &self.residual);
    }
}

/// (a + (1 - a) log(1 - a))/m^2 with a = m G, from a and G^2; infinite from a = 1 on.
fn fall(a: f64, squared: f64) -> f64 {
    if a < 1e-2 {
        // The series, with more than what is left of it in the last term.
        squared * (0.5 + a / 6.0 + a * a / 11.0)
    } else if a < 1.0 {
        squared * (a + (1.0 - a) * (-a).logarithm_1p()) / (a * a)
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minimum over r of -Gr + (e^{-mr} + mr - 1)/m^2, by a fine search.
    #[test]
    fn the_fall_is_the_minimum_of_the_minorant() {
        for a in [1e-4, 9e-3, 1.1e-2, 0.1, 0.5, 0.9, 0.99] {
            // With m = 1, so that G = a.
            let at = |r: f64| -a * r + ((-r).exp_m1() + r);
            let least = (0..200_000).map(|i| at(1e-4 * f64::from(i))).fold(f64::INFINITY, f64::min);
            let fall = fall(a, a * a);
            assert!(-fall <= least + 1e-12 && least <= -fall + 1e-6 * a, "{a}: {fall} {least}");
        }
        assert_eq!(fall(1.0, 1.0), f64::INFINITY);
    }
}
