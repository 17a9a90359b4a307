//! Posteriors that look at every observation once: the Laplace approximation as a filter, at the same cost for ever.
//!
//! A fit to all observations costs a pass over them, and where every arm is new there are as many rows as observations. A
//! filter keeps a normal law N(theta, H^{-1}) of the parameter and nothing else. From the prior N(0, I/ridge), `count`
//! outcomes of mean `reward` of an arm x move it by one exact step,
//!
//! ```text
//! theta' = argmin ||theta' - theta||_H^2 / 2 + count l(x'theta', reward)
//! H'     = H + count mu'(x'theta') x x'
//! ```
//!
//! The minimiser lies on the line theta + a H^{-1}x, so that its log-odds solve one monotone scalar equation. Summed over all
//! steps these conditions say that theta solves the score equation with every mu(x_s'theta) replaced by its tangent at the
//! log-odds that x_s had right after it was observed: the error is of second order in how far the estimate has moved since.
//!
//! - [`DenseFilter`]: rows of d numbers, or [`Row::Sparse`] ones of which only some are not zero.
//! - [`HybridFilter`]: features that all arms share beside features that belong to one arm each, without the many zeros
//!   that a row of all of them would have. Without shared features it is one model per arm (disjoint).
//! - [`OnePass`]: a filter, or several with different priors that are weighed by how well they foretold the rewards. Where
//!   arms share nothing, the first outcomes of each are fitted.

mod contracted;
mod dense;
mod hybrid;
mod one_pass;
mod start;

pub(crate) use contracted::{Contracted, contracted_mean};
pub use dense::DenseFilter;
pub use hybrid::HybridFilter;
pub(crate) use one_pass::kept_after;
pub use one_pass::{OnePass, Structure};

use crate::error::{Error, Result, check_number, check_vector};
use crate::numerics::{dot, norm};

/// What the past says about the log-odds of an arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// x'theta.
    pub mean: f64,
    /// x'H^{-1}x.
    pub variance: f64,
}

/// The features of an arm, and which parameters they meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row<'a> {
    /// One number per parameter.
    Dense(&'a [f64]),
    /// Some numbers; all others are zero. Indices are strictly increasing.
    Sparse {
        /// Which parameters.
        indices: &'a [u32],
        /// The numbers that meet them.
        values: &'a [f64],
    },
    /// The features that all arms share, then those that meet the parameters of one arm alone.
    Own {
        /// The arm: a number of the caller's choice that stays with it.
        owner: u64,
        /// Shared features, then own ones.
        features: &'a [f64],
    },
}

impl<'a> Row<'a> {
    /// The numbers of the row.
    pub fn values(&self) -> &[f64] {
        self.into_values()
    }

    /// The numbers of the row, for as long as they live.
    pub fn into_values(self) -> &'a [f64] {
        match self {
            Row::Dense(x) => x,
            Row::Sparse { values, .. } => values,
            Row::Own { features, .. } => features,
        }
    }

    /// Checks that the numbers are finite and as many as they should be, and that indices are in order and below `dimension`.
    pub(crate) fn check(&self, dimension: usize) -> Result<()> {
        match self {
            Row::Dense(x) => check_vector("x", x, dimension),
            Row::Own { features, .. } => check_vector("x", features, dimension),
            Row::Sparse { indices, values } => {
                if indices.len() != values.len() {
                    return Err(Error::Dimension {
                        field: "values".into(),
                        expected: indices.len(),
                        got: values.len(),
                    });
                }
                check_vector("values", values, indices.len())?;
                let mut least = 0;
                for (i, index) in indices.iter().enumerate() {
                    let (field, index) = (format!("indices[{i}]"), *index as usize);
                    check_number(&field, index as f64, index < dimension, "below the dimension")?;
                    check_number(&field, index as f64, index >= least, "greater than the one before it")?;
                    least = index + 1;
                }
                Ok(())
            }
        }
    }

    /// The row with its zeros, in the caller's memory if they have to be written out. A hybrid row is left as it is.
    pub(crate) fn dense<'b>(&'b self, dimension: usize, memory: &'b mut Vec<f64>) -> &'b [f64] {
        if !matches!(self, Row::Sparse { .. }) {
            return self.values();
        }
        self.write_out(dimension, memory);
        memory
    }

    /// Writes a sparse row with its zeros to `memory`.
    pub(crate) fn write_out(&self, dimension: usize, memory: &mut Vec<f64>) {
        memory.clear();
        memory.resize(dimension, 0.0);
        if let Row::Sparse { indices, values } = self {
            indices.iter().zip(*values).for_each(|(i, v)| memory[*i as usize] = *v);
        }
    }

    /// x'theta, for rows that meet all parameters.
    pub(crate) fn dot(&self, theta: &[f64]) -> f64 {
        match self {
            Row::Sparse { indices, values } => indices.iter().zip(*values).map(|(i, v)| theta[*i as usize] * v).sum(),
            other => dot(other.values(), theta),
        }
    }

    /// Whose own features these are; zero if all features are shared.
    pub(crate) fn owner(&self) -> u64 {
        match self {
            Row::Own { owner, .. } => *owner,
            _ => 0,
        }
    }

    /// The Euclidean norm.
    pub fn norm(&self) -> f64 {
        norm(self.values())
    }
}
