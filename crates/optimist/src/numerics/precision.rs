//! A positive definite matrix that grows by rank-one terms, with its inverse and its determinant.
//!
//! The formula of Sherman and Morrison keeps the inverse in O(d^2) per term but adds its rounding errors up. So the inverse
//! is computed afresh from the matrix every 4 d + 64 terms, which costs O(d^2) per term as well, and after any term that
//! multiplies the determinant so much that digits would be lost.
//!
//! With weights mu'(x_s'theta*) it is H_t(theta*) of Abeille, Faury and Calauzenes 2021, with weights one V_t; what
//! [`Precision::solve`] returns for each x_s before it is added are the terms of their Lemma 12 (elliptical potential).

use serde::{Deserialize, Serialize};

use super::symmetric::add_outers;
use super::{Cholesky, Elementary, Ellipsoid, add_outer, dot, grow_matrix, multiply};
use crate::error::{Result, check_number, check_vector};

/// A symmetric positive definite matrix A, its inverse and the logarithm of its determinant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Precision {
    /// Lower triangle, row-major.
    #[serde(with = "crate::numerics::stored_numbers")]
    matrix: Vec<f64>,
    /// Lower triangle of the inverse.
    #[serde(with = "crate::numerics::stored_numbers")]
    inverse: Vec<f64>,
    /// Logarithm of the determinant.
    log_det: f64,
    /// Rank-one changes of the inverse since it was last computed afresh.
    updates: usize,
    /// What a fresh inverse is computed in.
    #[serde(skip)]
    cholesky: Option<Box<Cholesky>>,
    #[serde(skip)]
    column: Vec<f64>,
}

/// A rank-one term that multiplies the determinant by more than this costs the inverse that many digits: it is then
/// computed afresh. A determinant cannot grow so fast often.
const LARGE_GROWTH: f64 = 1e3;

impl Precision {
    /// `scale` times the identity.
    pub fn new(dimension: usize, scale: f64) -> Self {
        let diagonal = |value: f64| {
            let mut matrix = vec![0.0; dimension * dimension];
            matrix.iter_mut().step_by(dimension + 1).for_each(|v| *v = value);
            matrix
        };
        let log_det = dimension as f64 * scale.logarithm();
        Self {
            matrix: diagonal(scale),
            inverse: diagonal(1.0 / scale),
            log_det,
            updates: 0,
            cholesky: None,
            column: Vec::new(),
        }
    }

    /// The matrix of which `matrix` holds the lower triangle; `ridge`, which is part of its diagonal, is raised where that is
    /// singular to working precision.
    pub(crate) fn of(matrix: Vec<f64>, dimension: usize, ridge: f64) -> Self {
        let mut this = Self { matrix, ..Self::new(dimension, ridge) };
        let mut raise = ridge;
        while !this.refresh(dimension) && raise < 1e300 {
            this.matrix.iter_mut().step_by(dimension + 1).for_each(|v| *v += raise);
            raise *= 4.0;
        }
        this
    }

    /// The matrix, lower triangle.
    pub(crate) fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// The inverse, lower triangle.
    pub(crate) fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    /// Logarithm of the determinant.
    pub(crate) fn log_det(&self) -> f64 {
        self.log_det
    }

    /// Whether the inverse has just been computed afresh: nothing was added since.
    pub(crate) fn is_fresh(&self) -> bool {
        self.updates == 0
    }

    /// { theta : ||theta - centre||_A <= radius }.
    pub(crate) fn ellipsoid<'a>(&'a self, centre: &'a [f64], radius: f64) -> Ellipsoid<'a> {
        Ellipsoid { centre, matrix: &self.matrix, inverse: &self.inverse, radius }
    }

    /// Writes A^{-1}x to `direction` and returns x'A^{-1}x.
    pub fn solve(&self, x: &[f64], direction: &mut [f64]) -> f64 {
        multiply(&self.inverse, x, direction);
        dot(x, direction).max(0.0)
    }

    /// A += weight x x', given `direction` = A^{-1}x and `square` = x'A^{-1}x as [`Precision::solve`] finds them.
    pub fn add(&mut self, weight: f64, x: &[f64], direction: &[f64], square: f64) {
        add_outer(&mut self.matrix, weight, x);
        self.change_inverse(weight, direction, square);
    }

    fn change_inverse(&mut self, weight: f64, direction: &[f64], square: f64) {
        if self.change_only_inverse(weight, direction, square) {
            self.refresh(direction.len());
        }
    }

