//! Whether a log can answer for a target policy at all: weights that have the right mean, and enough of them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::{EvaluationError, in_range};
use super::estimate::Interval;
use super::moments::Moments;
use super::sum::Sum;
use super::wealth::{Wealth, lower_total};

/// The level of the always-valid tests that refuse a log: that weights have mean one, and that the ends of an interval do not
/// contradict each other. A sound log fails each with at most this probability, however often one looks.
pub(super) const REFUSAL_LEVEL: f64 = 0.001;

/// A mean weight this many standard errors from one is worth a warning.
const SUSPICIOUS_Z: f64 = 4.0;

/// Mass on actions that could not have been logged, below which it is put down to rounding.
const ROUNDING_MASS: f64 = 1e-9;

/// When the effective number of rows is too small.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SupportOptions {
    /// Fewer effective rows than this are too little support.
    pub least_effective_rows: f64,
    /// A smaller share of effective rows among all rows than this is too little support.
    pub least_effective_share: f64,
}

impl Default for SupportOptions {
    /// 30 effective rows, and 1% of all.
    fn default() -> Self {
        Self { least_effective_rows: 30.0, least_effective_share: 0.01 }
    }
}

impl SupportOptions {
    /// Whether the options can be used.
    pub fn validate(&self) -> Result<(), EvaluationError> {
        let rows = self.least_effective_rows;
        in_range("least_effective_rows", rows, rows >= 0.0 && rows.is_finite(), "finite and at least 0")?;
        super::error::probability("least_effective_share", self.least_effective_share)?;
        Ok(())
    }
}

/// What may be done with an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing speaks against it.
    Usable,
    /// Something looks odd; the words say what.
    Suspicious,
    /// The estimate is given, but rests on too few rows to be relied on.
    TooLittleSupport,
    /// The log cannot answer, or contradicts what it says of itself: no estimate is given.
    Refused,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usable => "usable",
            Self::Suspicious => "suspicious",
            Self::TooLittleSupport => "too little support",
            Self::Refused => "refused",
        })
    }
}

/// One thing that speaks against an estimate, in figures; `to_string` says it in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Concern {
    /// There are no rows.
    NoRows,
    /// The target chooses actions that the log could not have shown.
    SupportMissing {
        /// The target's probability of them, averaged over the rows.
        mass: f64,
        /// What can be said nonetheless: an always-valid interval that holds whatever those actions earn.
        value: Option<Interval>,
    },
    /// Weights have a mean above one, beyond doubt.
    WeightsTooLarge {
        /// The mean weight, mass without support included.
        mean: f64,
        /// The least that its expectation can be.
        lower: f64,
    },
    /// Weights have a mean below one, beyond doubt.
    WeightsTooSmall {
        /// The mean weight, mass without support included.
        mean: f64,
        /// The most that its expectation can be.
        upper: f64,
    },
    /// The mean weight is far from one, as measured in standard errors.
    WeightsOdd {
        /// The mean weight, mass without support included.
        mean: f64,
        /// Its distance from one in standard errors.
        z: f64,
    },
    /// Weights vary so much that few rows count.
    FewEffectiveRows {
        /// The effective number of rows.
        effective: f64,
        /// All rows.
        rows: u64,
        /// The effective number that is asked for.
        needed: f64,
    },
    /// The ends of an always-valid interval contradict each other, beyond doubt.
    Contradiction {
        /// The interval at 99.9%, its lower end above its upper end.
        interval: Interval,
    },
}

impl Concern {
    /// What the concern makes of an estimate.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::WeightsOdd { .. } => Verdict::Suspicious,
            Self::FewEffectiveRows { .. } => Verdict::TooLittleSupport,
            _ => Verdict::Refused,
        }
    }
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRows => write!(f, "refused: there are no rows yet"),
            Self::SupportMissing { mass, value } => {
                write!(
                    f,
                    "refused: the target policy gives {:.2}% of its probability to actions that the log could not have \
                     shown, and nothing in the log tells what they earn; evaluate a target that keeps to actions with a \
                     propensity above zero, or let the logging policy explore them",
                    100.0 * mass
                )?;
                value.map_or(Ok(()), |value| write!(f, ". Whatever they earn, the value lies in {value}"))
            }
            Self::WeightsTooLarge { mean, lower } => write!(
                f,
                "refused: weights q/p must average one, but average {mean:.4}, and their expectation is at least \
                 {lower:.4}: the logged propensities are too small, or the target's probabilities too large; check that \
                 the propensity is that of the logged action at the moment of its draw"
            ),
            Self::WeightsTooSmall { mean, upper } => write!(
                f,
                "refused: weights q/p must average one, but average {mean:.4}, and their expectation is at most \
                 {upper:.4}: the target chooses actions that the log never shows, or the logged propensities are too \
                 large"
            ),
            Self::WeightsOdd { mean, z } => write!(
                f,
                "suspicious: weights q/p must average one, but average {mean:.4}, which is {z:.1} standard errors off: \
                 propensities may be wrong{}",
                if *z < 0.0 {
                    ", actions without support be chosen, or rare large weights not have come yet"
                } else {
                    ""
                }
            ),
            Self::FewEffectiveRows { effective, rows, needed } => write!(
                f,
                "too little support: of {rows} rows only {effective:.1} count, because the weights vary so much; at least \
                 {needed:.1} are asked for. Gather more rows, or evaluate a target closer to the logging policy"
            ),
            Self::Contradiction { interval } => write!(
                f,
                "refused: the lower and the upper end of the always-valid interval contradict each other, {interval}: \
                 propensities are wrong, or rows were left out because of what was in them"
            ),
        }
    }
}

