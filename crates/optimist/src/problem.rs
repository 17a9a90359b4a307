//! The problem as the caller states it: dimension, delta and norm bound.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, check_dimension_size, check_number};

/// What is known before any data: how many features there are, how often statements may be wrong, and how long theta* may be.
///
/// Every policy and every radius is built from it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// The number of features.
    pub dimension: usize,
    /// Probability with which the set may ever miss the true parameter.
    pub delta: f64,
    /// Bound on the norm of the true parameter, if one is known.
    pub norm_bound: Option<f64>,
}

impl Problem {
    /// Checks the ranges: a dimension, delta in (0, 1), a positive finite bound.
    ///
    /// # Errors
    /// Names the first option that is out of range.
    pub fn validate(&self) -> Result<()> {
        check_dimension_size("dimension", self.dimension)?;
        check_number("delta", self.delta, self.delta > 0.0 && self.delta < 1.0, "strictly between 0 and 1")?;
        match self.norm_bound {
            Some(bound) => check_number("norm_bound", bound, bound > 0.0 && bound <= 1e9, "positive, at most 1e9"),
            None => Ok(()),
        }
    }

    /// d/S^2, the precision of a prior whose mean squared norm is that of the ball; one without a norm bound.
    pub(crate) fn default_ridge(&self) -> f64 {
        self.norm_bound.map_or(1.0, |bound| self.dimension as f64 / (bound * bound))
    }

    /// The norm bound.
    ///
    /// # Errors
    /// If there is none; `needed_by` says which policy or radius cannot do without.
    pub fn require_norm_bound(&self, needed_by: &'static str) -> Result<f64> {
        self.norm_bound.ok_or(Error::Missing { field: "norm_bound", needed_by })
    }
}
