//! Whether arms span everything, decided in doubles where these can tell.
//!
//! From arms of length one, d are chosen that Gram-Schmidt, twice, keeps apart: P = LQ', L lower triangular. The computed factors
//! are exact for a matrix within 10 d^2 eps of P (Giraud, Langou and Rozloznik 2005, with room), so that the least singular
//! value of P is at least 1/||L^-1|| less that. If, on the other hand, every arm were within [`NOTHING`] of some subspace, a unit
//! vector across it would have P v of length sqrt(d) NOTHING at most. So where 1/||L^-1|| exceeds both together, by a factor that
//! covers the rounding of L^-1 itself, the careful elimination ([`Basis`]) would end with a full basis as well.

use super::basis::{Basis, NOTHING, rounding};
use crate::history::History;
use crate::numerics::{Elementary, add_scaled, dot, norm, power_of_two};

/// What must be left of an arm, relative to it, to be chosen. Less is left to the careful elimination.
const WORTH: f64 = 1e-8;

/// How many times more than the errors have to be exceeded.
const ROOM: f64 = 4.0;

/// Whether x lies in the span of the observed arms. Elsewhere no level set of the loss ends.
pub(super) fn is_in_span(history: &History, x: &[f64]) -> bool {
    let rows = || (0..history.rows()).map(|k| features(history, k));
    if plainly_span_everything(x.len(), rows()) {
        return true;
    }
    span(x.len(), rows()).residual(&of_moderate_length(x), rounding(x.len())).is_none()
}

/// A basis of the span of some arms.
pub(super) fn span(dimension: usize, arms: impl Iterator<Item = Vec<f64>>) -> Basis {
    let mut basis = Basis::new(dimension);
    for x in arms {
        if basis.is_full() {
            break;
        }
        basis.extend(&x);
    }
    basis
}

/// The features of a row times a power of two, so that no square of theirs over- or underflows.
pub(super) fn features(history: &History, row: usize) -> Vec<f64> {
    let mut x = vec![0.0; history.dimension()];
    history.features(row, &mut x);
    of_moderate_length(&x)
}

/// `x` times a power of two with a largest entry between 1e-100 and 1e100: mostly itself. Spans and cones do not depend on that.
pub(super) fn of_moderate_length(x: &[f64]) -> Vec<f64> {
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || (1e-100..1e100).contains(&largest) {
        return x.to_vec();
    }
    // In two steps: the reciprocal of the least double of all is not a double.
    let half = power_of_two((-0.5 * largest.logarithm_2()) as i32);
    x.iter().map(|v| v * half * half).collect()
}

/// Whether the arms span everything, by so wide a margin that doubles can tell. False says nothing.
pub(super) fn plainly_span_everything(dimension: usize, arms: impl Iterator<Item = Vec<f64>>) -> bool {
    let mut chosen = Chosen { units: Vec::new(), triangle: Vec::new() };
    let mut idle = 0;
    for x in arms {
        idle = if chosen.add(x) { 0 } else { idle + 1 };
        if chosen.units.len() == dimension {
            return chosen.is_regular();
        }
        // Arms in a subspace, probably: the careful elimination will have to look at them all anyway.
        if idle > 2 * dimension + 20 {
            return false;
        }
    }
    false
}

/// Arms that are far from each other's spans.
struct Chosen {
    /// Rows of Q'.
    units: Vec<Vec<f64>>,
    /// Rows of L.
    triangle: Vec<Vec<f64>>,
}

impl Chosen {
    /// Chooses an arm if enough of it is left.
    fn add(&mut self, mut x: Vec<f64>) -> bool {
        let length = norm(&x);
        if length == 0.0 {
            return false;
        }
        x.iter_mut().for_each(|v| *v /= length);
        let mut row = vec![0.0; self.units.len() + 1];
        for _ in 0..2 {
            for (unit, c) in self.units.iter().zip(&mut row) {
                let along = dot(unit, &x);
                add_scaled(&mut x, -along, unit);
                *c += along;
            }
        }
        let left = norm(&x);
        if !(left > WORTH) {
            return false;
        }
        x.iter_mut().for_each(|v| *v /= left);
        row[self.units.len()] = left;
        self.units.push(x);
        self.triangle.push(row);
        true
    }

    /// Whether the chosen arms are independent by a margin.
    fn is_regular(&self) -> bool {
        let d = self.units.len() as f64;
        let errors = 10.0 * d * d * f64::EPSILON + d.sqrt() * NOTHING;
        inverse_norm(&self.triangle) * ROOM * errors < 1.0
    }
}

/// The Frobenius norm of the inverse of a lower triangle.
fn inverse_norm(triangle: &[Vec<f64>]) -> f64 {
    let mut inverse: Vec<Vec<f64>> = Vec::with_capacity(triangle.len());
    let mut square = 0.0;
    for row in triangle {
        let (diagonal, before) = row.split_last().expect("the diagonal at least");
        let mut next = vec![0.0; row.len()];
        // Row i of L^-1 is (e_i - sum_{j < i} L_ij row j of L^-1)/L_ii.
        for (c, earlier) in before.iter().zip(&inverse) {
            add_scaled(&mut next, -c, earlier);
        }
        next[row.len() - 1] = 1.0;
        next.iter_mut().for_each(|v| *v /= diagonal);
        square += dot(&next, &next);
        inverse.push(next);
    }
    square.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearly_parallel(dimension: usize, angle: f64) -> impl Iterator<Item = Vec<f64>> {
        // Of products: sines of sums i + j would lie in three dimensions, whatever the number of features.
        let sine = |i: usize, j: usize| (1.7 * ((i + 1) * (j * j + 3)) as f64).sin();
        let entry = move |i: usize, j: usize| if j == 0 { 1.0 } else { angle * sine(i, j) };
        (0..3 * dimension).map(move |i| (0..dimension).map(|j| entry(i, j)).collect())
    }

    #[test]
    fn a_plain_answer_is_that_of_the_careful_elimination() {
        for dimension in [1, 2, 3, 5, 12] {
            for angle in [1.0, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13] {
                let arms = || nearly_parallel(dimension, angle);
                let full = span(dimension, arms()).is_full();
                let plain = plainly_span_everything(dimension, arms());
                assert!(full || !plain, "{dimension} {angle:e}");
                assert!(plain || angle < 1e-5, "{dimension} {angle:e} should be plain");
            }
        }
        assert!(!plainly_span_everything(3, nearly_parallel(3, 0.0)));
        assert!(!plainly_span_everything(2, [vec![1.0, 0.0], vec![0.0, 0.0]].into_iter()));
    }

    #[test]
    fn lengths_do_not_matter() {
        for scale in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
            let arms = [vec![scale, 0.0], vec![scale, 1e-4 * scale]];
            assert!(plainly_span_everything(2, arms.iter().map(|x| of_moderate_length(x))), "{scale:e}");
            let moderate = of_moderate_length(&arms[1]);
            assert_eq!(moderate[1] / moderate[0], arms[1][1] / arms[1][0]);
            assert!((1e-110..1e110).contains(&moderate[0]));
        }
        assert!(of_moderate_length(&[f64::from_bits(1)])[0] > 1e-100);
    }
}
