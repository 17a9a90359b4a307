//! One row of a log, as off-policy estimates see it.

use serde::{Deserialize, Serialize};

use super::error::{EvaluationError, in_range, probability};

/// The largest weight that is computed with. Squares of weights are summed; beyond this the digits of all others are lost.
const LARGEST_WEIGHT: f64 = 1e12;

/// A weight may exceed its limit by this factor, and is cut to the limit then: a quotient that is 20 on paper may come out a
/// little larger. Cut weights can only understate what plain bets bet on, so their bounds stay valid.
const LIMIT_SLACK: f64 = 1.0 + 1e-12;

/// One logged decision, seen by one target policy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoggedRow {
    /// The probability with which the logged action was drawn, given the past and the row's context. A log without
    /// propensities is refused.
    pub propensity: Option<f64>,
    /// The probability that the target policy gives to the logged action.
    pub target: f64,
    /// The reward, in `[0, 1]`.
    pub reward: f64,
    /// What a model expects, if there is one.
    pub predictions: Option<Predictions>,
    /// The target's probability of all actions that the logging policy could not have drawn in this row, where the caller
    /// knows the whole logging distribution. Nothing in the log tells what they earn.
    pub unsupported: Option<f64>,
}

/// What a model expected, **before the row's reward was learnt**. A model that was fitted to this very reward agrees with it
/// too well: the doubly robust estimate is then biased and its intervals are wrong, and no number in the row shows it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    /// The predicted reward of the logged action, in `[0, 1]`.
    pub logged: f64,
    /// The predicted reward of the target policy, `sum_a q(a) m(a)`, in `[0, 1]`.
    pub target: f64,
}

impl LoggedRow {
    /// A row without predictions, of a log whose other propensities are not known.
    pub fn new(propensity: f64, target: f64, reward: f64) -> Self {
        Self { propensity: Some(propensity), target, reward, predictions: None, unsupported: None }
    }

    /// The same row with predictions.
    pub fn with_predictions(mut self, logged: f64, target: f64) -> Self {
        self.predictions = Some(Predictions { logged, target });
        self
    }

    /// The same row, with the target's probability of actions that could not have been logged.
    pub fn with_unsupported(mut self, mass: f64) -> Self {
        self.unsupported = Some(mass);
        self
    }
}

/// `target / propensity`, if both are probabilities and the weight keeps what was promised.
pub(super) fn weight(
    propensity: Option<f64>,
    field: &'static str,
    target: f64,
    limit: Option<f64>,
) -> Result<f64, EvaluationError> {
    let propensity = propensity.ok_or(EvaluationError::MissingPropensity)?;
    let allowed = "above 0 and at most 1: it is the probability with which the logged action was drawn";
    in_range("propensity", propensity, propensity > 0.0 && propensity <= 1.0, allowed)?;
    let weight = probability(field, target)? / propensity;
    if !(weight <= LARGEST_WEIGHT) {
        return Err(EvaluationError::WeightTooLarge { field, weight, limit: LARGEST_WEIGHT });
    }
    match limit {
        Some(limit) if weight > limit * LIMIT_SLACK => Err(EvaluationError::WeightAboveLimit { field, weight, limit }),
        Some(limit) => Ok(weight.min(limit)),
        None => Ok(weight),
    }
}

/// A promised bound on weights, if it is one.
pub(super) fn weight_limit(limit: Option<f64>) -> Result<Option<f64>, EvaluationError> {
    // Weights have mean one, so their largest cannot be smaller.
    let allowed = "from 1 to 1e12, or none: it is the largest weight that any action in any row can have";
    limit.map(|limit| in_range("weight_limit", limit, (1.0..=LARGEST_WEIGHT).contains(&limit), allowed)).transpose()
}
