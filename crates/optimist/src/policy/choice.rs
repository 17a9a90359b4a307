//! What a policy answers: the arm, the estimate, and what is certain about it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::link;
use crate::plan::Interval;
use crate::posterior::Row;
use crate::set::Guarantee;

/// A chosen arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice<'a> {
    /// Its index, if the arms are a list.
    pub index: Option<usize>,
    /// The name that the caller gave it, if any.
    pub id: Option<Cow<'a, str>>,
    /// Its features: what [`Policy::observe`](super::Policy::observe) wants back with the reward.
    pub features: Cow<'a, [f64]>,
    /// Which parameters they meet: all, unless the arms are sparse or hybrid ([`Choice::row`] has both in one).
    #[serde(skip_serializing_if = "Place::is_dense")]
    pub place: Place<'a>,
    /// The number by which [`Policy::settle`](super::Policy::settle) knows this play, if the policy was told that rewards
    /// come late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<u64>,
    /// Estimated log-odds of success, x'theta_hat. If the rule picks without looking at its estimate, as `uniform` does, it is
    /// that of the last question: [`Policy::snapshot`](super::Policy::snapshot) knows the present one.
    pub log_odds: f64,
    /// The largest log-odds that the rule's own confidence set allows the arm, where the rule computed it to choose:
    /// x'theta_t of an optimistic policy. A bound only if the set promises something, see `certificate`.
    pub optimistic_log_odds: Option<f64>,
    /// What is certain about its log-odds.
    pub certificate: Certificate,
}

impl Choice<'_> {
    /// The same choice in memory of its own: it may outlive the arms it was made from.
    pub fn into_owned(self) -> Choice<'static> {
        Choice {
            id: self.id.map(|id| Cow::Owned(id.into_owned())),
            features: Cow::Owned(self.features.into_owned()),
            place: self.place.into_owned(),
            ..self
        }
    }

    /// The features, and which parameters they meet: what [`Policy::observe_row`](super::Policy::observe_row) wants back.
    pub fn row(&self) -> Row<'_> {
        self.place.row(&self.features)
    }

    /// Estimated probability of success.
    pub fn probability(&self) -> f64 {
        link::mean(self.log_odds)
    }
}

/// Which parameters the features of an arm meet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place<'a> {
    /// All, one each.
    Dense,
    /// These.
    Sparse(Cow<'a, [u32]>),
    /// The shared ones, and those of this arm.
    Own(u64),
}

impl<'a> Place<'a> {
    fn is_dense(&self) -> bool {
        matches!(self, Place::Dense)
    }

    /// That of a row.
    pub(super) fn of(row: &Row<'a>) -> Self {
        match row {
            Row::Dense(_) => Place::Dense,
            Row::Sparse { indices, .. } => Place::Sparse(Cow::Borrowed(indices)),
            Row::Own { owner, .. } => Place::Own(*owner),
        }
    }
}

/// What is certain about the log-odds of a chosen arm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Certificate {
    /// Bounds that were computed on the way.
    Bounds {
        /// Lower bound on x'theta*, if it came for free; [`Policy::interval`](super::Policy::interval) computes it.
        log_odds_lower: Option<f64>,
        /// Upper bound on x'theta*.
        log_odds_upper: f64,
        /// What is promised, and where that is proved.
        guarantee: Guarantee,
    },
    /// The choice itself needed none, but [`Policy::interval`](super::Policy::interval) computes bounds with this
    /// promise. Its norm bound is null once the data have refuted the declared one, as far as somebody has looked: the choice,
    /// if it uses the mixture set, a question, or an elimination of arms. (A rule that chooses without the set does not fit it
    /// to find out. The guarantee of the interval is always of the data at hand.)
    OnRequest(Guarantee),
    /// No guarantee.
    None {
        /// Why there is none.
        why: &'static str,
    },
}

/// Whether a policy's own confidence set promises anything.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// The true parameter is in the set at all times, with probability at least 1 - delta.
    Holds(Guarantee),
    /// No guarantee.
    None {
        /// Why there is none.
        why: &'static str,
    },
}

impl Claim {
    /// The promise, if there is one.
    pub fn guarantee(&self) -> Option<Guarantee> {
        match self {
            Claim::Holds(guarantee) => Some(*guarantee),
            Claim::None { .. } => None,
        }
    }
}

impl From<Guarantee> for Claim {
    fn from(guarantee: Guarantee) -> Self {
        match guarantee.delta {
            Some(_) => Claim::Holds(guarantee),
            None => {
                Claim::None { why: guarantee.theorem.assumptions.first().copied().unwrap_or("nothing is promised") }
            }
        }
    }
}

/// An interval with the promise under which it holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Certified {
    /// The bounds.
    pub interval: Interval,
    /// What is promised, and where that is proved.
    pub guarantee: Guarantee,
}

/// Intervals of several arms, all of which hold together, with the promise under which they do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CertifiedList {
    /// One interval per arm.
    pub intervals: Vec<Interval>,
    /// What is promised, and where that is proved.
    pub guarantee: Guarantee,
}

/// What the picks of an insured rule have cost, and what they may.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Insurance {
    /// The picks in which the rule departed from optimism have cost no more successes than this, all together, as long as
    /// the true parameter is in the mixture set.
    pub spent: f64,
    /// What they may cost as of the last round; `spent` is never more.
    pub budget: f64,
    /// How many of them were played.
    pub departures: u64,
    /// How many were not, because the budget did not allow it; the optimistic arm was played then.
    pub overruled: u64,
}

/// The probability with which each arm would be chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Probabilities {
    /// One number per arm; they sum to one.
    pub values: Vec<f64>,
    /// Their standard errors if they were found by simulation; none if they are exact.
    pub standard_errors: Option<Vec<f64>>,
}

impl Probabilities {
    /// Certainty: `chosen` of `arms` arms.
    pub(super) fn certain(arms: usize, chosen: usize) -> Self {
        let mut values = vec![0.0; arms];
        values[chosen] = 1.0;
        Self { values, standard_errors: None }
    }

    /// The same, if a share of the choices is drawn from all arms alike.
    pub(super) fn mixed(mut self, explore: f64) -> Self {
        let uniform = explore / self.values.len() as f64;
        self.values.iter_mut().for_each(|p| *p = (1.0 - explore) * *p + uniform);
        self.standard_errors.iter_mut().flatten().for_each(|e| *e *= 1.0 - explore);
        self
    }

    /// Frequencies among `draws`.
    pub(super) fn simulated(counts: &[u64], draws: usize) -> Self {
        let n = draws as f64;
        let values: Vec<f64> = counts.iter().map(|c| *c as f64 / n).collect();
        // Laplace's rule keeps the error of a frequency of zero or one from being called zero.
        let error = |c: &u64| {
            let p = (*c as f64 + 1.0) / (n + 2.0);
            (p * (1.0 - p) / n).sqrt()
        };
        Self { values, standard_errors: Some(counts.iter().map(error).collect()) }
    }
}
