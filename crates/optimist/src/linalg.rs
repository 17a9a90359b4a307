//! The little dense linear algebra that the planner's hot loop needs.
//!
//! Symmetric matrices are slices of d*d numbers in row-major order of which only the lower triangle is read or written.
//! Written by hand because a round at d = 2 costs about a microsecond in all, which leaves no room for a general
//! library's dispatch, and because every buffer must be the caller's.

/// Number of independent partial sums of a dot product: enough to fill two vector registers and hide their latency.
pub(crate) const LANES: usize = 8;

/// Inner product, with `LANES` partial sums so that the compiler may use vector registers.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a_main, a_tail) = a.as_chunks::<LANES>();
    let (b_main, b_tail) = b.as_chunks::<LANES>();
    for (x, y) in a_main.iter().zip(b_main) {
        for l in 0..LANES {
            lanes[l] += x[l] * y[l];
        }
    }
    let mut sum = 0.0;
    for (x, y) in a_tail.iter().zip(b_tail) {
        sum += x * y;
    }
    if a_main.is_empty() { sum } else { sum + lanes.iter().sum::<f64>() }
}

/// Euclidean norm, safe against overflow and underflow of the squares.
pub fn norm(a: &[f64]) -> f64 {
    let squared = dot(a, a);
    if squared > 1e-280 && squared < 1e280 {
        return squared.sqrt();
    }
    if squared.is_nan() {
        return f64::NAN;
    }
    let scale = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    scale * a.iter().map(|v| (v / scale) * (v / scale)).sum::<f64>().sqrt()
}

/// `y += s * x`.
#[inline(always)]
pub(crate) fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    for (yi, xi) in y.iter_mut().zip(x) {
        *yi += s * xi;
    }
}

/// `x'Ay` for a symmetric matrix of which the lower triangle is stored.
pub(crate) fn quadratic_form(a: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let d = x.len();
    let mut sum = 0.0;
    for i in 0..d {
        let row = &a[i * d..][..i];
        sum += a[i * d + i] * x[i] * y[i] + x[i] * dot(row, &y[..i]) + y[i] * dot(row, &x[..i]);
    }
    sum
}

/// `x'Ax` for a symmetric matrix of which the lower triangle is stored: half the work of [`quadratic_form`].
pub(crate) fn square_form(a: &[f64], x: &[f64]) -> f64 {
    let d = x.len();
    let mut sum = 0.0;
    for i in 0..d {
        let row = &a[i * d..][..=i];
        sum += x[i] * (row[i] * x[i] + 2.0 * dot(&row[..i], &x[..i]));
    }
    sum
}

/// `y = Ax` for a symmetric matrix of which the lower triangle is stored.
pub(crate) fn multiply(a: &[f64], x: &[f64], y: &mut [f64]) {
    let d = x.len();
    for i in 0..d {
        let row = &a[i * d..][..=i];
        y[i] = dot(row, &x[..=i]);
        let xi = x[i];
        add_scaled(&mut y[..i], xi, &row[..i]);
    }
}

/// The Cholesky factor of a symmetric positive definite matrix, in memory that is kept from one use to the next.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    dimension: usize,
    /// Lower factor, row-major.
    factor: Vec<f64>,
    /// Reciprocals of its diagonal.
    inverse_diagonal: Vec<f64>,
}

impl Cholesky {
    pub(crate) fn new(dimension: usize) -> Self {
        Self { dimension, factor: vec![0.0; dimension * dimension], inverse_diagonal: vec![0.0; dimension] }
    }

    /// Factors `a + shift * I`. Returns false if that is not positive definite to working precision; the factor is then
    /// unusable.
    #[must_use]
    pub(crate) fn factor(&mut self, a: &[f64], shift: f64) -> bool {
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

    /// `b <- L b`: turns independent standard normal numbers into a draw with covariance A.
    pub(crate) fn multiply_lower(&self, b: &mut [f64]) {
        let d = self.dimension;
        for i in (0..d).rev() {
            b[i] = dot(&self.factor[i * d..][..=i], &b[..=i]);
        }
    }

    /// `b <- L^{-1} b`, after which `||b||^2` is the old `b' A^{-1} b`.
    pub(crate) fn solve_lower(&self, b: &mut [f64]) {
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
    pub(crate) fn solve(&self, b: &mut [f64]) {
        self.solve_lower(b);
        self.solve_upper(b);
    }

    /// Lower triangle of the inverse, written to `inverse`; `column` is d numbers of working memory.
    pub(crate) fn inverse_into(&self, inverse: &mut [f64], column: &mut [f64]) {
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

    /// Logarithm of the determinant of the factored matrix.
    pub(crate) fn log_det(&self) -> f64 {
        -2.0 * self.inverse_diagonal.iter().map(|v| v.ln()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_of_all_sizes_and_of_none() {
        assert_eq!(norm(&[3.0, 4.0]), 5.0);
        assert_eq!(norm(&[0.0, -0.0]), 0.0);
        for scale in [1e-200, 1e200] {
            assert!((norm(&[3.0 * scale, -4.0 * scale]) / (5.0 * scale) - 1.0).abs() < 1e-15);
        }
        assert_eq!(norm(&[f64::NEG_INFINITY, 1.0]), f64::INFINITY);
        // What is not a number must not pass for a short vector.
        assert!(norm(&[f64::NAN, 0.0]).is_nan() && norm(&[1e200, f64::NAN]).is_nan());
    }
}
