//! Symmetric matrices of a few rows, by the plainest algorithms: nothing is shared with the code under test.

pub(super) type Matrix = Vec<Vec<f64>>;

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

pub(super) fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

pub(super) fn scaled_identity(d: usize, c: f64) -> Matrix {
    (0..d).map(|i| (0..d).map(|j| if i == j { c } else { 0.0 }).collect()).collect()
}

/// a + c x x'.
pub(super) fn add_outer(a: &mut Matrix, c: f64, x: &[f64]) {
    for (row, xi) in a.iter_mut().zip(x) {
        for (entry, xj) in row.iter_mut().zip(x) {
            *entry += c * xi * xj;
        }
    }
}

/// a - c b.
pub(super) fn subtract(a: &Matrix, c: f64, b: &Matrix) -> Matrix {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a - c * b).collect()).collect()
}

pub(super) fn apply(a: &Matrix, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| dot(row, x)).collect()
}

/// x'a x.
pub(super) fn square(a: &Matrix, x: &[f64]) -> f64 {
    dot(&apply(a, x), x)
}

pub(super) fn trace(a: &Matrix) -> f64 {
    (0..a.len()).map(|i| a[i][i]).sum()
}

/// The lower triangle l with l l' = a.
fn cholesky(a: &Matrix) -> Matrix {
    let d = a.len();
    let mut l = scaled_identity(d, 0.0);
    for i in 0..d {
        for j in 0..=i {
            let rest = a[i][j] - dot(&l[i][..j], &l[j][..j]);
            l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
        }
    }
    assert!((0..d).all(|i| l[i][i] > 0.0), "{a:?} is not positive definite");
    l
}

pub(super) fn solve(a: &Matrix, b: &[f64]) -> Vec<f64> {
    let l = cholesky(a);
    let d = a.len();
    let mut x = b.to_vec();
    for i in 0..d {
        x[i] = (x[i] - dot(&l[i][..i], &x[..i])) / l[i][i];
    }
    for i in (0..d).rev() {
        let above: f64 = (i + 1..d).map(|j| l[j][i] * x[j]).sum();
        x[i] = (x[i] - above) / l[i][i];
    }
    x
}

/// x'a^{-1} x.
pub(super) fn inverse_square(a: &Matrix, x: &[f64]) -> f64 {
    dot(&solve(a, x), x)
}

pub(super) fn log_determinant(a: &Matrix) -> f64 {
    let l = cholesky(a);
    (0..a.len()).map(|i| 2.0 * l[i][i].ln()).sum()
}

/// The least eigenvalue, by Jacobi's rotations.
pub(super) fn least_eigenvalue(a: &Matrix) -> f64 {
    let mut a = a.clone();
    let d = a.len();
    for _ in 0..30 {
        for p in 0..d {
            for q in p + 1..d {
                rotate(&mut a, p, q);
            }
        }
    }
    (0..d).map(|i| a[i][i]).fold(f64::INFINITY, f64::min)
}

fn rotate(a: &mut Matrix, p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let ratio = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let tangent = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    for row in a.iter_mut() {
        (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
    }
    let (above, below) = a.split_at_mut(q);
    for (first, second) in above[p].iter_mut().zip(below[0].iter_mut()) {
        (*first, *second) = (cosine * *first - sine * *second, sine * *first + cosine * *second);
    }
}

/// Whether a - c b has no eigenvalue below zero, but for rounding.
pub(super) fn dominates(a: &Matrix, c: f64, b: &Matrix) -> bool {
    least_eigenvalue(&subtract(a, c, b)) >= -1e-12 * (trace(a) + c * trace(b))
}

#[test]
fn the_algebra_is_right() {
    let a = vec![vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -1.0], vec![0.5, -1.0, 2.0]];
    let x = solve(&a, &[1.0, 2.0, 3.0]);
    assert!(minus(&apply(&a, &x), &[1.0, 2.0, 3.0]).iter().all(|e| e.abs() < 1e-14));
    // 4(6 - 1) - 1(2 + 0.5) + 0.5(-1 - 1.5) = 16.25.
    assert!((log_determinant(&a) - 16.25_f64.ln()).abs() < 1e-14);
    let least = least_eigenvalue(&a);
    let shifted = subtract(&a, least - 1e-9, &scaled_identity(3, 1.0));
    assert!(log_determinant(&shifted) < -15.0, "the matrix less its least eigenvalue is all but singular");
    assert!(dominates(&a, 0.999 * least, &scaled_identity(3, 1.0)));
    assert!(!dominates(&a, 1.001 * least, &scaled_identity(3, 1.0)));
}
