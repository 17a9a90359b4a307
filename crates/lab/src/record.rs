//! What is kept of a finished run.

use serde::{Deserialize, Serialize};

/// A finished run: figures at the marks of the experiment, one column a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The rounds after which the figures below were taken, ascending; the last is the horizon.
    pub t: Vec<usize>,
    /// Pseudo-regret so far: sum of mu(x*'theta*) - mu(x_t'theta*).
    pub regret: Vec<f64>,
    /// Sum of rewards so far, whether they have arrived or not.
    pub reward: Vec<f64>,
    /// First-order part of the regret so far, sum of mu'(x_t'theta*) (x* - x_t)'theta*.
    pub r1: Vec<f64>,
    /// The rest, so that regret = R1 + R2.
    pub r2: Vec<f64>,
    /// Plays of detrimental arms (the paper's X_-) so far.
    pub bad_plays: Vec<u64>,
    /// The round in which theta* was first found outside the policy's own set, 0 if never; none if the policy keeps no set
    /// or nobody looked.
    pub left_set: Option<u64>,
    /// Problems solved for planning in all rounds, if the policy counts them.
    pub solves: Option<u64>,
    /// Rewards that the policy saw.
    pub rewards_seen: u64,
    /// Time spent in the policy.
    pub policy_seconds: f64,
    /// Time of the whole run, environment and bookkeeping included.
    pub seconds: f64,
}

impl Record {
    /// Whether theta* was in the set in every round up to `t` in which somebody looked; none if nobody did.
    pub fn in_set(&self, t: usize) -> Option<bool> {
        self.left_set.map(|left| left == 0 || left > t as u64)
    }

    /// Regret after all rounds.
    pub fn final_regret(&self) -> f64 {
        self.regret.last().copied().unwrap_or(0.0)
    }

    /// Whether everything but the time is the same, to the last bit.
    pub fn is_same_outcome(&self, other: &Self) -> bool {
        let timeless = |record: &Self| Self { policy_seconds: 0.0, seconds: 0.0, ..record.clone() };
        timeless(self) == timeless(other)
    }
}
