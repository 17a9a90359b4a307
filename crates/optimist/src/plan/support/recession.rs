//! Whether a set without norm bound and without ridge reaches to infinity in a direction.
//!
//! Along v the loss stays bounded if x_k'v = 0 for every arm with mixed outcomes, x_k'v >= 0 for arms that always
//! succeeded and x_k'v <= 0 for arms that always failed: these v form the recession cone of every level set. By Farkas'
//! lemma, x'v > 0 for one of them unless x lies in the polar cone, which the arms span: with either sign if mixed, with
//! one sign otherwise. The residual of the projection of x onto the polar cone is the v that gains most, and zero if
//! there is none. That projection is a non-negative least-squares problem (Lawson and Hanson 1974).
//!
//! In doubles neither is ever exactly zero. The rule errs on the side of infinity: an arm that was observed counts as nothing
//! new if it is within 1e-11 of the span of others, relative to its length, so that the data are never taken to say more than
//! they do; the direction asked for is taken to lie in a span only if it does up to its own rounding, 64 d units of the last
//! place. Between the two, and beyond, a direction has no bound.

use super::double::{self, Double};
use crate::history::History;
use crate::numerics::{add_scaled, dot, norm};

/// What is left of an observed arm after projection, relative to it, below which it says nothing new.
const NOTHING: f64 = 1e-11;

/// What rounding leaves of a vector of `dimension` numbers that lies in a span, relative to it.
fn rounding(dimension: usize) -> f64 {
    64.0 * f64::EPSILON * dimension as f64
}

/// Whether x lies in the span of the observed arms. Elsewhere no level set of the loss ends.
pub(super) fn is_in_span(history: &History, x: &[f64]) -> bool {
    let mut basis = Basis::new(x.len());
    let mut row = vec![0.0; x.len()];
    for k in 0..history.rows() {
        history.features(k, &mut row);
        basis.extend(&row);
        if basis.is_full() {
            return true;
        }
    }
    basis.residual(x, rounding(x.len())).is_none()
}

/// A direction in which no level set of the loss ends and x'v grows; none if x'theta is bounded on every level set.
pub(super) fn gaining_ray(history: &History, x: &[f64]) -> Option<Vec<f64>> {
    let d = x.len();
    let mut basis = Basis::new(d);
    let mut one_sided = Vec::new();
    let mut row = vec![0.0; d];
    for k in 0..history.rows() {
        history.features(k, &mut row);
        let (count, rewards) = history.outcomes(k);
        if rewards == count {
            one_sided.push(row.clone());
        } else if rewards == 0.0 {
            one_sided.push(row.iter().map(|v| -v).collect());
        } else {
            basis.extend(&row);
        }
    }
    let target = basis.residual(x, rounding(d))?;
    let columns: Vec<Vec<f64>> = one_sided.iter().filter_map(|b| basis.residual(b, NOTHING)).collect();
    project(&target, &columns, rounding(d) * norm(x))
}

/// The residual of -target's projection onto the cone of the columns: the v nearest to `target` with b'v >= 0 for every
/// column b. None if it is shorter than `nothing`.
fn project(target: &[f64], columns: &[Vec<f64>], nothing: f64) -> Option<Vec<f64>> {
    let mut passive: Vec<usize> = Vec::new();
    let mut weights: Vec<f64> = Vec::new();
    let mut rest = target.to_vec();
    // The method is finite; the limit guards against rounding in a cycle, and then the set is taken to be bounded.
    for _ in 0..3 * target.len() + 30 {
        let Some(entering) = most_violated(&rest, columns, &passive) else { return Some(rest) };
        passive.push(entering);
        weights.push(0.0);
        rest = settle(target, columns, &mut passive, &mut weights)?;
        if norm(&rest) <= nothing {
            return None;
        }
    }
    None
}

/// The column with the most negative cosine to `rest`.
fn most_violated(rest: &[f64], columns: &[Vec<f64>], passive: &[usize]) -> Option<usize> {
    let length = norm(rest);
    let cosine = |k: usize| dot(&columns[k], rest) / (norm(&columns[k]) * length);
    let candidates = (0..columns.len()).filter(|k| !passive.contains(k)).map(|k| (k, cosine(k)));
    let worst = candidates.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (worst.1 < -1e-10).then_some(worst.0)
}

