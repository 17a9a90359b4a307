//! The region on which the upper quadratic is valid, and what of a Gaussian lies in it.

use serde::{Deserialize, Serialize};

use crate::error::{Result, check_number, check_vector};
use crate::numerics::{Cholesky, Elementary, add_scaled, grow_matrix, square_form, trace};

/// { theta : ||theta - centre||_matrix <= radius }.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Region {
    #[serde(with = "crate::numerics::stored_numbers")]
    centre: Vec<f64>,
    /// Lower triangle.
    #[serde(with = "crate::numerics::stored_numbers")]
    matrix: Vec<f64>,
    radius: f64,
}

/// The share of a Gaussian that may lie outside of a region when that is made, once its centre has moved by [`reserve`].
const OUTSIDE: f64 = 0.1;

/// Shares sigma of the matrix for which Chernoff's bound is tried.
const SHARES: [f64; 4] = [0.9, 0.75, 0.5, 0.25];

/// How much of the old region's matrix is added to a new one's, as a share of what is enough in any case.
const BLENDS: [f64; 4] = [0.0, 0.25, 0.5, 1.0];

impl Region {
    /// An ellipsoid of the given centre that holds most of N(centre, precision^{-1}), inside the old one. None if there is no
    /// good one: the old one goes on then, until more data have narrowed the Gaussian.
    ///
    /// With b the old radius less ||centre - old centre|| in the old metric A, {||y||_A <= b} is inside the old region. The
    /// new one is {||y||_N <= a} with N = precision + beta A, and lies inside of it as soon as N >= (a/b)^2 A. The smallest
    /// beta that will do is taken; (a/b)^2 always will.
    pub(super) fn next(old: Option<&Self>, centre: &[f64], precision: &[f64]) -> Option<Self> {
        let radius = radius(centre.len());
        let new = |matrix: Vec<f64>| Self { centre: centre.to_vec(), matrix, radius };
        let Some(old) = old else { return Some(new(precision.to_vec())) };
        let mut scratch = Scratch::new(centre.len());
        let left = old.radius_around(centre, &mut scratch);
        if !(left > 0.0) {
            return None;
        }
        let enough = (radius / left).square();
        let blend = |beta: f64| {
            let mut matrix = precision.to_vec();
            add_scaled(&mut matrix, beta, &old.matrix);
            matrix
        };
        let inside = |share: &f64| *share == 1.0 || is_definite(&blend((share - 1.0) * enough));
        let share = BLENDS.into_iter().find(inside)?;
        let region = new(blend(share * enough));
        let mut cholesky = Cholesky::new(centre.len());
        if !cholesky.factor(precision, 0.0) {
            return None;
        }
        let outside = region.outside(radius - reserve(centre.len()), precision, 0.0, cholesky.log_det(), &mut scratch);
        (outside <= OUTSIDE).then_some(region)
    }

    pub(super) fn centre(&self) -> &[f64] {
        &self.centre
    }

    pub(super) fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    pub(super) fn radius(&self) -> f64 {
        self.radius
    }

    /// The radius, in the region's metric, of an ellipsoid around `centre` that lies inside. Not positive if there is none.
    fn radius_around(&self, centre: &[f64], scratch: &mut Scratch) -> f64 {
        for (y, (a, b)) in scratch.vector.iter_mut().zip(centre.iter().zip(&self.centre)) {
            *y = a - b;
        }
        self.radius - square_form(&self.matrix, &scratch.vector).max(0.0).sqrt() * (1.0 + 1e-12)
    }

    /// -log of a lower bound on the share of N(centre, (precision + shift)^{-1}) that lies in the largest ellipsoid of the
    /// region's shape around `centre` inside the region: infinite if nothing can be said. `log_det` is that of
    /// precision + shift.
    pub(crate) fn penalty(
        &self,
        centre: &[f64],
        precision: &[f64],
        shift: f64,
        log_det: f64,
        scratch: &mut Scratch,
    ) -> f64 {
        let radius = self.radius_around(centre, scratch);
        if !(radius > 0.0) {
            return f64::INFINITY;
        }
        let outside = self.outside(radius, precision, shift, log_det, scratch);
        if outside < 1.0 { -(-outside).logarithm_1p() } else { f64::INFINITY }
    }

    /// An upper bound on the share of N(0, M^{-1}) outside {||y||_A <= radius}, by Chernoff's inequality: for every sigma with
    /// sigma A < M, P(||y||_A > r) <= exp(-sigma r^2/2) E exp(sigma ||y||_A^2/2) = exp(-sigma r^2/2) (det M/det(M - sigma A))^(1/2).
    fn outside(&self, radius: f64, precision: &[f64], shift: f64, log_det: f64, scratch: &mut Scratch) -> f64 {
        let mut least: f64 = 0.0;
        for share in SHARES {
            scratch.matrix.copy_from_slice(precision);
            add_scaled(&mut scratch.matrix, -share, &self.matrix);
            if scratch.cholesky.factor(&scratch.matrix, shift) {
                let grown = 0.5 * (log_det - scratch.cholesky.log_det());
                least = least.min(grown - 0.5 * share * radius * radius);
            }
        }
        least.exponential()
    }

    /// Takes in features that were zero in all rows: the quadratics do not depend on them, and hold on the cylinder over the
    /// region. What is kept is the part of it with this `curvature`, a small one, along the new features, because a region
    /// must be an ellipsoid.
    pub(super) fn grow(&mut self, dimension: usize, curvature: f64) {
        let from = self.centre.len();
        self.centre.resize(dimension, 0.0);
        grow_matrix(&mut self.matrix, from, dimension, curvature);
    }

    /// Checks what was stored.
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        check_vector("region.centre", &self.centre, dimension)?;
        check_vector("region.matrix", &self.matrix, dimension * dimension)?;
        // Without that it is no ellipsoid, and what lies inside of it would be overstated.
        let sound = is_definite(&self.matrix);
        check_number("region.matrix", trace(&self.matrix, dimension), sound, "positive definite")?;
        check_number("region.radius", self.radius, self.radius > 0.0, "positive")
    }
}

/// Working memory for [`Region::penalty`].
#[derive(Debug, Clone)]
pub(crate) struct Scratch {
    vector: Vec<f64>,
    matrix: Vec<f64>,
    cholesky: Cholesky,
}

impl Scratch {
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            vector: vec![0.0; dimension],
            matrix: vec![0.0; dimension * dimension],
            cholesky: Cholesky::new(dimension),
        }
    }
}

/// Whether a matrix is positive definite to working precision.
fn is_definite(matrix: &[f64]) -> bool {
    Cholesky::new(matrix.len().isqrt()).factor(matrix, 0.0)
}

/// The radius of a new region: the one outside of which a standard Gaussian has less than a hundredth (Laurent and Massart
/// 2000, Lemma 1, with x = log 100), and the [`reserve`]. A larger one costs curvature, a smaller one mass.
fn radius(dimension: usize) -> f64 {
    let (d, x) = (dimension as f64, 100_f64.logarithm());
    (d + 2.0 * (d * x).sqrt() + 2.0 * x).sqrt() + reserve(dimension)
}

/// For how far the estimate may move before the data have outgrown the region.
fn reserve(dimension: usize) -> f64 {
    1.0 + 0.75 * (dimension as f64).sqrt()
}
