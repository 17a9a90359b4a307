//! A quadratic function of theta, as a sum of the quadratics of many rows.

use serde::{Deserialize, Serialize};

use crate::error::{Result, check_number, check_vector};
use crate::loss::{Evaluation, Order};
use crate::numerics::{add_scaled, grow_matrix, multiply};

/// As how many additions a sum of any number of rows counts, to bound the rounding error of an entry of the matrix: one for what
/// is lost now, one for the sums of term and carry, and one for what these leave of errors of second order, up to 2^53 rows.
pub(crate) const ADDITIONS: f64 = 3.0;

/// constant + slope'y + y'(matrix)y/2 with y = theta - origin. The origin is the caller's: several share one.
///
/// Written around a point near the estimate, and not around zero, so that values there are not differences of large numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Paraboloid {
    constant: f64,
    #[serde(with = "crate::numerics::stored_numbers")]
    slope: Vec<f64>,
    /// Lower triangle.
    #[serde(with = "crate::numerics::stored_numbers")]
    matrix: Vec<f64>,
    /// What rounding has taken off the sums in `matrix`. A row may be nothing beside the sum of all before it, but many such
    /// rows are not: added one by one they would all be lost.
    #[serde(with = "crate::numerics::stored_numbers")]
    lost: Vec<f64>,
}

impl Paraboloid {
    /// Zero.
    pub(crate) fn new(dimension: usize) -> Self {
        let matrix = vec![0.0; dimension * dimension];
        Self { constant: 0.0, slope: vec![0.0; dimension], lost: matrix.clone(), matrix }
    }

    pub(crate) fn constant(&self) -> f64 {
        self.constant
    }

    pub(crate) fn slope(&self) -> &[f64] {
        &self.slope
    }

    pub(crate) fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// The value at theta.
    pub(crate) fn value(&self, origin: &[f64], theta: &[f64]) -> f64 {
        let d = origin.len();
        let y = |j: usize| theta[j] - origin[j];
        let mut sum = self.constant;
        for i in 0..d {
            let row = &self.matrix[i * d..][..=i];
            let left: f64 = row[..i].iter().enumerate().map(|(j, a)| a * y(j)).sum();
            sum += y(i) * (self.slope[i] + left + 0.5 * row[i] * y(i));
        }
        sum
    }

    /// Adds value and derivatives at theta to an evaluation. The upper curvature of a quadratic is its Hessian.
    pub(crate) fn add_to(&self, origin: &[f64], theta: &[f64], order: Order, out: &mut Evaluation) {
        out.loss += self.value(origin, theta);
        if order >= Order::Gradient {
            add_scaled(&mut out.gradient, 1.0, &self.slope);
            self.add_product(origin, theta, &mut out.gradient);
        }
        if order >= Order::Hessian {
            add_scaled(&mut out.hessian, 1.0, &self.matrix);
        }
        if order >= Order::Curvature {
            add_scaled(&mut out.curvature, 1.0, &self.matrix);
        }
    }

    /// Adds matrix times y, without memory of its own.
    fn add_product(&self, origin: &[f64], theta: &[f64], out: &mut [f64]) {
        let d = origin.len();
        for i in 0..d {
            let row = &self.matrix[i * d..][..=i];
            let yi = theta[i] - origin[i];
            out[i] += row[i] * yi;
            for j in 0..i {
                out[i] += row[j] * (theta[j] - origin[j]);
                out[j] += row[j] * yi;
            }
        }
    }

    /// The same function around another origin, `shift` away from the present one.
    pub(crate) fn recentre(&mut self, shift: &[f64]) {
        let mut turned = vec![0.0; shift.len()];
        multiply(&self.matrix, shift, &mut turned);
        let products = shift.iter().zip(&self.slope).zip(&turned);
        self.constant += products.map(|((y, s), t)| y * (s + 0.5 * t)).sum::<f64>();
        add_scaled(&mut self.slope, 1.0, &turned);
    }

    /// Adds value + slope h + curvature h^2/2 with h = x'y.
    pub(crate) fn add_row(&mut self, x: &[f64], value: f64, slope: f64, curvature: f64) {
        self.constant += value;
        add_scaled(&mut self.slope, slope, x);
        self.add_outer(curvature, x);
    }

