//! The Cholesky factor, through which every linear system of the crate is solved.

use super::vectors::{add_scaled, dot};

/// The Cholesky factor of a symmetric positive definite matrix, in memory that is kept from one use to the next.
#[derive(Debug, Clone)]
pub struct Cholesky {
    dimension: usize,
    /// Lower factor, row-major.
    factor: Vec<f64>,
    /// Reciprocals of its diagonal.
    inverse_diagonal: Vec<f64>,
}

impl Cholesky {
    /// Memory for the factor of a matrix of `dimension` rows.
    pub fn new(dimension: usize) -> Self {
        Self { dimension, factor: vec![0.0; dimension * dimension], inverse_diagonal: vec![0.0; dimension] }
    }

    /// Factors `a + shift * I`. Returns false if that is not positive definite to working precision; the factor is then
    /// unusable.
    #[must_use]
    pub fn factor(&mut self, a: &[f64], shift: f64) -> bool {
        let d = self.dimension;
        for i in 0..d {
            let (done, rest) = self.factor.split_at_mut(i * d);
            let row = &mut rest[..=i];
            for j in 0..i {
                let sum = dot(&row[..j], &done[j * d..][..j]);
                row[j] = (a[i * d + j] - sum) * self.inverse_diagonal[j];
            }
            let diagonal = a[i * d + i] + shift;
            let pivot = diagonal - dot(&row[..i], &row[..i]);
            // What is left of the pivot must exceed the rounding error of its computation.
            if !(pivot > diagonal * (d as f64) * f64::EPSILON) || !pivot.is_finite() {
                return false;
            }
            row[i] = pivot.sqrt();
            self.inverse_diagonal[i] = 1.0 / row[i];
        }
        true
    }

    /// Factors `a + shift * I` for a positive `shift`, multiplied by `times` as often as rounding asks for. A shift beyond the
    /// trace always succeeds; there is an end to it only because a matrix of NaN has no factor.
    pub(crate) fn factor_raised(&mut self, a: &[f64], mut shift: f64, times: f64) {
        while !self.factor(a, shift) && shift < 1e300 {
            shift *= times;
        }
    }

    /// `b <- L b`: turns independent standard normal numbers into a draw with covariance A.
    pub(crate) fn multiply_lower(&self, b: &mut [f64]) {
        let d = self.dimension;
        for i in (0..d).rev() {
            b[i] = dot(&self.factor[i * d..][..=i], &b[..=i]);
        }
    }

    /// `b <- L^{-1} b`, after which `||b||^2` is the old `b' A^{-1} b`.
    pub fn solve_lower(&self, b: &mut [f64]) {
        let d = self.dimension;
        for i in 0..d {
            b[i] = (b[i] - dot(&self.factor[i * d..][..i], &b[..i])) * self.inverse_diagonal[i];
        }
    }

    /// `b <- L^{-T} b`.
    pub(crate) fn solve_upper(&self, b: &mut [f64]) {
        let d = self.dimension;
        for i in (0..d).rev() {
            b[i] *= self.inverse_diagonal[i];
            let bi = b[i];
            add_scaled(&mut b[..i], -bi, &self.factor[i * d..][..i]);
        }
    }

    /// `b <- A^{-1} b`.
    pub fn solve(&self, b: &mut [f64]) {
        self.solve_lower(b);
        self.solve_upper(b);
    }

    /// Lower triangle of the inverse, written to `inverse`: first L^{-1}, row by row, then L^{-T} L^{-1} in its place. Either
    /// takes d^3/6 multiplications, along rows only.
    pub(crate) fn inverse_into(&self, inverse: &mut [f64]) {
        let d = self.dimension;
        for i in 0..d {
            let (done, rest) = inverse.split_at_mut(i * d);
            let row = &mut rest[..=i];
            row.fill(0.0);
            for (j, l) in self.factor[i * d..][..i].iter().enumerate() {
                add_scaled(&mut row[..=j], -l, &done[j * d..][..=j]);
            }
            row[i] = 1.0;
            row.iter_mut().for_each(|v| *v *= self.inverse_diagonal[i]);
        }
        for i in 0..d {
            let (row, below) = inverse[i * d..].split_at_mut(d);
            let row = &mut row[..=i];
            let own = row[i];
            row.iter_mut().for_each(|v| *v *= own);
            for other in below.chunks_exact(d) {
                add_scaled(row, other[i], &other[..=i]);
            }
        }
    }

    /// Row i of the factor left of its diagonal, and the reciprocal of the diagonal.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> (&[f64], f64) {
        (&self.factor[i * self.dimension..][..i], self.inverse_diagonal[i])
    }

    /// Logarithm of the determinant of the factored matrix.
    pub fn log_det(&self) -> f64 {
        -2.0 * self.inverse_diagonal.iter().map(|v| v.ln()).sum::<f64>()
    }
}
