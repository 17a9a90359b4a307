//! Bounds on the support function that cost O(d^2) an arm and no pass over the data.
//!
//! Around the centre c of a set in the ball of radius S, self-concordance keeps the fraction 2/(2 + D) of the curvature
//! H(c) within distance D of log-odds (Abeille, Faury and Calauzenes 2021, Lemma 2 of their appendix on
//! self-concordance), so the set lies in an ellipsoid. To have an invertible matrix in any case a ridge tau is added on
//! both sides: L <= level implies L + (tau/2)||.||^2 <= level + (tau/2)S^2. With M = H + ridge + tau, g the gradient of
//! that loss at c and B the room below its level,
//!
//! ```text
//! x'theta <= x'c - (2+D)/2 x'M^{-1}g + sqrt((2+D)B + (2+D)^2/4 g'M^{-1}g) ||x||_{M^{-1}}
//! ```

use crate::numerics::{Cholesky, add_scaled, dot, norm};
use crate::set::LevelSet;

/// An ellipsoid that contains a level set, factored for fast evaluation.
#[derive(Debug, Clone)]
pub(crate) struct OuterEllipsoid {
    cholesky: Cholesky,
    centre: Vec<f64>,
    radius: f64,
    scratch: Vec<f64>,
    usable: bool,
}

impl OuterEllipsoid {
    pub(crate) fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        Self { cholesky: Cholesky::new(dimension), centre: vector.clone(), radius: 0.0, scratch: vector, usable: false }
    }

    /// Fits the ellipsoid around `set`.
    pub(crate) fn enclose(&mut self, set: &LevelSet<'_>) {
        let reach = set.reach();
        self.usable = reach.is_finite();
        if !self.usable {
            return;
        }
        let d = set.centre.len() as f64;
        let tau = d / (reach * reach);
        self.usable = self.cholesky.factor(&set.at_centre.hessian, set.ridge + tau);
        let squared = dot(set.centre, set.centre);
        let stretch = 2.0 + set.history.max_norm() * (reach + squared.sqrt());
        let room = (set.level - set.centre_loss() + 0.5 * tau * (reach * reach - squared)).max(0.0);
        self.scratch.copy_from_slice(&set.at_centre.gradient);
        add_scaled(&mut self.scratch, set.ridge + tau, set.centre);
        self.cholesky.solve_lower(&mut self.scratch);
        let slope = dot(&self.scratch, &self.scratch);
        self.radius = (stretch * room + 0.25 * stretch * stretch * slope).sqrt();
        self.cholesky.solve_upper(&mut self.scratch);
        self.centre.copy_from_slice(set.centre);
        add_scaled(&mut self.centre, -0.5 * stretch, &self.scratch);
    }

    /// An upper bound on x'theta over the set; infinite if there is none.
    pub(crate) fn bound(&mut self, x: &[f64]) -> f64 {
        if !self.usable {
            return f64::INFINITY;
        }
        self.scratch.copy_from_slice(x);
        self.cholesky.solve_lower(&mut self.scratch);
        dot(x, &self.centre) + self.radius * norm(&self.scratch)
    }
}
