//! Products with a symmetric matrix of which the lower triangle is stored, row-major.

use super::vectors::{LANES, add_scaled, dot};

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

/// From this dimension on it pays to ask which vector registers there are. The sums are the same ones in the same order
/// whatever the answer, so that results do not depend on it.
const WIDE: usize = 16;

/// `x'Ax` for a symmetric matrix of which the lower triangle is stored: half the work of `quadratic_form`.
pub fn square_form(a: &[f64], x: &[f64]) -> f64 {
    let form = SquareForm { a, x };
    if x.len() < WIDE { form.compute() } else { crate::numerics::dispatch(form) }
}

/// The loop of [`square_form`], which the dispatch compiles once for each instruction set; as are those below.
struct SquareForm<'a> {
    a: &'a [f64],
    x: &'a [f64],
}

impl SquareForm<'_> {
    #[inline(always)]
    fn compute(self) -> f64 {
        let Self { a, x } = self;
        let d = x.len();
        let mut sum = 0.0;
        for i in 0..d {
            let row = &a[i * d..][..=i];
            sum += x[i] * (row[i] * x[i] + 2.0 * dot(&row[..i], &x[..i]));
        }
        sum
    }
}

impl pulp::WithSimd for SquareForm<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        self.compute()
    }
}

/// Vectors whose forms are computed together.
pub(crate) const TOGETHER: usize = 4;

/// `x'Ax` for several vectors, to the bit what [`square_form`] says of each, with one reading of the matrix.
pub(crate) fn square_forms(a: &[f64], x: [&[f64]; TOGETHER]) -> [f64; TOGETHER] {
    if x[0].len() < WIDE { x.map(|x| square_form(a, x)) } else { crate::numerics::dispatch(SquareForms { a, x }) }
}

struct SquareForms<'a> {
    a: &'a [f64],
    x: [&'a [f64]; TOGETHER],
}

impl pulp::WithSimd for SquareForms<'_> {
    type Output = [f64; TOGETHER];

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> [f64; TOGETHER] {
        let Self { a, x } = self;
        let d = x[0].len();
        let mut sums = [0.0; TOGETHER];
        for i in 0..d {
            let row = &a[i * d..][..=i];
            let below = [&x[0][..i], &x[1][..i], &x[2][..i], &x[3][..i]];
            let dots = dots(&row[..i], below);
            for k in 0..TOGETHER {
                sums[k] += x[k][i] * (row[i] * x[k][i] + 2.0 * dots[k]);
            }
        }
        sums
    }
}

/// Inner products of one vector with several, each with the partial sums of [`dot`].
#[inline(always)]
fn dots(row: &[f64], [a, b, c, d]: [&[f64]; TOGETHER]) -> [f64; TOGETHER] {
    let [mut la, mut lb, mut lc, mut ld] = [[0.0; LANES]; TOGETHER];
    let (main, tail) = row.as_chunks::<LANES>();
    let [(ma, ta), (mb, tb), (mc, tc), (md, td)] = [a, b, c, d].map(|x| x.as_chunks::<LANES>());
    for ((((r, a), b), c), d) in main.iter().zip(ma).zip(mb).zip(mc).zip(md) {
        for l in 0..LANES {
            la[l] += r[l] * a[l];
            lb[l] += r[l] * b[l];
            lc[l] += r[l] * c[l];
            ld[l] += r[l] * d[l];
        }
    }
    let mut sums = [0.0; TOGETHER];
    for ((((r, a), b), c), d) in tail.iter().zip(ta).zip(tb).zip(tc).zip(td) {
        sums[0] += r * a;
        sums[1] += r * b;
        sums[2] += r * c;
        sums[3] += r * d;
    }
    if !main.is_empty() {
        for (sum, lanes) in sums.iter_mut().zip([la, lb, lc, ld]) {
            *sum += lanes.iter().sum::<f64>();
        }
    }
    sums
}

/// `y = Ax` for a symmetric matrix of which the lower triangle is stored.
pub(crate) fn multiply(a: &[f64], x: &[f64], y: &mut [f64]) {
    let product = Product { a, x, y };
    if product.x.len() < WIDE { product.compute() } else { crate::numerics::dispatch(product) }
}

