//! Orthogonal bases of spans, and whether a vector lies in one.
//!
//! In doubles no answer is ever exact. The rules err on the side of outside: an observed arm counts as nothing new if it is
//! within 1e-11 of the span of others, relative to its length, so that the data are never taken to say more than they do; a
//! direction asked for is taken to lie in a span only if it does up to its own rounding, 64 d units of the last place.

use super::double::{Double, Doubles};
use crate::numerics::{add_scaled, dot, norm};

/// What is left of an observed arm after projection, relative to it, below which it says nothing new.
pub(super) const NOTHING: f64 = 1e-11;

/// What rounding leaves of a vector of `dimension` numbers that lies in a span, relative to it.
pub(super) fn rounding(dimension: usize) -> f64 {
    64.0 * f64::EPSILON * dimension as f64
}

/// An orthogonal basis of the span of some vectors, and the unit triangle that expresses them in it.
///
/// In twice the working precision: arms that nearly agree determine the direction in which they differ to the rounding error
/// divided by their distance, and a basis that is off by that takes what depends on the data for something new.
pub(super) struct Basis {
    dimension: usize,
    vectors: Vec<Doubles>,
    /// Squared lengths of the vectors.
    squares: Vec<Double>,
    /// The vectors with length one, in working precision.
    units: Vec<Vec<f64>>,
    /// Column i of the triangle: coefficients of vector i on the basis before it.
    triangle: Vec<Vec<f64>>,
}

impl Basis {
    pub(super) fn new(dimension: usize) -> Self {
        Self { dimension, vectors: Vec::new(), squares: Vec::new(), units: Vec::new(), triangle: Vec::new() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.vectors.len() == self.dimension
    }

    /// What is left of `x` outside the span; none if that is no more than `nothing`, relative to x.
    pub(super) fn residual(&self, x: &[f64], nothing: f64) -> Option<Vec<f64>> {
        self.reduce(x, nothing).map(|(rest, _)| rest.high().to_vec())
    }

    /// Removes the span from `x`, twice, because once leaves rounding errors of the size of x.
    fn reduce(&self, x: &[f64], nothing: f64) -> Option<(Doubles, Vec<f64>)> {
        if self.is_full() || self.plainly_contains(x, nothing) {
            return None;
        }
        let mut rest = Doubles::from(x);
        let mut coefficients = vec![0.0; self.vectors.len()];
        for _ in 0..2 {
            for ((p, square), c) in self.vectors.iter().zip(&self.squares).zip(&mut coefficients) {
                let along = p.dot(&rest) / *square;
                rest.subtract(along, p);
                *c += along.high;
            }
        }
        (norm(rest.high()) > nothing * norm(x)).then_some((rest, coefficients))
    }

    /// Whether working precision is enough to tell that less than `nothing` of x is outside the span.
    fn plainly_contains(&self, x: &[f64], nothing: f64) -> bool {
        if nothing < NOTHING {
            return false;
        }
        let mut rest = x.to_vec();
        for unit in &self.units {
            let along = dot(unit, &rest);
            add_scaled(&mut rest, -along, unit);
        }
        norm(&rest) <= 0.1 * nothing * norm(x)
    }

    /// Forgets all but the first `length` vectors.
    pub(super) fn truncate(&mut self, length: usize) {
        self.vectors.truncate(length);
        self.squares.truncate(length);
        self.units.truncate(length);
        self.triangle.truncate(length);
    }

    /// Adds a vector; false if it lies in the span already.
    pub(super) fn extend(&mut self, x: &[f64]) -> bool {
        let Some((rest, coefficients)) = self.reduce(x, NOTHING) else { return false };
        let square = rest.dot(&rest);
        let length = square.high.sqrt();
        self.units.push(rest.high().iter().map(|v| v / length).collect());
        self.squares.push(square);
        self.vectors.push(rest);
        self.triangle.push(coefficients);
        true
    }

    /// Weights w of the vectors for which target + sum w_i vector_i is shortest.
    pub(super) fn coefficients(&self, target: &[f64]) -> Vec<f64> {
        let mut right: Vec<f64> = self.coefficients_on_basis(target).iter().map(|c| -c).collect();
        for i in (0..right.len()).rev() {
            let weight = right[i];
            add_scaled(&mut right[..i], -weight, &self.triangle[i][..i]);
        }
        right
    }

    /// The coefficients c for which x - sum c_i vector_i is shortest. Those that are rounding errors of sums that cancel are zero.
    pub(super) fn expand(&self, x: &[f64]) -> Vec<f64> {
        let mut c: Vec<f64> = self.coefficients_on_basis(x);
        // What the projections themselves are off by: the square of the last digit, of x and of what the vectors are rests of.
        let largest = self.squares.iter().fold(0.0_f64, |m, square| m.max(square.high)).sqrt();
        let scale = f64::EPSILON * norm(x) * largest;
        let error = |square: &Double| scale / square.high;
        let mut sizes: Vec<f64> = c.iter().zip(&self.squares).map(|(c, square)| c.abs() + error(square)).collect();
        for i in (0..c.len()).rev() {
            if c[i].abs() <= 64.0 * f64::EPSILON * sizes[i] {
                c[i] = 0.0;
            }
            for (j, t) in self.triangle[i][..i].iter().enumerate() {
                let change = c[i] * t;
                c[j] -= change;
                sizes[j] += change.abs();
            }
        }
        c
    }

    /// The coefficients of the projection of `x` on the orthogonal vectors.
    fn coefficients_on_basis(&self, x: &[f64]) -> Vec<f64> {
        let x = Doubles::from(x);
        self.vectors.iter().zip(&self.squares).map(|(p, square)| (p.dot(&x) / *square).high).collect()
    }
}