/// How well a log supports a target policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// How many rows were taken.
    pub rows: u64,
    /// `(sum w)^2 / sum w^2`.
    pub effective_rows: f64,
    /// The mean weight, with the mass on actions without support added: one in expectation if all is well.
    pub mean_weight: f64,
    /// Its distance from one in standard errors, where these exist.
    pub z: Option<f64>,
    /// Always-valid bounds on the expected mean weight at 99.9%. Without a promised weight limit there is no upper one:
    /// weights that are rare and large enough can always bring the mean to one.
    pub expected_weight: (f64, Option<f64>),
    /// The target's probability of actions that could not have been logged, averaged over the rows.
    pub unsupported: f64,
    /// What speaks against an estimate.
    pub concerns: Vec<Concern>,
    /// The worst of the concerns.
    pub verdict: Verdict,
}

impl Support {
    /// Refuses where an always-valid interval, made at [`REFUSAL_LEVEL`], contradicts itself.
    pub(super) fn object_to_contradiction(&mut self, interval: Interval) {
        if interval.is_empty() {
            self.object(Concern::Contradiction { interval });
        }
    }

    /// Adds a concern and lets it count.
    pub(super) fn object(&mut self, concern: Concern) {
        self.verdict = self.verdict.max(concern.verdict());
        self.concerns.push(concern);
    }
}

/// The weights of one target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SupportMonitor {
    weights: Moments,
    /// Weights plus mass without support, which have mean one exactly.
    complete: Moments,
    unsupported: Sum,
    above_one: Wealth,
    below_one: Wealth,
}

impl SupportMonitor {
    pub(super) fn push(&mut self, w: f64, unsupported: f64, limit: Option<f64>) {
        let complete = w + unsupported;
        self.weights.push(w);
        self.complete.push(complete);
        self.unsupported.add(unsupported);
        self.above_one.push(complete, 0.0, (1.0, 1.0));
        if let Some(limit) = limit {
            // limit + 1 - complete is at least zero, and limit in expectation.
            self.below_one.push(limit + 1.0 - complete, 0.0, (limit, limit));
        }
    }

    pub(super) fn effective_rows(&self) -> f64 {
        self.weights.effective_rows()
    }

    /// How it looks; `value` is an always-valid interval for the value of the target, if there is one.
    pub(super) fn report(&self, limit: Option<f64>, options: &SupportOptions, value: Option<Interval>) -> Support {
        let rows = self.weights.count();
        let n = rows.max(1) as f64;
        let mean = self.complete.mean();
        let z = self.complete.standard_error().filter(|error| *error > 0.0).map(|error| (mean - 1.0) / error);
        let (lower, upper) = match rows {
            0 => (0.0, limit),
            _ => (
                (lower_total(&[&self.above_one], 0.5 * REFUSAL_LEVEL) / n).max(0.0),
                limit.map(|limit| limit + 1.0 - lower_total(&[&self.below_one], 0.5 * REFUSAL_LEVEL) / n),
            ),
        };
        let unsupported = self.unsupported.value() / n;
        let effective = self.effective_rows();
        let mut support = Support {
            rows,
            effective_rows: effective,
            mean_weight: mean,
            z,
            expected_weight: (lower, upper),
            unsupported,
            concerns: Vec::new(),
            verdict: Verdict::Usable,
        };
        if rows == 0 {
            support.object(Concern::NoRows);
            return support;
        }
        if lower > 1.0 {
            support.object(Concern::WeightsTooLarge { mean, lower });
        } else if let Some(upper) = upper.filter(|upper| *upper < 1.0) {
            support.object(Concern::WeightsTooSmall { mean, upper });
        } else if let Some(z) = z.filter(|z| z.abs() > SUSPICIOUS_Z) {
            support.object(Concern::WeightsOdd { mean, z });
        }
        if unsupported > ROUNDING_MASS {
            // An interval from weights that are refused is no interval.
            let value = value.filter(|value| support.verdict < Verdict::Refused && !value.is_empty());
            support.object(Concern::SupportMissing { mass: unsupported, value });
        }
        let needed = options.least_effective_rows.max(options.least_effective_share * n);
        if effective < needed {
            support.object(Concern::FewEffectiveRows { effective, rows, needed });
        }
        support
    }
}
