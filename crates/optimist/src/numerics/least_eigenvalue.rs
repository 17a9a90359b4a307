//! A lower bound on the least eigenvalue of a symmetric matrix, certified by factorisations.

use super::cholesky::Cholesky;
use super::symmetric::trace;
use super::vectors::dot;

/// How far below the eigenvalue the bound may end, as a part of it.
const TOLERANCE: f64 = 5e-3;

/// Halvings of the first guess before the matrix is taken for indefinite.
const HALVINGS: usize = 10;

/// Finds lower bounds on least eigenvalues, in memory that is kept from one use to the next.
///
/// A Cholesky factorisation of A - h that runs to its end proves that all eigenvalues of A exceed h, up to a rounding error
/// that is known beforehand (Rump 2006). No eigenvalue solver can be wrong about that, and a handful of factorisations costs
/// less than one.
#[derive(Debug, Clone)]
pub(crate) struct LeastEigenvalue {
    cholesky: Cholesky,
    column: Vec<f64>,
}

impl LeastEigenvalue {
    pub(crate) fn new(dimension: usize) -> Self {
        Self { cholesky: Cholesky::new(dimension), column: vec![0.0; dimension] }
    }

    /// A lower bound on the least eigenvalue of a positive semi-definite matrix that was computed as a sum of `terms` of
    /// its kind; within half a per cent of it if the matrix is well conditioned, and zero if it is singular to working
    /// precision.
    pub(crate) fn bound(&mut self, a: &[f64], terms: usize) -> f64 {
        // Entries of a sum of K positive semi-definite terms are off by K units in the last place of the trace at most, and
        // the factorisation adds about d of them: so this much is taken off every eigenvalue.
        let d = self.column.len();
        let error = (terms + 8 * d + 16) as f64 * f64::EPSILON * trace(a, d);
        if !self.cholesky.factor(a, -error) {
            return 0.0;
        }
        // The sum of the reciprocals of the eigenvalues: its own reciprocal is below all of them, d times that is not.
        let sum = self.trace_of_inverse();
        let (mut low, mut high) = ((1.0 - TOLERANCE) / sum, d as f64 / sum);
        let mut halvings = 0;
        while !self.cholesky.factor(a, -(error + low)) {
            halvings += 1;
            if halvings > HALVINGS {
                return 0.0;
            }
            low *= 0.5;
        }
        while high > low * (1.0 + TOLERANCE) {
            let middle = (low * high).sqrt();
            if self.cholesky.factor(a, -(error + middle)) { low = middle } else { high = middle }
        }
        low
    }

    /// The trace of the inverse of the matrix that is factored.
    fn trace_of_inverse(&mut self) -> f64 {
        let mut sum = 0.0;
        for j in 0..self.column.len() {
            self.column.fill(0.0);
            self.column[j] = 1.0;
            self.cholesky.solve_lower(&mut self.column);
            sum += dot(&self.column, &self.column);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::numerics::add_outer;

    /// Q diag(values) Q' with Q a product of random reflections.
    fn with_eigenvalues(rng: &mut ChaCha8Rng, values: &[f64]) -> Vec<f64> {
        let d = values.len();
        let mut basis: Vec<Vec<f64>> = (0..d).map(|i| (0..d).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        for _ in 0..d {
            let v: Vec<f64> = (0..d).map(|_| rng.random_range(-1.0..1.0)).collect();
            for row in &mut basis {
                let along = 2.0 * dot(row, &v) / dot(&v, &v);
                row.iter_mut().zip(&v).for_each(|(r, vi)| *r -= along * vi);
            }
        }
        let mut a = vec![0.0; d * d];
        values.iter().zip(&basis).for_each(|(value, row)| add_outer(&mut a, *value, row));
        a
    }

    #[test]
    fn the_bound_is_below_the_least_eigenvalue_and_close_to_it() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        for d in [1, 2, 3, 7, 20] {
            for spread in [0.0, 1.0, 4.0, 9.0] {
                let least = 10f64.powf(rng.random_range(-8.0..8.0));
                let mut values: Vec<f64> =
                    (0..d).map(|_| least * 10f64.powf(spread * rng.random_range(0.0..1.0))).collect();
                values[0] = least;
                let a = with_eigenvalues(&mut rng, &values);
                let bound = LeastEigenvalue::new(d).bound(&a, d);
                assert!(bound <= least && bound > 0.98 * least, "d {d}, spread {spread}: {bound:e} for {least:e}");
            }
        }
    }

    #[test]
    fn what_is_singular_to_working_precision_has_the_bound_zero() {
        let mut eigenvalue = LeastEigenvalue::new(2);
        for a in
            [[0.0; 4], [1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0 + 1e-15], [1e300, 0.0, 0.0, 1e-300], [f64::NAN; 4]]
        {
            assert_eq!(eigenvalue.bound(&a, 1), 0.0, "{a:?}");
        }
        // Ten thousand terms leave ten thousand units in the last place of doubt.
        assert!(eigenvalue.bound(&[1.0, 0.0, 0.0, 1e-12], 1) > 0.9e-12);
        assert_eq!(eigenvalue.bound(&[1.0, 0.0, 0.0, 1e-12], 10_000), 0.0);
    }
}
