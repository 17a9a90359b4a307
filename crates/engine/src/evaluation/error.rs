//! What can be wrong with what evaluation is handed. Nothing is changed by a call that returns an error.

use thiserror::Error;

/// What was wrong with a row or an option.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// A row has no propensity.
    #[error(
        "propensity is missing: what another policy would have earned can only be told from the probability with which \
         the logged action was drawn; log it with every decision, or hand over 1/K where the log was drawn uniformly \
         from K actions"
    )]
    MissingPropensity,
    /// A number is NaN or outside its range.
    #[error("{field} is {value}: it must be {allowed}")]
    OutOfRange {
        /// Which field, option or argument.
        field: &'static str,
        /// The offending value.
        value: f64,
        /// What would be accepted, in words.
        allowed: &'static str,
    },
    /// A weight is larger than the limit that was promised before the first row.
    #[error(
        "{field} / propensity is {weight}: weight_limit promised at most {limit}; intervals rest on that promise, so \
         start again with a larger weight_limit or with none"
    )]
    WeightAboveLimit {
        /// Which target probability was divided.
        field: &'static str,
        /// The weight.
        weight: f64,
        /// The promise.
        limit: f64,
    },
    /// A weight is too large to compute with.
    #[error(
        "{field} / propensity is {weight}: at most {limit} can be computed with; a propensity this small is most likely \
         wrong"
    )]
    WeightTooLarge {
        /// Which target probability was divided.
        field: &'static str,
        /// The weight.
        weight: f64,
        /// The largest weight that is accepted.
        limit: f64,
    },
    /// A count or an index is outside its range.
    #[error("{field} is {value}: it must be from {least} to {most}")]
    Index {
        /// Which field or argument.
        field: &'static str,
        /// The offending value.
        value: usize,
        /// The smallest value that is accepted.
        least: usize,
        /// The largest value that is accepted.
        most: usize,
    },
}

/// `value`, if it lies in `[0, 1]`.
pub(super) fn probability(field: &'static str, value: f64) -> Result<f64, EvaluationError> {
    in_range(field, value, (0.0..=1.0).contains(&value), "from 0 to 1")
}

/// `delta`, if intervals can be made at that level.
pub(super) fn level(delta: f64) -> Result<f64, EvaluationError> {
    let allowed = "above 0 and below 1; 0.05 means that at most one interval in twenty ever misses";
    in_range("delta", delta, delta > 0.0 && delta < 1.0, allowed)
}

/// `value`, if `is_allowed`.
pub(super) fn in_range(
    field: &'static str,
    value: f64,
    is_allowed: bool,
    allowed: &'static str,
) -> Result<f64, EvaluationError> {
    if is_allowed { Ok(value) } else { Err(EvaluationError::OutOfRange { field, value, allowed }) }
}
