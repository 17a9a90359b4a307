//! Normal draws around an estimate whose precision grows by rank-one terms.

use super::gaussian::perturb;
use super::widths::Ellipse;
use crate::linalg::Cholesky;
use crate::policy::rule::Turn;

/// A factor of the precision, computed when a draw is asked for and the matrix has changed, and the last draw.
#[derive(Debug, Clone, Default)]
pub(in crate::policy) struct Draws {
    cholesky: Option<Box<Cholesky>>,
    /// Whether the factor belongs to the matrix as it is now.
    current: bool,
    draw: Vec<f64>,
}

impl Draws {
    /// The matrix has changed.
    pub(in crate::policy) fn outdate(&mut self) {
        self.current = false;
    }

    /// A draw from N(centre, radius^2 A^{-1}).
    pub(in crate::policy) fn draw(&mut self, ellipse: Ellipse<'_>, turn: Turn<'_>) -> &[f64] {
        let d = ellipse.centre.len();
        let cholesky = self.cholesky.get_or_insert_with(|| Box::new(Cholesky::new(d)));
        if !self.current {
            // The matrix holds its ridge, so that it is singular only where 1e15 observations swamp that: then the ridge
            // is raised, to what rounding has taken.
            let matrix = ellipse.precision.matrix();
            let largest = (0..d).map(|i| matrix[i * d + i]).fold(f64::MIN_POSITIVE, f64::max);
            let mut shift = 0.0;
            while !cholesky.factor(matrix, shift) && shift < 1e300 {
                shift = (4.0 * shift).max(largest * f64::EPSILON);
            }
            self.current = true;
        }
        perturb(ellipse.centre, ellipse.radius, cholesky, turn.rng, &mut self.draw);
        &self.draw
    }
}
