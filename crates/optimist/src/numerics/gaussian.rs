//! Draws from a normal distribution given by its precision.

use rand::{Rng, RngExt};

use super::{Cholesky, Ellipsoid, StandardNormal, add_scaled};

/// Fills `out` with independent standard normal numbers.
pub(crate) fn fill_normal(rng: &mut dyn Rng, out: &mut [f64]) {
    out.iter_mut().for_each(|v| *v = rng.sample(StandardNormal));
}

/// Writes a draw from N(centre, scale^2 A^{-1}) to `draw`, where `cholesky` holds the factor of A: with A = LL',
/// L^{-T} times a standard normal vector has covariance A^{-1}.
pub(crate) fn perturb(centre: &[f64], scale: f64, cholesky: &Cholesky, rng: &mut dyn Rng, draw: &mut Vec<f64>) {
    draw.resize(centre.len(), 0.0);
    fill_normal(rng, draw);
    cholesky.solve_upper(draw);
    draw.iter_mut().for_each(|v| *v *= scale);
    add_scaled(draw, 1.0, centre);
}

/// A factor of the precision, computed when a draw is asked for and the matrix has changed, and the last draw.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draws {
    cholesky: Option<Box<Cholesky>>,
    /// Whether the factor belongs to the matrix as it is now.
    current: bool,
    draw: Vec<f64>,
}

impl Draws {
    /// The matrix has changed.
    pub(crate) fn outdate(&mut self) {
        self.current = false;
    }

    /// The matrix has become larger.
    pub(crate) fn grow(&mut self) {
        *self = Self::default();
    }

    /// The last draw.
    pub(crate) fn last(&self) -> &[f64] {
        &self.draw
    }

    /// A draw from N(centre, radius^2 A^{-1}).
    pub(crate) fn draw(&mut self, ellipsoid: Ellipsoid<'_>, rng: &mut dyn Rng) -> &[f64] {
        let d = ellipsoid.centre.len();
        let cholesky = self.cholesky.get_or_insert_with(|| Box::new(Cholesky::new(d)));
        if !self.current {
            // The matrix holds its ridge, so that it is singular only where 1e15 observations swamp that: then the ridge
            // is raised, to what rounding has taken.
            let matrix = ellipsoid.matrix;
            let largest = (0..d).map(|i| matrix[i * d + i]).fold(f64::MIN_POSITIVE, f64::max);
            let mut shift = 0.0;
            while !cholesky.factor(matrix, shift) && shift < 1e300 {
                shift = (4.0 * shift).max(largest * f64::EPSILON);
            }
            self.current = true;
        }
        perturb(ellipsoid.centre, ellipsoid.radius, cholesky, rng, &mut self.draw);
        &self.draw
    }
}