    /// matrix += curvature x x', with what the sums lose carried to the next time (Knuth's two-sum, which is exact). However
    /// many rows there are, an entry is wrong by a few units in the last place: see [`ADDITIONS`].
    fn add_outer(&mut self, curvature: f64, x: &[f64]) {
        let d = x.len();
        for (i, xi) in x.iter().enumerate() {
            let scaled = curvature * xi;
            let sums = self.matrix[i * d..][..=i].iter_mut().zip(&mut self.lost[i * d..][..=i]);
            for ((sum, lost), xj) in sums.zip(x) {
                let term = scaled * xj + *lost;
                let new = *sum + term;
                let back = new - *sum;
                *lost = (*sum - (new - back)) + (term - back);
                *sum = new;
            }
        }
    }

    /// Takes in features that were zero in all rows.
    pub(super) fn grow(&mut self, dimension: usize) {
        let from = self.slope.len();
        self.slope.resize(dimension, 0.0);
        grow_matrix(&mut self.matrix, from, dimension, 0.0);
        grow_matrix(&mut self.lost, from, dimension, 0.0);
    }

    /// Checks what was stored.
    pub(crate) fn check(&self, name: &str, dimension: usize) -> Result<()> {
        check_number(&format!("{name}.constant"), self.constant, true, "a number")?;
        check_vector(&format!("{name}.slope"), &self.slope, dimension)?;
        check_vector(&format!("{name}.matrix"), &self.matrix, dimension * dimension)?;
        check_vector(&format!("{name}.lost"), &self.lost, dimension * dimension)?;
        for (i, (lost, sum)) in self.lost.iter().zip(&self.matrix).enumerate() {
            let is_small = lost.abs() <= f64::EPSILON * sum.abs();
            check_number(&format!("{name}.lost[{i}]"), *lost, is_small, "a rounding error of the matrix")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_lost_beside_a_large_sum() {
        let mut paraboloid = Paraboloid::new(2);
        paraboloid.add_row(&[1.0, 1.0], 0.0, 0.0, 1e16);
        for _ in 0..1000 {
            paraboloid.add_row(&[1.0, -1.0], 0.0, 0.0, 1.0);
        }
        // The sums without carry would be 1e16 still.
        assert_eq!(paraboloid.matrix(), [1e16 + 1000.0, 0.0, 1e16 - 1000.0, 1e16 + 1000.0]);
        assert!(paraboloid.check("sum", 2).is_ok());
        paraboloid.lost[0] = 4.0;
        assert!(paraboloid.check("sum", 2).is_err());
    }

    #[test]
    fn another_origin_is_the_same_function_and_derivatives_are_those_of_the_value() {
        let mut paraboloid = Paraboloid::new(2);
        paraboloid.add_row(&[0.6, -0.8], 1.5, 0.3, 0.2);
        paraboloid.add_row(&[1.0, 0.5], 0.7, -0.4, 0.1);
        let (origin, theta) = ([0.3, -1.0], [0.8, 0.4]);
        let expected = 2.2
            + [(0.6, -0.8, 0.3, 0.2), (1.0, 0.5, -0.4, 0.1)].iter().fold(0.0, |sum, (a, b, s, k)| {
                let h = a * (theta[0] - origin[0]) + b * (theta[1] - origin[1]);
                sum + s * h + 0.5 * k * h * h
            });
        assert!((paraboloid.value(&origin, &theta) - expected).abs() < 1e-14);
        let mut moved = paraboloid.clone();
        moved.recentre(&[0.2, 0.7]);
        assert!((moved.value(&[0.5, -0.3], &theta) - expected).abs() < 1e-14);
        let mut out = Evaluation::new(2);
        moved.add_to(&[0.5, -0.3], &theta, Order::Curvature, &mut out);
        for j in 0..2 {
            let mut up = theta;
            up[j] += 1e-6;
            let slope = (paraboloid.value(&origin, &up) - expected) / 1e-6;
            assert!((out.gradient[j] - slope).abs() < 1e-6, "{} {slope}", out.gradient[j]);
        }
        assert_eq!((out.loss, &out.hessian), (moved.value(&[0.5, -0.3], &theta), &out.curvature));
    }
}
