//! Estimates of values in a log, in one form whatever they come from.

use optimist_engine::evaluation::{
    Estimate, Estimates, Interval, LoggedRow, OffPolicy, OffPolicyOptions, OffPolicyReport, ReplayReport, Verdict,
};
use serde::Serialize;

use super::apprentice::wrong;
use super::log::Log;
use crate::error::Result;

/// How a value was estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Doubly robust: the model's prediction, corrected by weighted errors.
    DoublyRobust,
    /// Rewards weighted by one over their probability.
    InversePropensity,
    /// The same, divided by the sum of the weights.
    SelfNormalised,
    /// The same as inverse propensity, with weights cut.
    Clipped,
    /// The mean of the rows that match.
    Rejection,
}

impl Method {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Method::DoublyRobust => "doubly robust",
            Method::InversePropensity => "inverse propensity",
            Method::SelfNormalised => "self-normalised",
            Method::Clipped => "clipped",
            Method::Rejection => "rejection replay",
        }
    }
}

/// An estimate of mean reward, and how it was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Named {
    /// How.
    pub method: Method,
    /// The estimate.
    pub value: f64,
    /// Its standard error, if there is one.
    pub standard_error: Option<f64>,
    /// The interval by the normal law.
    pub asymptotic: Option<Interval>,
    /// The interval that holds at all times at once.
    pub always_valid: Option<Interval>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Named {
    fn new(method: Method, estimate: &Estimate) -> Self {
        let (always_valid, why) = match estimate.always_valid {
            Ok(interval) => (Some(interval), None),
            Err(gap) => (None, Some(gap.to_string())),
        };
        let Estimate { value, standard_error, asymptotic, .. } = *estimate;
        Self { method, value, standard_error, asymptotic, always_valid, why }
    }
}

/// What a log says of one candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoggedValue {
    /// Estimates of its mean reward, the one to read first; none if the log cannot answer.
    pub estimates: Vec<Named>,
    /// How many rows of equal weight would say as much; of a rejection replay the rows that matched.
    pub effective_rows: f64,
    /// Whether the log can answer.
    pub verdict: Verdict,
    /// What speaks against it, in words.
    pub concerns: Vec<String>,
}

impl LoggedValue {
    pub(super) fn of_weights(report: &OffPolicyReport) -> Self {
        let named = |method, estimate: Option<&Estimate>| estimate.map(|estimate| Named::new(method, estimate));
        // Where no weight was cut it is the estimate by inverse propensity.
        let cut = |all: &&Estimates| all.clipped.estimate.value != all.inverse_propensity.value;
        let estimates = report.estimates.as_ref().map(|all| {
            [
                named(Method::DoublyRobust, all.doubly_robust.as_ref().ok()),
                named(Method::InversePropensity, Some(&all.inverse_propensity)),
                named(Method::SelfNormalised, all.self_normalised.as_ref().ok()),
                named(Method::Clipped, Some(all).filter(cut).map(|all| &all.clipped.estimate)),
            ]
        });
        Self {
            estimates: estimates.into_iter().flatten().flatten().collect(),
            effective_rows: report.support.effective_rows,
            verdict: report.support.verdict,
            concerns: report.support.concerns.iter().map(ToString::to_string).collect(),
        }
    }

    pub(super) fn of_matches(report: &ReplayReport) -> Self {
        Self {
            estimates: report.estimate.iter().map(|e| Named::new(Method::Rejection, e)).collect(),
            effective_rows: report.matched as f64,
            verdict: report.verdict,
            concerns: report.concerns.iter().map(ToString::to_string).collect(),
        }
    }

    /// The value of whoever made the log, which is the mean of the logged rewards.
    ///
    /// # Errors
    /// If a reward is not between 0 and 1.
    pub fn of_log(log: &Log, delta: f64) -> Result<Option<Named>> {
        // Whoever made the log agrees with it: all weights are one.
        let options = OffPolicyOptions { weight_limit: Some(1.0), ..OffPolicyOptions::default() };
        let mut evaluation = OffPolicy::new(options).map_err(wrong)?;
        for decision in &log.decisions {
            evaluation.push(&LoggedRow::new(1.0, 1.0, decision.reward)).map_err(wrong)?;
        }
        let estimates = evaluation.report(delta).map_err(wrong)?.estimates;
        Ok(estimates.map(|all| Named::new(Method::InversePropensity, &all.inverse_propensity)))
    }
}