/// Least squares on the passive columns, of which those leave whose weight would be negative. Returns the residual.
fn settle(target: &[f64], columns: &[Vec<f64>], passive: &mut Vec<usize>, weights: &mut Vec<f64>) -> Option<Vec<f64>> {
    loop {
        let mut basis = Basis::new(target.len());
        // A column that depends on the others brings nothing new; the newest is last.
        let independent = passive.iter().filter(|&&k| basis.extend(&columns[k])).count();
        if independent < passive.len() {
            return None;
        }
        let wanted = basis.coefficients(target);
        let blocking = |i: usize| (wanted[i] <= 0.0).then(|| weights[i] / (weights[i] - wanted[i]));
        let length = (0..wanted.len()).filter_map(blocking).fold(1.0, f64::min);
        for (weight, goal) in weights.iter_mut().zip(&wanted) {
            *weight += length * (goal - *weight);
        }
        if wanted.iter().all(|w| *w > 0.0) {
            return Some(basis.residual(target, 0.0).unwrap_or_else(|| vec![0.0; target.len()]));
        }
        let keep: Vec<bool> = (0..wanted.len()).map(|i| wanted[i] > 0.0 || weights[i] > 1e-14).collect();
        let mut kept = keep.iter();
        passive.retain(|_| *kept.next().expect("one flag each"));
        let mut kept = keep.iter();
        weights.retain(|_| *kept.next().expect("one flag each"));
    }
}

/// An orthogonal basis of the span of some vectors, and the unit triangle that expresses them in it.
///
/// In twice the working precision: arms that nearly agree determine the direction in which they differ to the rounding error
/// divided by their distance, and a basis that is off by that takes what depends on the data for something new.
struct Basis {
    dimension: usize,
    vectors: Vec<Vec<Double>>,
    /// Squared lengths of the vectors.
    squares: Vec<Double>,
    /// Column i of the triangle: coefficients of vector i on the basis before it.
    triangle: Vec<Vec<f64>>,
}

impl Basis {
    fn new(dimension: usize) -> Self {
        Self { dimension, vectors: Vec::new(), squares: Vec::new(), triangle: Vec::new() }
    }

    fn is_full(&self) -> bool {
        self.vectors.len() == self.dimension
    }

    /// What is left of `x` outside the span; none if that is no more than `nothing`, relative to x.
    fn residual(&self, x: &[f64], nothing: f64) -> Option<Vec<f64>> {
        self.reduce(x, nothing).map(|(rest, _)| rest.iter().map(|v| v.high).collect())
    }

    /// Removes the span from `x`, twice, because once leaves rounding errors of the size of x.
    fn reduce(&self, x: &[f64], nothing: f64) -> Option<(Vec<Double>, Vec<f64>)> {
        if self.is_full() {
            return None;
        }
        let mut rest: Vec<Double> = x.iter().map(|v| Double::from(*v)).collect();
        let mut coefficients = vec![0.0; self.vectors.len()];
        for _ in 0..2 {
            for ((p, square), c) in self.vectors.iter().zip(&self.squares).zip(&mut coefficients) {
                let along = double::dot(p, &rest) / *square;
                for (r, v) in rest.iter_mut().zip(p) {
                    *r = *r - along * *v;
                }
                *c += along.high;
            }
        }
        let length = rest.iter().map(|v| v.high * v.high).sum::<f64>().sqrt();
        (length > nothing * norm(x)).then_some((rest, coefficients))
    }

    /// Adds a vector; false if it lies in the span already.
    fn extend(&mut self, x: &[f64]) -> bool {
        let Some((rest, coefficients)) = self.reduce(x, NOTHING) else { return false };
        self.squares.push(double::dot(&rest, &rest));
        self.vectors.push(rest);
        self.triangle.push(coefficients);
        true
    }

    /// Weights w of the vectors for which target + sum w_i vector_i is shortest.
    fn coefficients(&self, target: &[f64]) -> Vec<f64> {
        let target: Vec<Double> = target.iter().map(|v| Double::from(*v)).collect();
        let parts = self.vectors.iter().zip(&self.squares);
        let mut right: Vec<f64> = parts.map(|(p, square)| -(double::dot(p, &target) / *square).high).collect();
        for i in (0..right.len()).rev() {
            let weight = right[i];
            add_scaled(&mut right[..i], -weight, &self.triangle[i][..i]);
        }
        right
    }
}
