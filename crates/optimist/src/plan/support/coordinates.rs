//! Coordinates in which the data look alike in every direction.
//!
//! Without norm bound and ridge the problem does not depend on the choice of coordinates, and the given ones may be bad:
//! features of very different size, arms that are nearly parallel, directions without data. Elimination with complete
//! pivoting finds orthogonal vectors p_1, p_2, ... such that every arm is sum_j c_j p_j with |c_j| <= 1, and as many of
//! them as the arms have dimensions. The c are the new features, eta_j = p_j'theta the new parameters.

use crate::history::History;
use crate::numerics::{add_scaled, dot, norm};

/// What is left of an arm, relative to it, below which it counts as nothing.
const NOTHING: f64 = 1e-11;

/// The data in new coordinates.
pub(super) struct Coordinates {
    /// The orthogonal vectors p_j.
    pivots: Vec<Vec<f64>>,
    /// The same observations with the c as features.
    pub(super) history: History,
}

impl Coordinates {
    /// None if every arm is zero.
    pub(super) fn new(history: &History) -> Option<Self> {
        let mut arms: Vec<Vec<f64>> = (0..history.rows()).map(|k| features(history, k)).collect();
        let lengths: Vec<f64> = arms.iter().map(|x| norm(x)).collect();
        let mut pivots: Vec<Vec<f64>> = Vec::new();
        while pivots.len() < history.dimension() {
            let left = |k: usize| {
                let rest = norm(&arms[k]);
                if rest > NOTHING * lengths[k] { rest } else { 0.0 }
            };
            let Some(k) = (0..arms.len()).max_by(|a, b| left(*a).total_cmp(&left(*b))) else { break };
            if left(k) == 0.0 {
                break;
            }
            let mut pivot = arms[k].clone();
            remove(&mut pivot, &pivots);
            arms.iter_mut().for_each(|x| remove(x, std::slice::from_ref(&pivot)));
            pivots.push(pivot);
        }
        let coordinates = Self { history: History::new(pivots.len().max(1)).expect("at least one dimension"), pivots };
        (!coordinates.pivots.is_empty()).then(|| coordinates.fill(history))
    }

    fn fill(mut self, history: &History) -> Self {
        for k in 0..history.rows() {
            let (count, rewards) = history.outcomes(k);
            let c = self.of_arm(&features(history, k));
            // A sum of rewards beyond the count by a rounding error must not be refused.
            let mean = (rewards / count).min(1.0);
            self.history.record(&c, mean, count);
        }
        self
    }

    /// The coefficients c of an arm, or of a direction in the span of the arms.
    pub(super) fn of_arm(&self, x: &[f64]) -> Vec<f64> {
        let mut rest = x.to_vec();
        let coefficient = |p: &Vec<f64>| {
            let c = dot(p, &rest) / dot(p, p);
            add_scaled(&mut rest, -c, p);
            c
        };
        self.pivots.iter().map(coefficient).collect()
    }

    /// The shortest theta with the given eta.
    pub(super) fn parameter(&self, eta: &[f64], theta: &mut [f64]) {
        theta.fill(0.0);
        for (p, e) in self.pivots.iter().zip(eta) {
            add_scaled(theta, e / dot(p, p), p);
        }
    }
}

fn features(history: &History, row: usize) -> Vec<f64> {
    let mut x = vec![0.0; history.dimension()];
    history.features(row, &mut x);
    x
}

/// Removes the components along orthogonal vectors, twice, because once leaves rounding errors of the size of x.
fn remove(x: &mut [f64], vectors: &[Vec<f64>]) {
    for _ in 0..2 {
        for p in vectors {
            let c = dot(p, x) / dot(p, p);
            add_scaled(x, -c, p);
        }
    }
}
