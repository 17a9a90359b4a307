//! Solutions of symmetric systems whose matrix may be singular, while the right sides lie in its span.

use crate::numerics::{Cholesky, add_scaled, multiply};

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
        for (i, scale) in self.scale.iter_mut().enumerate() {
            let diagonal = h[i * d + i];
            *scale = if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 1.0 };
        }
        for i in 0..d {
            for j in 0..=i {
                self.scaled[i * d + j] = h[i * d + j] * self.scale[i] * self.scale[j];
            }
        }
        self.ridge = 0.0;
        while !self.cholesky.factor(&self.scaled, self.ridge) {
            self.ridge = if self.ridge == 0.0 { 1e-15 * d as f64 } else { 10.0 * self.ridge };
            if self.ridge > 1e-3 {
                return false;
            }
        }
        true
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

    fn scale_left(&mut self) {
        self.left.iter_mut().zip(&self.scale).for_each(|(l, s)| *l *= s);
    }
}
