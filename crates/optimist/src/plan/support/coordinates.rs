//! Coordinates along which the data can be told apart one after the other.
//!
//! Without norm bound and ridge nothing holds theta outside the span of the arms, and within it the given coordinates may be
//! bad: arms that are nearly parallel, features of very different size. Elimination with complete pivoting finds an orthonormal
//! basis of the span, each vector along what is left of the arm of which most is left. In these coordinates the directions
//! about which the arms hardly differ come last, each by itself, so that a Cholesky factor, which does not mind the scale
//! of a coordinate, keeps their digits. The longest arm has length one.

use crate::history::History;
use crate::numerics::{add_scaled, dot, norm};

/// What is left of an arm, relative to it, below which it counts as nothing.
const NOTHING: f64 = 1e-11;

/// Rounding error of a component, relative to the arm.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The data in new coordinates.
pub(super) struct Coordinates {
    /// The orthonormal vectors.
    basis: Vec<Vec<f64>>,
    /// The length of the longest arm, which becomes one.
    unit: f64,
    /// The same observations with the arms' components along them as features.
    pub(super) history: History,
}

impl Coordinates {
    /// Coordinates for arms of which each counts as much as its length times its weight. None if every arm is zero.
    ///
    /// With the weights that the arms have at a maximiser, those that hold it come first, and what the others add has
    /// coordinates of its own.
    pub(super) fn new(history: &History, weights: &[f64]) -> Option<Self> {
        let mut arms: Vec<Vec<f64>> = (0..history.rows()).map(|k| features(history, k)).collect();
        let lengths: Vec<f64> = arms.iter().map(|x| norm(x)).collect();
        let mut left = lengths.clone();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        while basis.len() < history.dimension() {
            let size = |k: &usize| left[*k] * weights[*k];
            let Some(k) = (0..arms.len()).filter(|k| left[*k] > 0.0).max_by(|a, b| size(a).total_cmp(&size(b))) else {
                break;
            };
            let mut pivot = arms[k].clone();
            // Once more, because what rounding had left of the others has grown relative to what is left.
            for p in &basis {
                remove(&mut pivot, p);
            }
            let length = norm(&pivot);
            pivot.iter_mut().for_each(|v| *v /= length);
            for ((x, left), length) in arms.iter_mut().zip(&mut left).zip(&lengths) {
                remove(x, &pivot);
                let rest = norm(x);
                *left = if rest > NOTHING * length { rest } else { 0.0 };
            }
            left[k] = 0.0;
            basis.push(pivot);
        }
        let empty = History::new(basis.len().max(1)).expect("at least one dimension");
        let coordinates = Self { history: empty, basis, unit: history.max_norm() };
        (!coordinates.basis.is_empty()).then(|| coordinates.fill(history))
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

    /// The components of an arm, or of a direction in the span of the arms. Those that are rounding errors are zero: the
    /// multipliers of directions that do not exist would otherwise be what they are divided by.
    pub(super) fn of_arm(&self, x: &[f64]) -> Vec<f64> {
        let mut rest = x.to_vec();
        let nothing = ROUNDING * norm(x);
        let component = |p: &Vec<f64>| {
            let c = remove(&mut rest, p);
            if c.abs() > nothing { c / self.unit } else { 0.0 }
        };
        self.basis.iter().map(component).collect()
    }

    /// The components of a parameter.
    pub(super) fn of_parameter(&self, theta: &[f64]) -> Vec<f64> {
        self.basis.iter().map(|p| dot(p, theta) * self.unit).collect()
    }

    /// The shortest theta with the given components.
    pub(super) fn parameter(&self, eta: &[f64], theta: &mut [f64]) {
        theta.fill(0.0);
        for (p, e) in self.basis.iter().zip(eta) {
            add_scaled(theta, e / self.unit, p);
        }
    }
}

fn features(history: &History, row: usize) -> Vec<f64> {
    let mut x = vec![0.0; history.dimension()];
    history.features(row, &mut x);
    x
}

/// Removes the component along a unit vector and returns it.
fn remove(x: &mut [f64], unit: &[f64]) -> f64 {
    let component = dot(unit, x);
    add_scaled(x, -component, unit);
    component
}
