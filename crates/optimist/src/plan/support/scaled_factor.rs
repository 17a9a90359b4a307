//! Solutions of symmetric systems whose matrix may be singular, while the right sides lie in its span.

use crate::numerics::{Cholesky, Elementary, add_scaled, multiply};

/// Least eigenvalue, relative to the trace, of a matrix that is regular beyond doubt.
const REGULAR: f64 = 1e-9;

/// The factor of a matrix scaled to a unit diagonal, or if that is singular, with a vanishing ridge.
pub(super) struct ScaledFactor {
    cholesky: Cholesky,
    scaled: Vec<f64>,
    /// Square roots of the diagonal's reciprocals.
    scale: Vec<f64>,
    ridge: f64,
    left: Vec<f64>,
    product: Vec<f64>,
}

impl ScaledFactor {
    pub(super) fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        Self {
            cholesky: Cholesky::new(dimension),
            scaled: vec![0.0; dimension * dimension],
            scale: vector.clone(),
            ridge: 0.0,
            left: vector.clone(),
            product: vector,
        }
    }

    /// Factors H; false if that is impossible, because it is not finite or far from positive.
    #[must_use]
    pub(super) fn factor(&mut self, h: &[f64]) -> bool {
        let d = self.scale.len();
        self.fill_scaled(h);
        self.ridge = 0.0;
        while !self.cholesky.factor(&self.scaled, self.ridge) {
            self.ridge = if self.ridge == 0.0 { 1e-15 * d as f64 } else { 10.0 * self.ridge };
            if self.ridge > 1e-3 {
                return false;
            }
        }
        true
    }

    fn fill_scaled(&mut self, h: &[f64]) {
        let d = self.scale.len();
        for (i, scale) in self.scale.iter_mut().enumerate() {
            let diagonal = h[i * d + i];
            *scale = if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 1.0 };
        }
        for i in 0..d {
            for j in 0..=i {
                self.scaled[i * d + j] = h[i * d + j] * self.scale[i] * self.scale[j];
            }
        }
    }

    /// H^{-1} b into `solution`, with steps of refinement, which remove the vanishing ridge from it.
    pub(super) fn solve(&mut self, h: &[f64], b: &[f64], solution: &mut [f64]) {
        solution.fill(0.0);
        self.left.copy_from_slice(b);
        for step in 0..if self.ridge > 0.0 { 4 } else { 2 } {
            if step > 0 {
                multiply(h, solution, &mut self.product);
                for (l, (b, p)) in self.left.iter_mut().zip(b.iter().zip(&self.product)) {
                    *l = b - p;
                }
            }
            self.scale_left();
            self.cholesky.solve(&mut self.left);
            self.scale_left();
            add_scaled(solution, 1.0, &self.left);
        }
    }

    /// A bound on e'H^{-1}e for every e whose entries are at most those of `most`, if H is so far from singular that rounding cannot
    /// have made it regular. Forgets the factor.
    pub(super) fn bound_inverse_form(&mut self, h: &[f64], most: &[f64]) -> Option<f64> {
        let d = self.scale.len();
        self.fill_scaled(h);
        // The trace is d: the sum behind H would need 1e6 rows and more for errors of that size.
        let least = REGULAR * d as f64;
        let square: f64 = most.iter().zip(&self.scale).map(|(e, s)| (e * s).square()).sum();
        self.cholesky.factor(&self.scaled, -2.0 * least).then_some(square / least)
    }

    fn scale_left(&mut self) {
        self.left.iter_mut().zip(&self.scale).for_each(|(l, s)| *l *= s);
    }
}
