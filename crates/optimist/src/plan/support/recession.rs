//! Whether a set without norm bound and without ridge reaches to infinity in a direction.
//!
//! Along v the loss stays bounded if x_k'v = 0 for every arm with mixed outcomes, x_k'v >= 0 for arms that always
//! succeeded and x_k'v <= 0 for arms that always failed: these v form the recession cone of every level set. By Farkas'
//! lemma, x'v > 0 for one of them unless x lies in the polar cone, which the arms span: with either sign if mixed, with
//! one sign otherwise. The residual of the projection of x onto the polar cone is the v that gains most, and zero if
//! there is none. That projection is a non-negative least-squares problem (Lawson and Hanson 1974).
//!
//! In doubles neither is ever exactly zero; [`super::basis`] says how spans err on the side of infinity. Where rounding hides both a
//! ray and a proof that there is none, the answer is that nothing is known.

use super::basis::{Basis, NOTHING, rounding};
use super::span::{features, of_moderate_length, plainly_span_everything, span};
use crate::history::History;
use crate::numerics::{dot, norm};

/// A cosine in working precision beyond which its sign is certain.
const CLEAR: f64 = 1e-9;

/// What the data say about how far level sets of the loss reach in a direction.
#[derive(Debug)]
pub(super) enum Reach {
    /// x'theta is bounded on every level set.
    Bounded,
    /// A direction in which no level set ends and x'v grows.
    Ray(Vec<f64>),
    /// Rounding does not let one decide.
    Unknown,
}

/// How far the level sets of the loss reach in direction x.
pub(super) fn reach(history: &History, x: &[f64]) -> Reach {
    let d = x.len();
    let is_mixed = |k: &usize| {
        let (count, rewards) = history.outcomes(*k);
        rewards > 0.0 && rewards < count
    };
    let mixed = || (0..history.rows()).filter(is_mixed).map(|k| features(history, k));
    if plainly_span_everything(d, mixed()) {
        return Reach::Bounded;
    }
    let mixed = span(d, mixed());
    let x = of_moderate_length(x);
    let Some(target) = mixed.residual(&x, rounding(d)) else { return Reach::Bounded };
    let columns = (0..history.rows()).filter(|k| !is_mixed(k)).map(|k| Column::new(history, k)).collect();
    Cone { mixed, columns, passive: Vec::new(), weights: Vec::new(), basis: Basis::new(d) }
        .project(&target, rounding(d) * norm(&x))
}

/// An arm with outcomes of one kind, with the sign with which it spans the polar cone.
struct Column {
    x: Vec<f64>,
    length: f64,
    /// What is left of it outside the span of the mixed arms, once that was asked for: an empty vector if nothing.
    rest: Option<Vec<f64>>,
    /// Whether it is one of the passive columns, or depends on them.
    is_passive: bool,
}

impl Column {
    fn new(history: &History, row: usize) -> Self {
        let mut x = features(history, row);
        if history.outcomes(row).1 == 0.0 {
            x.iter_mut().for_each(|v| *v = -*v);
        }
        Self { length: norm(&x), x, rest: None, is_passive: false }
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
    /// If it is shorter than `nothing`, there is none that gains.
    fn project(mut self, target: &[f64], nothing: f64) -> Reach {
        let mut rest = target.to_vec();
        let (mut length, mut idle) = (norm(&rest), 0);
        loop {
            let Some(entering) = self.most_violated(&rest) else { return Reach::Ray(rest) };
            self.columns[entering].is_passive = true;
            // The rest is orthogonal to the passive columns: one that depends on them is violated by rounding only.
            if !self.basis.extend(self.columns[entering].rest(&self.mixed)) {
                continue;
            }
            self.passive.push(entering);
            self.weights.push(0.0);
            let Some(left) = self.settle(target) else { return Reach::Unknown };
            rest = left;
            let now = norm(&rest);
            if now <= nothing {
                return Reach::Bounded;
            }
            // The method is finite because the rest becomes shorter and shorter, if often by less than its last digit, as when most
            // of it is outside the span of the columns. Not for ever, unless rounding makes it go round in a cycle.
            idle = if now < length { 0 } else { idle + 1 };
            if idle > 3 * target.len() + 30 {
                return Reach::Unknown;
            }
            length = length.min(now);
        }
    }

    /// A column with a negative cosine to `rest`, the most negative one where that is cheap to tell: what is left of a column
    /// is shorter than the column, so that a cosine which is negative before is more so after. Only the columns about which
    /// this says nothing have to be projected.
    fn most_violated(&mut self, rest: &[f64]) -> Option<usize> {
        let length = norm(rest);
        let mut worst = (0.0, None);
        let mut unclear = Vec::new();
        for (k, column) in self.columns.iter().enumerate().filter(|(_, column)| !column.is_passive) {
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
            let share = |i: usize| weights[i] / (weights[i] - wanted[i]);
            let blocked = (0..wanted.len()).filter(|i| !(wanted[*i] > 0.0));
            let Some(blocking) = blocked.min_by(|a, b| share(*a).total_cmp(&share(*b))) else {
                *weights = wanted;
                return Some(self.basis.residual(target, 0.0).unwrap_or_else(|| vec![0.0; target.len()]));
            };
            // As far as the first weight that vanishes. It leaves even if rounding, of weights of any size, has left something.
            let length = share(blocking).min(1.0);
            for (weight, goal) in weights.iter_mut().zip(&wanted) {
                *weight += length * (goal - *weight);
            }
            let vanishes = |i: usize| i == blocking || wanted[i] <= 0.0 && weights[i] <= 1e-14;
            let leaves: Vec<bool> = (0..wanted.len()).map(vanishes).collect();
            self.leave(&leaves)?;
        }
    }

    /// Removes passive columns; none if rounding makes those that stay depend on each other.
    fn leave(&mut self, leaves: &[bool]) -> Option<()> {
        let first = leaves.iter().position(|leaves| *leaves)?;
        let mut stays = leaves.iter().map(|leaves| !leaves);
        self.weights.retain(|_| stays.next().expect("one flag each"));
        let mut stays = leaves.iter().map(|leaves| !leaves);
        self.passive.retain(|_| stays.next().expect("one flag each"));
        // What depended on those that leave may not depend on the others.
        self.columns.iter_mut().for_each(|column| column.is_passive = false);
        self.passive.iter().for_each(|k| self.columns[*k].is_passive = true);
        self.basis.truncate(first);
        let mut stay = self.passive[first..].iter();
        stay.all(|k| self.basis.extend(self.columns[*k].rest(&self.mixed))).then_some(())
    }
}
