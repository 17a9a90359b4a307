//! What a decision says.

use std::sync::Arc;

use optimist::policy::Certified;
use serde::{Deserialize, Serialize};

/// What was decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// The event's id.
    pub event: String,
    /// The action.
    pub action: Arc<str>,
    /// The probability with which it was chosen; none if the caller chose it and gave none.
    pub probability: Option<f64>,
    /// Estimated mean reward.
    pub estimate: f64,
    /// Bounds on the mean reward that hold at all times together, or why there are none.
    pub interval: Interval,
    /// All actions that were offered: the chosen one, then the others by their estimates.
    pub ranking: Vec<Ranked>,
    /// What the engine would have chosen, where the caller chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<Arc<str>>,
    /// How many rewards had been learnt.
    pub version: u64,
    /// Whether this is the stored answer to an id that was known.
    pub repeated: bool,
    /// What the caller should know about how it was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// An action among those that were offered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// Its name.
    pub action: Arc<str>,
    /// Its estimated mean reward.
    pub estimate: f64,
    /// The probability with which the engine chooses it.
    pub probability: f64,
}

/// Bounds on a mean reward, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interval {
    /// With probability at least 1 - delta these and all others of their kind hold, at all times. There are two kinds: bounds for
    /// single decisions, which come from the policy's set, and those of the report, which come from bets on rewards. That one
    /// of either kind is wrong has probability 2 delta at most.
    Certified {
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
        /// The probability with which any certified statement of this kind may be wrong.
        delta: f64,
    },
    /// There are none.
    None {
        /// Why.
        why: String,
    },
}

impl Interval {
    pub(crate) fn of(answer: optimist::Result<Certified>) -> Self {
        match answer {
            Ok(Certified { interval, guarantee }) => match guarantee.delta {
                Some(delta) => Interval::Certified { lower: interval.lower, upper: interval.upper, delta },
                None => Interval::none("the policy's set promises nothing"),
            },
            Err(error) => Interval::None { why: error.to_string() },
        }
    }

    pub(crate) fn none(why: impl Into<String>) -> Self {
        Interval::None { why: why.into() }
    }
}
