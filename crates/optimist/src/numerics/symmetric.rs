//! Products with a symmetric matrix of which the lower triangle is stored, row-major.

use super::vectors::{add_scaled, dot};

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

/// `x'Ax` for a symmetric matrix of which the lower triangle is stored: half the work of `quadratic_form`.
pub fn square_form(a: &[f64], x: &[f64]) -> f64 {
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

/// `a += weight * x x'`, lower triangle.
#[inline]
pub fn add_outer(a: &mut [f64], weight: f64, x: &[f64]) {
    let d = x.len();
    for i in 0..d {
        add_scaled(&mut a[i * d..][..=i], weight * x[i], &x[..=i]);
    }
}

/// The trace of a matrix of `dimension` rows.
pub fn trace(a: &[f64], dimension: usize) -> f64 {
    a.iter().step_by(dimension + 1).sum()
}
