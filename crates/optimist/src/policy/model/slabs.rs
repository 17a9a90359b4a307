//! Bounds on the log-odds of the arms that were observed, tightened over time.

use serde::{Deserialize, Serialize};

use crate::error::{Result, check_vector};
use crate::history::History;
use crate::numerics::dot;

/// { theta : lower_k <= x_k'theta <= upper_k for every row k of the history }. Two numbers per row, however long one plays.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(in crate::policy) struct Slabs {
    #[serde(with = "crate::numerics::stored_numbers")]
    lower: Vec<f64>,
    #[serde(with = "crate::numerics::stored_numbers")]
    upper: Vec<f64>,
}

impl Slabs {
    /// The bounds of a row.
    pub(in crate::policy) fn get(&self, row: usize) -> (f64, f64) {
        (self.lower[row], self.upper[row])
    }

    /// The bounds of a row without those that hold in the whole ball, where no log-odds is beyond `most`: they would only
    /// touch it, and a set that touches another is hard to project on.
    pub(in crate::policy) fn beyond_ball(&self, row: usize, most: f64) -> (f64, f64) {
        let most = most * (1.0 - 1e-12);
        let (lower, upper) = self.get(row);
        (if lower <= -most { f64::NEG_INFINITY } else { lower }, if upper >= most { f64::INFINITY } else { upper })
    }

    /// Intersects the bounds of a row with others; a row that is new must be the next one.
    pub(in crate::policy) fn tighten(&mut self, row: usize, (lower, upper): (f64, f64)) {
        if row == self.lower.len() {
            self.lower.push(lower);
            self.upper.push(upper);
        } else {
            self.lower[row] = self.lower[row].max(lower);
            self.upper[row] = self.upper[row].min(upper);
        }
    }

    /// Whether `theta` satisfies all bounds to within `slack`. `row` is working memory.
    pub(in crate::policy) fn contain(&self, history: &History, theta: &[f64], row: &mut [f64], slack: f64) -> bool {
        (0..history.rows()).all(|k| {
            history.features(k, row);
            let z = dot(row, theta);
            z >= self.lower[k] - slack && z <= self.upper[k] + slack
        })
    }

    /// The largest distance between the log-odds of an observed arm under `theta` and under any point that satisfies the
    /// bounds.
    pub(in crate::policy) fn reach(&self, history: &History, theta: &[f64], row: &mut [f64]) -> f64 {
        let distance = |k: usize| {
            history.features(k, row);
            let z = dot(row, theta);
            (z - self.lower[k]).max(self.upper[k] - z)
        };
        (0..history.rows()).map(distance).fold(0.0, f64::max)
    }

    /// Checks a deserialised state against the number of rows.
    pub(in crate::policy) fn check(&self, rows: usize) -> Result<()> {
        check_vector("slabs.lower", &self.lower, rows)?;
        check_vector("slabs.upper", &self.upper, rows)
    }
}
