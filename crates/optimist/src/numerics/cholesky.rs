//! The Cholesky factor, through which every linear system of the crate is solved.

use super::Elementary;
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
        self.factor_grown(a, shift, 1.0)
    }

    /// Factors a matrix a little above `a + shift * I`, so that rounding cannot leave the factor below it: what LL' is exactly,
    /// for the numbers that are stored, is no less than `a + shift * I` for the exact `a`, of which the one that is given is a
    /// sum of outer products with `additions` additions per entry. So [`Cholesky::log_det`] does not fall short (but for the
    /// last digits of the logarithms themselves), and `b' A^{-1} b` by [`Cholesky::solve_lower`] does not exceed what it is.
    ///
    /// With D the diagonal of A = a + shift I and u = 2^-53, errors are compared to D: if |E_ij| <= e sqrt(D_ii D_jj) then
    /// -d e D <= E <= d e D, because the absolute row sums of such a matrix, scaled, are at most d e. To first order in u,
    ///
    /// - an entry of `a` is wrong by (additions + 2) u times the sum of the terms' absolute values, which is at most
    ///   sqrt(a_ii a_jj) (Cauchy and Schwarz); two are for the products;
    /// - LL' differs from what is factored by (d + 4) u |L||L'| (Higham 2002, Theorem 10.3; a reciprocal in place of the
    ///   division and its part in the diagonal are three more), and |L||L'| is at most sqrt(D_ii D_jj) as well;
    /// - forward substitution solves exactly for L + dL, |dL| <= (d + 1) u |L|: twice that in LL';
    /// - shift and growth round the diagonal by 2 u, which needs no factor d.
    ///
    /// Together that is less than d (additions + 3 d + 10) u D. Growing the diagonal by d (additions + 4 d + 12) u covers it
    /// with the terms of second order as long as it is small beside one. For two features and forty arms it is 1.5e-14.
    #[must_use]
    pub(crate) fn factor_above(&mut self, a: &[f64], shift: f64, additions: f64) -> bool {
        self.factor_grown(a, shift, 1.0 + self.doubt(additions))
    }

    /// As [`Cholesky::factor_above`] for a matrix a little below: what LL' is exactly is no more than `a + shift * I`, and
    /// `b' A^{-1} b` by [`Cholesky::solve_lower`] does not fall short. The same errors, taken off.
    #[must_use]
    pub(crate) fn factor_below(&mut self, a: &[f64], shift: f64, additions: f64) -> bool {
        self.factor_grown(a, shift, 1.0 - self.doubt(additions))
    }

    /// By which part of the diagonal the two may differ from what they factor.
    fn doubt(&self, additions: f64) -> f64 {
        let d = self.dimension as f64;
        d * (additions + 4.0 * d + 12.0) * (0.5 * f64::EPSILON)
    }

    /// Factors `a + shift * I` with its diagonal multiplied by `growth`.
    fn factor_grown(&mut self, a: &[f64], shift: f64, growth: f64) -> bool {
        let d = self.dimension;
        for i in 0..d {
            let (done, rest) = self.factor.split_at_mut(i * d);
            let row = &mut rest[..=i];
            for j in 0..i {
                let sum = dot(&row[..j], &done[j * d..][..j]);
                row[j] = (a[i * d + j] - sum) * self.inverse_diagonal[j];
            }
            let diagonal = (a[i * d + i] + shift) * growth;
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

    /// Lower triangle of the inverse, a column at a time: three times the work of [`Cholesky::inverse_into`], but every column
    /// is the solution of a system whose error is known. `column` is d numbers of working memory.
    fn inverse_by_columns(&self, inverse: &mut [f64], column: &mut [f64]) {
        let d = self.dimension;
        for j in 0..d {
            column.fill(0.0);
            column[j] = 1.0;
            self.solve(column);
            for (i, value) in column.iter().enumerate().skip(j) {
                inverse[i * d + j] = *value;
            }
        }
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

    /// Lower triangle of a matrix that is no less than the inverse of `a + shift * I` for a positive `shift`, whatever rounding
    /// does; `column` is d numbers of working memory.
    ///
    /// Where the data swamp the shift it cannot simply be raised: that would make the inverse smaller. But the data may be
    /// given less weight: for s >= shift, (shift/s)(a + s I) is at most a + shift I, so that its inverse is at least the one
    /// that is asked for, and the same in directions of which `a` knows nothing. With e = d (4 d + 12) u trace(a + s I), u =
    /// 2^-53, in which the trace stands for the diagonal of [`Cholesky::factor_above`],
    ///
    /// - LL' is at most a + (s + e) I, hence shift/(s + e) in place of shift/s;
    /// - column j of the computed inverse N solves (LL' + E_j) n_j = e_j exactly, |E_j| <= 2e. So x'Nx is wrong by
    ///   r |x| |x|_{N}/sqrt(s) at most, r = 2 sqrt(d) e/s, which is at most r x'Nx + (r/4)|x|^2/s.
    ///
    /// s is a thousand times e at least, so that all this is small. It is the shift itself up to some 1e14 observations.
    pub(crate) fn inverse_above(&mut self, a: &[f64], shift: f64, inverse: &mut [f64], column: &mut [f64]) {
        let d = self.dimension;
        let unit = (d * (4 * d + 12)) as f64 * (0.5 * f64::EPSILON);
        let swamped = unit * super::trace(a, d);
        let s = shift.max(1024.0 * swamped);
        let e = swamped + unit * d as f64 * s;
        if !(s.is_finite() && self.factor(a, s)) {
            // Nothing can be said of such a matrix but that it is not negative.
            inverse.fill(0.0);
            inverse.iter_mut().step_by(d + 1).for_each(|v| *v = 1.0 / shift);
            return;
        }
        self.inverse_by_columns(inverse, column);
        let r = 2.0 * (d as f64).sqrt() * e / s;
        inverse.iter_mut().for_each(|v| *v *= (1.0 + r) * ((s + e) / shift));
        inverse.iter_mut().step_by(d + 1).for_each(|v| *v += 0.25 * r * (s + e) / (s * shift));
    }

    /// Row i of the factor left of its diagonal, and the reciprocal of the diagonal.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> (&[f64], f64) {
        (&self.factor[i * self.dimension..][..i], self.inverse_diagonal[i])
    }

    /// Logarithm of the determinant of the factored matrix.
    pub fn log_det(&self) -> f64 {
        -2.0 * self.inverse_diagonal.iter().map(|v| v.logarithm()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::square_form;

    #[test]
    fn forms_by_a_factor_below_do_not_fall_short() {
        let (x, normal) = ([0.375, 0.5], [-0.5, 0.375]);
        let square = 25.0 / 64.0;
        let mut cholesky = Cholesky::new(2);
        for n in (0..13).map(|power| 10_f64.powi(power)) {
            let a = [n * x[0] * x[0], 0.0, n * x[0] * x[1], n * x[1] * x[1]];
            assert!(cholesky.factor_below(&a, 2.0, 1.0), "{n:e}");
            let form = |mut b: [f64; 2]| {
                cholesky.solve_lower(&mut b);
                dot(&b, &b)
            };
            let (along, across) = (form(x), form(normal));
            let exact = [square / (2.0 + n * square), square / 2.0];
            assert!(along >= exact[0] && across >= exact[1], "{n:e}: {along:e} {across:e} {exact:?}");
            assert!(n > 1e6 || across <= exact[1] * (1.0 + 1e-8), "{n:e}: {across:e}");
        }
        // What is singular to working precision has no factor below.
        assert!(!cholesky.factor_below(&[1.0, 0.0, 1.0, 1.0], 0.0, 1.0));
    }

    /// n xx' + shift I, whose inverse is known: x = (3, 4)/8 and its normal are exact.
    #[test]
    fn an_inverse_from_above_is_never_below() {
        let (x, normal) = ([0.375, 0.5], [-0.5, 0.375]);
        let square = 25.0 / 64.0;
        let (mut cholesky, mut inverse, mut column) = (Cholesky::new(2), [0.0; 4], [0.0; 2]);
        for shift in [0.1, 2000.0] {
            for n in (0..22).map(|power| 10_f64.powi(power)) {
                let a = [n * x[0] * x[0], 0.0, n * x[0] * x[1], n * x[1] * x[1]];
                cholesky.inverse_above(&a, shift, &mut inverse, &mut column);
                let (along, across) = (square_form(&inverse, &x), square_form(&inverse, &normal));
                let exact = [square / (shift + n * square), square / shift];
                assert!(along >= exact[0] && across >= exact[1], "{n:e}: {along:e} {across:e} {exact:?}");
                // In the direction of which nothing is known no width is lost, and next to none in the other at ordinary sizes.
                assert!(across <= exact[1] * 1.01, "{n:e}: {across:e}");
                assert!(n > 1e3 * shift || along <= exact[0] * (1.0 + 1e-8), "{n:e}: {along:e}");
            }
        }
        cholesky.inverse_above(&[f64::INFINITY; 4], 2.0, &mut inverse, &mut column);
        assert_eq!([inverse[0], inverse[2], inverse[3]], [0.5, 0.0, 0.5]);
    }
}
