//! Naive dense algebra, bisection and quadrature: slow, and independent of the library.

pub(super) type Matrix = Vec<Vec<f64>>;

pub(super) fn identity(d: usize, scale: f64) -> Matrix {
    (0..d).map(|i| (0..d).map(|j| if i == j { scale } else { 0.0 }).collect()).collect()
}

pub(super) fn add_outer(a: &mut Matrix, weight: f64, x: &[f64]) {
    for (row, xi) in a.iter_mut().zip(x) {
        for (entry, xj) in row.iter_mut().zip(x) {
            *entry += weight * xi * xj;
        }
    }
}

pub(super) fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub(super) fn apply(a: &Matrix, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| inner(row, x)).collect()
}

pub(super) fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

/// x'Ax.
pub(super) fn form(a: &Matrix, x: &[f64]) -> f64 {
    inner(x, &apply(a, x))
}

/// Gaussian elimination with partial pivoting: the solution and the determinant.
pub(super) fn eliminate(a: &Matrix, b: &[f64]) -> (Vec<f64>, f64) {
    let d = b.len();
    let (mut a, mut b, mut determinant) = (a.clone(), b.to_vec(), 1.0);
    for i in 0..d {
        let pivot = (i..d).max_by(|p, q| a[*p][i].abs().total_cmp(&a[*q][i].abs())).unwrap();
        if pivot != i {
            a.swap(i, pivot);
            b.swap(i, pivot);
            determinant = -determinant;
        }
        determinant *= a[i][i];
        for j in i + 1..d {
            let factor = a[j][i] / a[i][i];
            let row = a[i].clone();
            a[j].iter_mut().zip(&row).for_each(|(entry, pivot)| *entry -= factor * pivot);
            b[j] -= factor * b[i];
        }
    }
    for i in (0..d).rev() {
        for k in i + 1..d {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    (b, determinant)
}

pub(super) fn solve(a: &Matrix, b: &[f64]) -> Vec<f64> {
    eliminate(a, b).0
}

pub(super) fn log_det(a: &Matrix) -> f64 {
    eliminate(a, &vec![0.0; a.len()]).1.ln()
}

/// x'A^{-1}x.
pub(super) fn inverse_form(a: &Matrix, x: &[f64]) -> f64 {
    inner(x, &solve(a, x))
}

/// argmin g'(y - theta) + ||y - theta||_A^2/2 over ||y|| <= bound, by bisection for the multiplier.
pub(super) fn ball_step(a: &Matrix, theta: &[f64], g: &[f64], bound: f64) -> Vec<f64> {
    let right = minus(&apply(a, theta), g);
    let point = |rho: f64| {
        let mut shifted = a.clone();
        (0..theta.len()).for_each(|i| shifted[i][i] += rho);
        solve(&shifted, &right)
    };
    let length = |y: &[f64]| inner(y, y).sqrt();
    if length(&point(0.0)) <= bound {
        return point(0.0);
    }
    point(bisect(0.0, 1e6, |rho| bound - length(&point(rho))))
}

/// Where an increasing function changes sign.
pub(super) fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) <= 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

pub(super) fn mu(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

pub(super) fn curvature(z: f64) -> f64 {
    mu(z) * mu(-z)
}

pub(super) fn loss(z: f64, r: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p() - r * z
}

/// Lower factor of a positive definite matrix.
pub(super) fn cholesky(a: &Matrix) -> Matrix {
    let d = a.len();
    let mut l = identity(d, 0.0);
    for i in 0..d {
        for j in 0..=i {
            let rest = a[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
        }
    }
    l
}

/// L^{-T}b.
pub(super) fn solve_transposed(l: &Matrix, b: &[f64]) -> Vec<f64> {
    let d = b.len();
    let transposed: Matrix = (0..d).map(|i| (0..d).map(|j| l[j][i]).collect()).collect();
    solve(&transposed, b)
}

/// Nodes and weights of the Gauss-Hermite rule for the standard normal, 24 points: the roots of the polynomial of degree
/// 24, and 1/(24 p_23^2) with p_23 the orthonormal polynomial before it.
pub(super) fn hermite() -> Vec<(f64, f64)> {
    let pair = |x: f64| {
        let (mut before, mut now) = (1.0, x);
        for k in 1..24 {
            let next = (x * now - f64::from(k).sqrt() * before) / f64::from(k + 1).sqrt();
            (before, now) = (now, next);
        }
        (before, now)
    };
    let cells = (0..4000).map(|i| -10.0 + 0.005 * f64::from(i));
    let cells = cells.filter(|x| pair(*x).1 * pair(x + 0.005).1 < 0.0);
    let rule: Vec<(f64, f64)> = cells
        .map(|x| {
            let sign = pair(x + 0.005).1.signum();
            let root = bisect(x, x + 0.005, |z| sign * pair(z).1);
            (root, 1.0 / (24.0 * pair(root).0.powi(2)))
        })
        .collect();
    assert_eq!(rule.len(), 24);
    rule
}
