//! A policy as it was at one moment: what can be asked of it without changing it, from any number of threads.

use std::fmt::Debug;

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::certain::{self, CertifiedBest, CertifiedComparison};
use super::choice::{Certified, CertifiedList, Probabilities};
use super::info::PolicyInfo;
use crate::arms::{ArmSet, FiniteArms};
use crate::error::Result;
use crate::posterior::Row;
use crate::problem::Problem;

/// How much a policy has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Rounds in which it has chosen.
    pub rounds: u64,
    /// Rewards it has learnt from.
    pub rewards: u64,
}

/// A view of a policy that many threads can ask while the policy itself goes on learning.
///
/// [`Policy::snapshot`](super::Policy::snapshot) makes one: it copies the state and brings the estimate and the sets of the
/// copy up to date. Answers are those that the policy would have given at that moment, and the policy goes on as if nobody
/// had asked, to the last bit.
///
/// ```
/// use optimist::{Problem, policy};
///
/// let mut policy = policy::build("laplace-ts", &Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) })?;
/// policy.observe(&[0.6, 0.8], 1.0)?;
/// let then = policy.snapshot();
/// let reader = std::thread::spawn(move || then.interval(&[0.6, 0.8])); // asks what was known then
/// policy.observe(&[0.6, 0.8], 0.0)?;                                   // while the policy learns
/// assert_ne!(reader.join().unwrap()?, policy.interval(&[0.6, 0.8])?);
/// # Ok::<(), optimist::Error>(())
/// ```
pub trait Snapshot: Debug + Send + Sync {
    /// The policy's line of the registry.
    fn info(&self) -> &'static PolicyInfo;

    /// Dimension, delta and norm bound.
    fn problem(&self) -> &Problem;

    /// What it had seen.
    fn counts(&self) -> Counts;

    /// The estimate of theta, of the shared parameters alone if arms have some of their own
    /// ([`Policy::estimate`](super::Policy::estimate)).
    fn estimate(&self) -> &[f64];

    /// Estimated log-odds of `x`.
    ///
    /// # Errors
    /// If `x` has the wrong length or a number that is not finite.
    fn log_odds(&self, x: &[f64]) -> Result<f64> {
        self.log_odds_of(&Row::Dense(x))
    }

    /// Estimated log-odds of a row of any form.
    ///
    /// # Errors
    /// If the row does not fit the policy.
    fn log_odds_of(&self, row: &Row<'_>) -> Result<f64>;

    /// As [`Policy::interval`](super::Policy::interval).
    ///
    /// # Errors
    /// As there.
    fn interval(&self, x: &[f64]) -> Result<Certified> {
        self.interval_of_row(&Row::Dense(x))
    }

    /// As [`Policy::interval_of_row`](super::Policy::interval_of_row).
    ///
    /// # Errors
    /// As there.
    fn interval_of_row(&self, row: &Row<'_>) -> Result<Certified>;

    /// As [`Policy::intervals`](super::Policy::intervals).
    ///
    /// # Errors
    /// As there.
    fn intervals(&self, arms: &FiniteArms<'_>) -> Result<CertifiedList>;

    /// Whether `a` or `b` succeeds more often, for sure.
    ///
    /// # Errors
    /// As [`Snapshot::interval`].
    fn compare(&self, a: &[f64], b: &[f64]) -> Result<CertifiedComparison> {
        self.interval(&certain::difference(a, b, self.problem().dimension)?).map(CertifiedComparison::of)
    }

    /// By how much the arm that looks best may fail to be it, in probability of success, and whether that is at most `epsilon`.
    ///
    /// # Errors
    /// As [`Snapshot::intervals`]; also if `epsilon` is not between 0 and 1.
    fn best(&self, arms: &FiniteArms<'_>, epsilon: f64) -> Result<CertifiedBest> {
        certain::best(arms, epsilon, &|arms| self.intervals(arms), &|x| self.log_odds(x), &|x| self.interval(x))
    }

    /// As [`Policy::contains`](super::Policy::contains).
    ///
    /// # Errors
    /// As there.
    fn contains(&self, theta: &[f64]) -> Result<bool>;

    /// As [`Policy::probabilities`](super::Policy::probabilities).
    ///
    /// # Errors
    /// As there.
    fn probabilities(&self, arms: &ArmSet<'_>, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities>;
}
