//! What another policy would have earned.

use serde::{Deserialize, Serialize};

use super::clipped::Clipped;
use super::doubly_robust::DoublyRobust;
use super::error::{EvaluationError, in_range, level, probability};
use super::estimate::{Estimate, Gap};
use super::moments::PairMoments;
use super::row::{LoggedRow, weight, weight_limit};
use super::support::{REFUSAL_LEVEL, Support, SupportMonitor, SupportOptions, Verdict};
use super::weighted::WeightedMean;

/// How to evaluate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OffPolicyOptions {
    /// The largest weight `q / p` that any action in any row can have, if that can be promised before the first row: for
    /// instance `K / epsilon` where the logging policy is epsilon-greedy over `K` actions. A row that breaks the promise is
    /// refused. Without it there is no always-valid interval around the doubly robust estimate, and others are wider.
    pub weight_limit: Option<f64>,
    /// Where clipped inverse propensity cuts weights.
    pub clip: f64,
    /// When the effective number of rows is too small.
    pub support: SupportOptions,
}

impl Default for OffPolicyOptions {
    /// No promise, weights cut at 10, support as in [`SupportOptions`].
    fn default() -> Self {
        Self { weight_limit: None, clip: 10.0, support: SupportOptions::default() }
    }
}

impl OffPolicyOptions {
    /// Whether the options can be used.
    pub fn validate(&self) -> Result<(), EvaluationError> {
        weight_limit(self.weight_limit)?;
        let allowed = "finite and above 0: weights are cut there, and 1 keeps only rows the log favours";
        in_range("clip", self.clip, self.clip > 0.0 && self.clip.is_finite(), allowed)?;
        self.support.validate()
    }
}

/// Estimates of what a target policy would have earned, from the log of another.
///
/// With weights `w = q / p`, where `p` is the probability with which the logged action was drawn and `q` the target's
/// probability of it:
///
/// | Estimate | Formula | Bias | Variance |
/// |---|---|---|---|
/// | inverse propensity (Horvitz and Thompson 1952) | `mean(w r)` | none | of `w r` |
/// | self-normalised (Swaminathan and Joachims 2015) | `sum(w r) / sum(w)` | vanishes like `1/t` | of `w (r - value)` |
/// | clipped (Ionides 2008) | `mean(min(w, clip) r)` | downwards, bounded | of `min(w, clip) r` |
/// | doubly robust (Dudik, Langford and Li 2011) | `mean(m_target + w (r - m_logged))` | none | of `w (r - m_logged)` |
///
/// The doubly robust estimate needs predictions made before the row's reward was learnt ([`Predictions`](super::Predictions)).
/// Asymptotic intervals are normal; for the self-normalised estimate by the delta method. For a log whose policy learns as it
/// goes they further need a central limit theorem for martingales, so a logging variance that settles down. Always-valid
/// intervals need none of this; what they assume is listed in the [module](crate::evaluation). Inverse propensity and the
/// self-normalised estimate share one, that of [`WeightedMean`], because it is one for the value of the policy.
///
/// ```
/// use optimist_engine::evaluation::{LoggedRow, OffPolicy, OffPolicyOptions, Verdict};
///
/// // Two actions, drawn with probability one half each; the target always takes the first, which always pays.
/// let mut evaluation = OffPolicy::new(OffPolicyOptions { weight_limit: Some(2.0), ..Default::default() })?;
/// for i in 0..1000 {
///     let first = i % 2 == 0;
///     evaluation.push(&LoggedRow::new(0.5, if first { 1.0 } else { 0.0 }, if first { 1.0 } else { 0.0 }))?;
/// }
/// let report = evaluation.report(0.05)?;
/// assert_eq!(report.support.verdict, Verdict::Usable);
/// let estimates = report.estimates.unwrap();
/// assert_eq!(estimates.self_normalised.unwrap().value, 1.0);
/// assert!(estimates.inverse_propensity.always_valid.unwrap().lower > 0.85);
/// # Ok::<(), optimist_engine::evaluation::EvaluationError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OffPolicy {
    options: OffPolicyOptions,
    support: SupportMonitor,
    /// Weights and weighted rewards.
    pairs: PairMoments,
    value: WeightedMean,
    clipped: Clipped,
    doubly_robust: DoublyRobust,
}

