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

/// A cosine in working precision beyond which its sign is certain.
const CLEAR: f64 = 1e-9;

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
    let mut mixed = Basis::new(d);
    let mut columns = Vec::new();
    let mut row = vec![0.0; d];
    for k in 0..history.rows() {
        history.features(k, &mut row);
        let (count, rewards) = history.outcomes(k);
        if rewards == count {
            columns.push(Column::new(row.clone()));
        } else if rewards == 0.0 {
            columns.push(Column::new(row.iter().map(|v| -v).collect()));
        } else if !mixed.is_full() {
            mixed.extend(&row);
        }
    }
    let target = mixed.residual(x, rounding(d))?;
    Cone { mixed, columns, passive: Vec::new(), weights: Vec::new(), basis: Basis::new(d) }
        .project(&target, rounding(d) * norm(x))
}

/// An arm with outcomes of one kind, with the sign with which it spans the polar cone.
struct Column {
    x: Vec<f64>,
    length: f64,
    /// What is left of it outside the span of the mixed arms, once that was asked for: an empty vector if nothing.
    rest: Option<Vec<f64>>,
}

impl Column {
    fn new(x: Vec<f64>) -> Self {
        Self { length: norm(&x), x, rest: None }
    }

    fn rest(&mut self, mixed: &Basis) -> &[f64] {
        self.rest.get_or_insert_with(|| mixed.residual(&self.x, NOTHING).unwrap_or_default())
    }
}

/// The cone of the columns outside the span of the mixed arms, and the projection onto it so far.
struct Cone {
    mixed: Basis,
    columns: Vec<Column>,
    passive: Vec<usize>,
    weights: Vec<f64>,
    /// Of the passive columns, in their order.
    basis: Basis,
}

impl Cone {
    /// The residual of -target's projection onto the cone: the v nearest to `target` with b'v >= 0 for every column b.
    /// None if it is shorter than `nothing`.
    fn project(mut self, target: &[f64], nothing: f64) -> Option<Vec<f64>> {
        let mut rest = target.to_vec();
        // The method is finite; the limit guards against rounding in a cycle, and then the set is taken to be bounded.
        for _ in 0..3 * target.len() + 30 {
            let Some(entering) = self.most_violated(&rest) else { return Some(rest) };
            // A column that depends on the others brings nothing new.
            if !self.basis.extend(self.columns[entering].rest(&self.mixed)) {
                return None;
            }
            self.passive.push(entering);
            self.weights.push(0.0);
            rest = self.settle(target)?;
            if norm(&rest) <= nothing {
                return None;
            }
        }
        None
    }

    /// A column with a negative cosine to `rest`, the most negative one where that is cheap to tell: what is left of a column
    /// is shorter than the column, so that a cosine which is negative before is more so after. Only the columns about which
    /// this says nothing have to be projected.
    fn most_violated(&mut self, rest: &[f64]) -> Option<usize> {
        let length = norm(rest);
        let mut worst = (0.0, None);
        let mut unclear = Vec::new();
        for (k, column) in self.columns.iter().enumerate().filter(|(k, _)| !self.passive.contains(k)) {
            let cosine = dot(&column.x, rest) / (column.length * length);
            if cosine < worst.0 {
                worst = (cosine, Some(k));
            }
            if cosine.abs() < CLEAR {
                unclear.push(k);
            }
        }
        if worst.0 <= -CLEAR {
            return worst.1;
        }
        let cosine = |k: usize| {
            let left = self.columns[k].rest(&self.mixed);
            if left.is_empty() { 0.0 } else { dot(left, rest) / (norm(left) * length) }
        };
        let exact: Vec<f64> = unclear.iter().copied().map(cosine).collect();
        let worst = (0..unclear.len()).min_by(|a, b| exact[*a].total_cmp(&exact[*b]))?;
        (exact[worst] < -1e-10).then_some(unclear[worst])
    }

    /// Least squares on the passive columns, of which those leave whose weight would be negative. Returns the residual.
    fn settle(&mut self, target: &[f64]) -> Option<Vec<f64>> {
        loop {
            let wanted = self.basis.coefficients(target);
            let weights = &mut self.weights;
            let blocking = |i: usize| (wanted[i] <= 0.0).then(|| weights[i] / (weights[i] - wanted[i]));
            let length = (0..wanted.len()).filter_map(blocking).fold(1.0, f64::min);
            for (weight, goal) in weights.iter_mut().zip(&wanted) {
                *weight += length * (goal - *weight);
            }
            if wanted.iter().all(|w| *w > 0.0) {
                return Some(self.basis.residual(target, 0.0).unwrap_or_else(|| vec![0.0; target.len()]));
            }
            let leaves: Vec<bool> = (0..wanted.len()).map(|i| wanted[i] <= 0.0 && weights[i] <= 1e-14).collect();
            let first = leaves.iter().position(|leaves| *leaves)?;
            let mut stays = leaves.iter().map(|leaves| !leaves);
            self.weights.retain(|_| stays.next().expect("one flag each"));
            let mut stays = leaves.iter().map(|leaves| !leaves);
            self.passive.retain(|_| stays.next().expect("one flag each"));
            self.basis.truncate(first);
            for &k in &self.passive[first..] {
                if !self.basis.extend(self.columns[k].rest(&self.mixed)) {
                    return None;
                }
            }
        }
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
    /// The vectors with length one, in working precision.
    units: Vec<Vec<f64>>,
    /// Column i of the triangle: coefficients of vector i on the basis before it.
    triangle: Vec<Vec<f64>>,
}

impl Basis {
    fn new(dimension: usize) -> Self {
        Self { dimension, vectors: Vec::new(), squares: Vec::new(), units: Vec::new(), triangle: Vec::new() }
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
        if self.is_full() || self.plainly_contains(x, nothing) {
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
    fn truncate(&mut self, length: usize) {
        self.vectors.truncate(length);
        self.squares.truncate(length);
        self.units.truncate(length);
        self.triangle.truncate(length);
    }

    /// Adds a vector; false if it lies in the span already.
    fn extend(&mut self, x: &[f64]) -> bool {
        let Some((rest, coefficients)) = self.reduce(x, NOTHING) else { return false };
        let square = double::dot(&rest, &rest);
        let length = square.high.sqrt();
        self.units.push(rest.iter().map(|v| v.high / length).collect());
        self.squares.push(square);
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
