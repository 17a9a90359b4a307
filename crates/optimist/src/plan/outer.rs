//! Bounds on the support function that cost O(d^2) per arm and no pass over the data.
//!
//! Around the centre c of a set, with M the Hessian of the penalised loss L there and g its gradient, second-order
//! self-concordance (Abeille, Faury and Calauzenes 2021, Lemma 8, the second of those on self-concordance) gives
//! L(theta) - L(c) >= g'y + y'My/(2 + D) for y = theta - c, where D bounds the change of every log-odds. So with
//! k = (2 + D)/2 and B the room below the level every point of the set has
//!
//! ```text
//! ||y + k M^{-1}g||_M^2 <= 2k B + k^2 ||g||_{M^{-1}}^2,
//! x'theta <= x'c - k x'M^{-1}g + sqrt(2k B + k^2 g'M^{-1}g) ||x||_{M^{-1}}
//! ```
//!
//! To have an invertible matrix in any case a ridge tau is added on both sides: in the ball of radius S, L <= level
//! implies L + (tau/2)||.||^2 <= level + (tau/2)S^2.

use crate::numerics::{Cholesky, add_scaled, dot, norm};
use crate::set::LevelSet;

/// The square of the ellipsoid's radius; `decrement` is ||g||_{M^{-1}}^2.
pub(super) fn squared_radius(k: f64, room: f64, decrement: f64) -> f64 {
    2.0 * k * room + k * k * decrement
}

/// An ellipsoid that contains a level set. It keeps the factor of its matrix and no inverse, which would not pay for the few
/// arms that are asked about in a round.
#[derive(Debug, Clone)]
pub(crate) struct OuterEllipsoid {
    cholesky: Cholesky,
    centre: Vec<f64>,
    radius: f64,
    /// k above: half the derivative of the radius' square in the level.
    k: f64,
    scratch: Vec<f64>,
    usable: bool,
}

impl OuterEllipsoid {
    pub(crate) fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        Self {
            cholesky: Cholesky::new(dimension),
            centre: vector.clone(),
            radius: 0.0,
            k: 0.0,
            scratch: vector,
            usable: false,
        }
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
        let k = 0.5 * (2.0 + set.history.max_norm() * (reach + squared.sqrt()));
        self.k = k;
        let room = (set.level - set.centre_loss() + 0.5 * tau * (reach * reach - squared)).max(0.0);
        self.scratch.copy_from_slice(&set.at_centre.gradient);
        add_scaled(&mut self.scratch, set.ridge + tau, set.centre);
        self.cholesky.solve_lower(&mut self.scratch);
        self.radius = squared_radius(k, room, dot(&self.scratch, &self.scratch)).sqrt();
        self.cholesky.solve_upper(&mut self.scratch);
        self.centre.copy_from_slice(set.centre);
        add_scaled(&mut self.centre, -k, &self.scratch);
    }

    /// An upper bound on x'theta over the set, infinite if there is none, and its derivative in the level. It is concave in
    /// the level, so that its tangent is a bound at other levels. (A set of one point has no tangent: the derivative is not finite then.)
    pub(crate) fn bound(&mut self, x: &[f64]) -> (f64, f64) {
        if !self.usable {
            return (f64::INFINITY, 0.0);
        }
        self.scratch.copy_from_slice(x);
        self.cholesky.solve_lower(&mut self.scratch);
        let width = norm(&self.scratch);
        (dot(x, &self.centre) + self.radius * width, self.k * width / self.radius)
    }
}