/// All estimates of one value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimates {
    /// `mean(w r)`.
    pub inverse_propensity: Estimate,
    /// `sum(w r) / sum(w)`.
    pub self_normalised: Result<Estimate, Gap>,
    /// `mean(min(w, clip) r)`.
    pub clipped: ClippedEstimate,
    /// `mean(m_target + w (r - m_logged))`.
    pub doubly_robust: Result<Estimate, Gap>,
}

/// Clipped inverse propensity, with its bias.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClippedEstimate {
    /// The estimate. Its intervals are for the value of the policy, bias included.
    pub estimate: Estimate,
    /// Where weights were cut.
    pub clip: f64,
    /// By how much the estimate falls short of the value at most, in expectation: `1 - mean min(w, clip)`, as estimated.
    pub bias_bound: f64,
    /// A bound on the same that holds at all times at once, at the level of the report.
    pub always_valid_bias_bound: f64,
}

/// What a log says about a target policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OffPolicyReport {
    /// Whether the log can answer, and what speaks against it.
    pub support: Support,
    /// The estimates; none where the verdict is [`Verdict::Refused`].
    pub estimates: Option<Estimates>,
}

impl OffPolicy {
    /// No rows yet.
    pub fn new(options: OffPolicyOptions) -> Result<Self, EvaluationError> {
        options.validate()?;
        Ok(Self {
            value: WeightedMean::new(options.weight_limit)?,
            options,
            support: SupportMonitor::default(),
            pairs: PairMoments::default(),
            clipped: Clipped::default(),
            doubly_robust: DoublyRobust::default(),
        })
    }

    /// Takes a row. A row that is refused changes nothing.
    pub fn push(&mut self, row: &LoggedRow) -> Result<(), EvaluationError> {
        let limit = self.options.weight_limit;
        let w = weight(row.propensity, "target", row.target, limit)?;
        let r = probability("reward", row.reward)?;
        let unsupported = probability("unsupported", row.unsupported.unwrap_or(0.0))?;
        if let Some(predictions) = row.predictions {
            probability("predictions.logged", predictions.logged)?;
            probability("predictions.target", predictions.target)?;
        }

        self.support.push(w, unsupported, limit);
        self.pairs.push(w, w * r);
        self.value.push_checked(w, r, unsupported);
        self.clipped.push(w, r, self.options.clip);
        self.doubly_robust.push(w, r, row.predictions, unsupported, limit);
        Ok(())
    }

    /// What is known so far, with every interval at `1 - delta`.
    pub fn report(&self, delta: f64) -> Result<OffPolicyReport, EvaluationError> {
        let delta = level(delta)?;
        let always_valid = self.value.interval_checked(delta);
        let mut support = self.support.report(self.options.weight_limit, &self.options.support, Some(always_valid));
        support.object_to_contradiction(self.value.interval_checked(REFUSAL_LEVEL));
        let estimates = (support.verdict < Verdict::Refused).then(|| {
            let effective = self.support.effective_rows();
            let weighted = self.pairs.second();
            Estimates {
                inverse_propensity: Estimate::new(
                    weighted.mean(),
                    weighted.standard_error(),
                    effective,
                    delta,
                    Ok(always_valid),
                ),
                self_normalised: self
                    .pairs
                    .ratio()
                    .ok_or(Gap::NoWeight)
                    .map(|(value, error)| Estimate::new(value, error, effective, delta, Ok(always_valid))),
                clipped: ClippedEstimate {
                    estimate: self.clipped.estimate(delta),
                    clip: self.options.clip,
                    bias_bound: self.clipped.bias_bound(),
                    always_valid_bias_bound: self.clipped.always_valid_bias_bound(delta),
                },
                doubly_robust: self.doubly_robust.estimate(self.options.weight_limit, effective, delta),
            }
        });
        Ok(OffPolicyReport { support, estimates })
    }
}
