//! x'theta + r ||x||_{A^{-1}} over a list of arms, in O(K d) per round instead of O(K d^2).
//!
//! A grows by rank-one terms. With v = A^{-1}y the term w yy' lowers x'A^{-1}x by w (x'v)^2/(1 + w y'v): one dot product
//! an arm. So as long as the list stays the same its squared widths are carried along; they are computed afresh when the
//! list changes, when more than d terms came between two choices, and whenever the inverse itself is.

use serde::{Deserialize, Serialize};

use crate::arms::FiniteArms;
use crate::error::{Result, check_number, check_vector};
use crate::numerics::{Elementary, Ellipsoid, Precision, dot, half_width, square_form};

/// Squared widths x'A^{-1}x of a list of arms, kept up to date.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(in crate::policy) struct Widths {
    /// Fingerprint of the arms that the widths belong to.
    arms: Option<u64>,
    #[serde(with = "crate::numerics::stored_numbers")]
    squares: Vec<f64>,
    /// Terms that the widths do not know yet: v scaled by sqrt(w/(1 + w y'v)), one after the other.
    #[serde(with = "crate::numerics::stored_numbers")]
    pending: Vec<f64>,
}

impl Widths {
    /// A += weight x x' (see [`Precision::add`]), remembered for the widths.
    pub(in crate::policy) fn add(
        &mut self,
        precision: &mut Precision,
        weight: f64,
        x: &[f64],
        direction: &[f64],
        square: f64,
    ) {
        precision.add(weight, x, direction, square);
        let many = self.pending.len() >= x.len() * x.len();
        if self.arms.is_none() || precision.is_fresh() || many {
            self.arms = None;
            self.pending.clear();
            return;
        }
        let scale = (weight / (1.0 + weight * square)).sqrt();
        self.pending.extend(direction.iter().map(|v| scale * v));
    }

    /// The squared widths of `arms`.
    pub(in crate::policy) fn squares(&mut self, precision: &Precision, arms: &FiniteArms) -> &[f64] {
        self.refresh(precision.inverse(), arms);
        &self.squares
    }

    /// Brings the squared widths of `arms` up to date, given A^{-1}.
    fn refresh(&mut self, inverse: &[f64], arms: &FiniteArms) {
        if self.arms == Some(arms.fingerprint()) && self.squares.len() == arms.len() {
            for v in self.pending.chunks_exact(arms.dimension()) {
                for (square, x) in self.squares.iter_mut().zip(arms.iter()) {
                    *square -= dot(x, v).square();
                }
            }
        } else {
            self.squares.clear();
            self.squares.extend(arms.iter().map(|x| square_form(inverse, x)));
            self.arms = Some(arms.fingerprint());
        }
        self.pending.clear();
    }

    /// The arm with the largest x'centre + radius ||x||_{A^{-1}}, the first of equals, with that value's two parts.
    pub(in crate::policy) fn best(&mut self, ellipsoid: Ellipsoid<'_>, arms: &FiniteArms) -> Best {
        self.refresh(ellipsoid.inverse, arms);
        let mut best = Best { arm: 0, mean: 0.0, width: 0.0 };
        let mut value = f64::NEG_INFINITY;
        for ((k, x), square) in arms.iter().enumerate().zip(&self.squares) {
            let (mean, width) = (dot(x, ellipsoid.centre), half_width(ellipsoid.radius, *square));
            if mean + width > value {
                value = mean + width;
                best = Best { arm: k, mean, width };
            }
        }
        best
    }

    /// Checks a deserialised state.
    pub(in crate::policy) fn check(&self, dimension: usize) -> Result<()> {
        check_vector("squares", &self.squares, self.squares.len())?;
        check_vector("pending", &self.pending, self.pending.len())?;
        let whole = self.pending.len().is_multiple_of(dimension);
        check_number("pending", self.pending.len() as f64, whole, "a multiple of the dimension")
    }
}

/// An arm with the two parts of its index.
#[derive(Debug, Clone, Copy)]
pub(in crate::policy) struct Best {
    pub(in crate::policy) arm: usize,
    pub(in crate::policy) mean: f64,
    pub(in crate::policy) width: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arm of which nothing is known is the most promising one.
    #[test]
    fn a_square_that_is_no_number_is_an_infinite_width() {
        let matrix = [1.0, 0.0, -0.9, 1.0];
        let arms = FiniteArms::from_rows(&[[1.0, 0.0], [1e200, 1e200], [0.0, 1.0]]).unwrap();
        let ellipsoid = Ellipsoid { centre: &[0.5, 0.0], matrix: &matrix, inverse: &matrix, radius: 1.0 };
        let best = Widths::default().best(ellipsoid, &arms);
        assert_eq!((best.arm, best.width), (1, f64::INFINITY));
    }
}