    /// The part of [`Precision::add`] that concerns the inverse. The matrix must be told by [`Precision::catch_up`] before
    /// anybody asks for it. Says whether it is time to compute the inverse afresh.
    pub(crate) fn change_only_inverse(&mut self, weight: f64, direction: &[f64], square: f64) -> bool {
        let growth = weight * square;
        add_outer(&mut self.inverse, -weight / (1.0 + growth), direction);
        self.log_det += growth.logarithm_1p();
        self.updates += 1;
        // What is taken away again may cost as many digits as what is added.
        let large = !(-1.0 + 1.0 / LARGE_GROWTH..=LARGE_GROWTH).contains(&growth);
        self.updates >= 4 * direction.len() + 64 || large
    }

    /// Adds the terms to the matrix of which the inverse knows already: `rows` one after the other, and their weights. One
    /// reading of the matrix serves all of them.
    pub(crate) fn catch_up(&mut self, rows: &[f64], weights: &[f64], dimension: usize, afresh: bool) {
        add_outers(&mut self.matrix, weights, rows, dimension);
        if afresh {
            self.refresh(dimension);
        }
    }

    /// A += weight e_i e_i'.
    pub(crate) fn add_to_axis(&mut self, weight: f64, i: usize, dimension: usize) {
        let mut column = std::mem::take(&mut self.column);
        column.clear();
        column.extend((0..dimension).map(|j| self.inverse[i.max(j) * dimension + i.min(j)]));
        let square = column[i].max(0.0);
        self.matrix[i * dimension + i] += weight;
        self.change_inverse(weight, &column, square);
        self.column = column;
    }

    /// A *= factor, a positive number.
    pub(crate) fn scale(&mut self, factor: f64, dimension: usize) {
        self.matrix.iter_mut().for_each(|v| *v *= factor);
        self.inverse.iter_mut().for_each(|v| *v /= factor);
        self.log_det += dimension as f64 * factor.logarithm();
    }

    /// Takes in dimensions about which no term has said anything: there A is `scale` times the identity.
    pub(crate) fn grow(&mut self, from: usize, to: usize, scale: f64) {
        grow_matrix(&mut self.matrix, from, to, scale);
        grow_matrix(&mut self.inverse, from, to, 1.0 / scale);
        self.log_det += (to - from) as f64 * scale.logarithm();
        self.cholesky = None;
    }

    /// Computes inverse and determinant from the matrix. One that is singular to working precision keeps what it has; says
    /// whether it is not.
    fn refresh(&mut self, d: usize) -> bool {
        self.updates = 0;
        let cholesky = self.cholesky.get_or_insert_with(|| Box::new(Cholesky::new(d)));
        if cholesky.factor(&self.matrix, 0.0) {
            cholesky.inverse_into(&mut self.inverse);
            self.log_det = cholesky.log_det();
            return true;
        }
        false
    }

    /// Checks a deserialised matrix.
    pub(crate) fn check(&self, dimension: usize) -> Result<()> {
        check_vector("matrix", &self.matrix, dimension * dimension)?;
        check_vector("inverse", &self.inverse, dimension * dimension)?;
        let allowed = self.updates < 4 * dimension + 64;
        check_number("updates", self.updates as f64, allowed, "below 4 d + 64")?;
        check_number("log_det", self.log_det, true, "a number")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A million terms, with long and short vectors and weights of many sizes.
    #[test]
    fn a_million_terms_leave_the_inverse_as_good_as_new() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let d = 5;
        let mut precision = Precision::new(d, 0.01);
        let mut direction = vec![0.0; d];
        for i in 0..1_000_000 {
            let size = [1.0, 1e-3, 30.0][i % 3];
            let x: Vec<f64> = (0..d).map(|_| size * rng.random_range(-1.0..1.0)).collect();
            let square = precision.solve(&x, &mut direction);
            precision.add(rng.random_range(0.0..0.25), &x, &direction, square);
        }
        let mut cholesky = Cholesky::new(d);
        assert!(cholesky.factor(precision.matrix(), 0.0));
        let mut fresh = vec![0.0; 25];
        cholesky.inverse_into(&mut fresh);
        let scale = fresh.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for (kept, exact) in precision.inverse().iter().zip(&fresh) {
            assert!((kept - exact).abs() <= 1e-8 * scale, "{kept} {exact}");
        }
        assert!((precision.log_det() - cholesky.log_det()).abs() <= 1e-8 * cholesky.log_det().abs());
    }
}
