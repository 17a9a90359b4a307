//! Ellipsoids: everything that is known in closed form about { theta : ||theta - centre||_M <= radius }.

use serde::{Deserialize, Serialize};

use super::{add_scaled, dot, farthest_point, multiply, square_form};
use crate::error::{Result, check_number, check_vector};

/// { theta : ||theta - centre||_M <= radius }, whose numbers are someone else's.
#[derive(Debug, Clone, Copy)]
pub struct Ellipsoid<'a> {
    /// The centre.
    pub centre: &'a [f64],
    /// M, lower triangle.
    pub matrix: &'a [f64],
    /// M^{-1}, lower triangle.
    pub inverse: &'a [f64],
    /// The radius in the norm of M.
    pub radius: f64,
}

/// radius sqrt(square): zero for a square of zero, however large the radius, or one that rounding took below; infinite for one
/// that is not a number, because what overflowed on the way says nothing.
pub(crate) fn half_width(radius: f64, square: f64) -> f64 {
    if square.is_nan() {
        f64::INFINITY
    } else if square <= 0.0 {
        0.0
    } else {
        radius * square.sqrt()
    }
}

impl Ellipsoid<'_> {
    /// radius ||x||_{M^{-1}}, by which x'theta deviates from x'centre at most.
    pub(crate) fn width(&self, x: &[f64]) -> f64 {
        half_width(self.radius, square_form(self.inverse, x))
    }

    /// The least and the largest x'theta.
    pub(crate) fn bounds(&self, x: &[f64]) -> (f64, f64) {
        let (mean, width) = (dot(x, self.centre), self.width(x));
        (mean - width, mean + width)
    }

    /// The largest x'theta.
    pub fn support(&self, x: &[f64]) -> f64 {
        self.bounds(x).1
    }

    /// The point where x'theta is largest, centre + radius M^{-1}x/||x||_{M^{-1}}, written to `theta`; the centre if x
    /// is zero.
    pub fn maximiser(&self, x: &[f64], theta: &mut [f64]) {
        multiply(self.inverse, x, theta);
        let length = dot(x, theta).max(0.0).sqrt();
        let scale = if length > 0.0 { self.radius / length } else { 0.0 };
        for (t, c) in theta.iter_mut().zip(self.centre) {
            *t = c + scale * *t;
        }
    }

    /// ||theta - centre||_M^2.
    pub(crate) fn squared_distance(&self, theta: &[f64]) -> f64 {
        let mut offset = theta.to_vec();
        add_scaled(&mut offset, -1.0, self.centre);
        square_form(self.matrix, &offset)
    }

    /// Whether `theta` belongs to the ellipsoid.
    pub fn contains(&self, theta: &[f64]) -> bool {
        self.squared_distance(theta) <= self.radius * self.radius
    }

    /// The point that is farthest from the origin: the arm of the unit ball with the largest x'theta has its direction.
    pub(crate) fn farthest(&self) -> Vec<f64> {
        farthest_point(self.centre, self.matrix, self.radius)
    }
}

/// An ellipsoid that keeps its own numbers. The inverse is stored and not derived, so that one that was saved goes on to
/// the last digit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredEllipsoid {
    pub(crate) centre: Vec<f64>,
    #[serde(with = "crate::numerics::stored_numbers")]
    pub(crate) matrix: Vec<f64>,
    #[serde(with = "crate::numerics::stored_numbers")]
    pub(crate) inverse: Vec<f64>,
    pub(crate) radius: f64,
}

impl StoredEllipsoid {
    /// The point zero alone, to be replaced.
    pub(crate) fn new(dimension: usize) -> Self {
        let matrix = vec![0.0; dimension * dimension];
        Self { centre: vec![0.0; dimension], inverse: matrix.clone(), matrix, radius: 0.0 }
    }

    pub(crate) fn view(&self) -> Ellipsoid<'_> {
        Ellipsoid { centre: &self.centre, matrix: &self.matrix, inverse: &self.inverse, radius: self.radius }
    }

    /// Checks a deserialised ellipsoid; `field` is what errors call it.
    pub(crate) fn check(&self, field: &str, dimension: usize) -> Result<()> {
        let square = dimension * dimension;
        check_vector(&format!("{field}.centre"), &self.centre, dimension)?;
        check_vector(&format!("{field}.matrix"), &self.matrix, square)?;
        check_vector(&format!("{field}.inverse"), &self.inverse, square)?;
        check_number(&format!("{field}.radius"), self.radius, self.radius >= 0.0, "zero or positive")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Products of both signs that overflow leave no number, which must not pass for certainty.
    #[test]
    fn a_square_that_is_no_number_is_an_infinite_width() {
        let inverse = [1.0, 0.0, -0.9, 1.0];
        let ellipsoid = Ellipsoid { centre: &[0.0, 0.0], matrix: &inverse, inverse: &inverse, radius: 0.0 };
        let x = [1e200, 1e200];
        assert!(square_form(&inverse, &x).is_nan());
        assert_eq!(ellipsoid.bounds(&x), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(ellipsoid.support(&[0.0, 0.0]), 0.0);
        assert_eq!(half_width(2.0, -1e-18), 0.0);
        assert_eq!(half_width(f64::INFINITY, 0.0), 0.0);
        assert_eq!(half_width(2.0, 9.0), 6.0);
    }
}