struct Product<'a> {
    a: &'a [f64],
    x: &'a [f64],
    y: &'a mut [f64],
}

impl Product<'_> {
    #[inline(always)]
    fn compute(self) {
        let Self { a, x, y } = self;
        let d = x.len();
        for i in 0..d {
            let row = &a[i * d..][..=i];
            y[i] = dot(row, &x[..=i]);
            let xi = x[i];
            add_scaled(&mut y[..i], xi, &row[..i]);
        }
    }
}

impl pulp::WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.compute();
    }
}

/// `a += weight * x x'`, lower triangle.
pub fn add_outer(a: &mut [f64], weight: f64, x: &[f64]) {
    let sum = OuterSum { a, weight, x };
    if x.len() < WIDE { sum.compute() } else { crate::numerics::dispatch(sum) }
}

struct OuterSum<'a> {
    a: &'a mut [f64],
    weight: f64,
    x: &'a [f64],
}

impl OuterSum<'_> {
    #[inline(always)]
    fn compute(self) {
        let Self { a, weight, x } = self;
        let d = x.len();
        for i in 0..d {
            add_scaled(&mut a[i * d..][..=i], weight * x[i], &x[..=i]);
        }
    }
}

impl pulp::WithSimd for OuterSum<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.compute();
    }
}

/// `a += sum of weight * x x'` over the rows x of `rows`, lower triangle, with one reading of the matrix.
pub(crate) fn add_outers(a: &mut [f64], weights: &[f64], rows: &[f64], dimension: usize) {
    crate::numerics::dispatch(OuterSums { a, weights, rows, dimension });
}

struct OuterSums<'a> {
    a: &'a mut [f64],
    weights: &'a [f64],
    rows: &'a [f64],
    dimension: usize,
}

impl pulp::WithSimd for OuterSums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { a, weights, rows, dimension: d } = self;
        for i in 0..d {
            let row = &mut a[i * d..][..=i];
            for (x, weight) in rows.chunks_exact(d).zip(weights) {
                add_scaled(row, weight * x[i], &x[..=i]);
            }
        }
    }
}

/// The trace of a matrix of `dimension` rows.
pub fn trace(a: &[f64], dimension: usize) -> f64 {
    a.iter().step_by(dimension + 1).sum()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::generator;

    #[test]
    fn forms_together_are_forms_alone_to_the_bit() {
        let mut rng = generator(1);
        for d in [1, 7, 8, 15, 16, 17, 24, 31, 40, 100] {
            let mut numbers = |count: usize| (0..count).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
            let (a, x) = (numbers(d * d), numbers(TOGETHER * d));
            let rows: [&[f64]; TOGETHER] = std::array::from_fn(|k| &x[k * d..][..d]);
            assert_eq!(square_forms(&a, rows), rows.map(|x| square_form(&a, x)));
        }
    }

    /// What the dispatched loops compute, in plain order: a product with every entry of the matrix.
    #[test]
    fn products_agree_with_their_definition() {
        let mut rng = generator(2);
        for d in [3, 16, 33] {
            let mut numbers = |count: usize| (0..count).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
            let (mut a, x, mut y) = (numbers(d * d), numbers(d), vec![0.0; d]);
            let entry = |a: &[f64], i: usize, j: usize| a[i.max(j) * d + i.min(j)];
            multiply(&a, &x, &mut y);
            for (i, product) in y.iter().enumerate() {
                let slow: f64 = (0..d).map(|j| entry(&a, i, j) * x[j]).sum();
                assert!((product - slow).abs() < 1e-13 * d as f64);
            }
            assert!((square_form(&a, &x) - dot(&x, &y)).abs() < 1e-13 * d as f64);
            let before = a.clone();
            add_outer(&mut a, 0.5, &x);
            for i in 0..d {
                (0..=i).for_each(|j| assert_eq!(a[i * d + j], before[i * d + j] + 0.5 * x[i] * x[j]));
            }
        }
    }
}
