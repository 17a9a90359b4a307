//! An estimate, its intervals, and why one may be missing.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::elementary::normal_two_sided;

/// An interval of values.
///
/// Where `lower` is above `upper` no value fits what was seen: something that the interval assumes does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

impl Interval {
    /// Whether `value` lies between the ends, which belong to the interval.
    pub fn contains(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// Upper end minus lower end.
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }

    /// Whether no value lies between the ends.
    pub fn is_empty(&self) -> bool {
        self.lower > self.upper
    }

    /// `mean` and `error` as a normal interval that misses with probability `delta`.
    pub(super) fn normal(mean: f64, error: f64, delta: f64) -> Self {
        let reach = normal_two_sided(delta) * error;
        Self { lower: mean - reach, upper: mean + reach }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:.4}, {:.4}]", self.lower, self.upper)
    }
}

/// One number, with what is known of its error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate. It is not forced into `[0, 1]`: one that lies outside says how noisy it is.
    pub value: f64,
    /// Its standard error; one row has none. Zero where all rows agree, which says nothing about rows to come.
    pub standard_error: Option<f64>,
    /// `(sum w)^2 / sum w^2` (Kish 1965): how many rows of equal weight would vary as little.
    pub effective_rows: f64,
    /// The interval by the normal law: right for many rows, a number of rows fixed in advance, moderate weights.
    pub asymptotic: Option<Interval>,
    /// The interval for the value of the policy (not for the estimator) that holds at all times at once, or why there is
    /// none. It need not contain `value`.
    pub always_valid: Result<Interval, Gap>,
}

impl Estimate {
    pub(super) fn new(
        value: f64,
        standard_error: Option<f64>,
        effective_rows: f64,
        delta: f64,
        always_valid: Result<Interval, Gap>,
    ) -> Self {
        let asymptotic = standard_error.map(|error| Interval::normal(value, error, delta));
        Self { value, standard_error, effective_rows, asymptotic, always_valid }
    }
}

/// Why an estimate or an interval is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Gap {
    /// There are no rows.
    NoRows,
    /// Some rows came without predictions.
    NoPredictions {
        /// How many rows.
        rows: u64,
    },
    /// The construction needs a bound on weights, and none was promised.
    NoWeightLimit,
    /// All weights are zero: the target never gives probability to what was logged.
    NoWeight,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRows => write!(f, "none: there are no rows yet"),
            Self::NoPredictions { rows } => write!(
                f,
                "none: {rows} rows came without the model's predictions, and a doubly robust estimate needs them in every \
                 row, made before the row's reward was learnt"
            ),
            Self::NoWeightLimit => write!(
                f,
                "none: a prediction may be off by the whole reward, times the weight, so an always-valid interval needs \
                 weight_limit, the largest weight that any action in any row can have, promised before the first row"
            ),
            Self::NoWeight => {
                write!(f, "none: the target policy gives probability zero to every logged action, so no row counts")
            }
        }
    }
}
