//! What an agent can promise, and the intervals that keep it.

use super::Agent;
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result};
use crate::fit::Estimator;
use crate::plan::{Answers, Interval};
use crate::policy::choice::{Certificate, Certified, CertifiedList, Claim};
use crate::policy::common::Certify;
use crate::policy::rule::{Options, Rule};
use crate::policy::sets_per_arm::SetsPerArm;
use crate::posterior::Row;
use crate::set::{Guarantee, Mixture};

impl<R: Rule> Agent<R> {
    /// The memory in which questions are answered, to be put back; made when the first is asked.
    pub(super) fn take_answers(&mut self) -> Result<Box<Answers>> {
        self.answers.take().map_or_else(|| new_answers(self.problem.dimension).map(Box::new), Ok)
    }

    /// What is said about the chosen arm: what [`Policy::interval`] would say, as far as is known without a fit.
    pub(super) fn certificate(&self, bounds: (Option<f64>, Option<f64>)) -> Certificate {
        let own_is_empty = matches!(bounds, (Some(lower), Some(upper)) if is_empty(lower, upper));
        if own_is_empty && self.common.certify != Certify::Mixture {
            return Certificate::None {
                why: "the confidence set is empty: the norm bound or the logistic model is wrong (a new start with a larger \
                      norm bound spends delta again)",
            };
        }
        // All that a policy reports holds on one event: bounds of its own set are not shown beside those of another.
        match (self.promise(), bounds) {
            (Some(guarantee), _) if self.is_refuted() => {
                Certificate::OnRequest(Guarantee { norm_bound: None, ..guarantee })
            }
            (Some(guarantee), (log_odds_lower, Some(log_odds_upper)))
                if !own_is_empty && self.rule.claim().guarantee() == Some(guarantee) =>
            {
                Certificate::Bounds { log_odds_lower, log_odds_upper, guarantee }
            }
            (Some(guarantee), _) => Certificate::OnRequest(guarantee),
            (None, _) => Certificate::None { why: self.why_not() },
        }
    }

    /// Whether the mixture set that certifies was empty when somebody last looked: a choice, a question, an elimination. To look
    /// in every round would cost a fit where the rule does without the set.
    fn is_refuted(&self) -> bool {
        self.common.certify == Certify::Mixture && self.mixture().is_some_and(Belief::was_empty)
    }

    /// The promise of [`Policy::interval`].
    fn promise(&self) -> Option<Guarantee> {
        match self.common.certify {
            Certify::Mixture if self.rule.sets_per_arm().is_some() => Some(SetsPerArm::promise(&self.problem)),
            Certify::Mixture => Some(Mixture::promise(&self.problem)),
            Certify::Own => self.rule.claim().guarantee(),
            Certify::Off => None,
        }
    }

    fn why_not(&self) -> &'static str {
        match (self.common.certify, self.rule.claim()) {
            (Certify::Off, _) => self.options.uncertified(self.problem.dimension).unwrap_or("certification is off"),
            (_, Claim::None { why }) => why,
            (_, Claim::Holds(_)) => "the choice did not need bounds",
        }
    }

    /// The promise of intervals, or the reason why there is none.
    fn require_promise(&self) -> Result<Guarantee> {
        self.promise().ok_or_else(|| Error::NoGuarantee {
            policy: R::INFO.name,
            why: self.why_not(),
            remedy: match R::INFO.uses_history {
                true if self.options.uncertified(self.problem.dimension).is_some() => "leave that option out",
                true => "set certify = \"mixture\"",
                false => "ask a policy that remembers its observations, such as \"laplace-ts\"",
            },
        })
    }

    /// Lets `question` ask for intervals as of the last refresh, and says on which promise they rest.
    fn ask<T>(
        &self,
        answers: &mut Answers,
        question: impl FnOnce(&mut dyn FnMut(&[f64]) -> Result<Interval>) -> Result<T>,
    ) -> Result<(T, Guarantee)> {
        let guarantee = self.require_promise()?;
        let belief = if self.common.certify == Certify::Mixture { self.mixture() } else { None };
        let Some(belief) = belief else {
            return Ok((question(&mut |x| self.own_interval(x, answers))?, guarantee));
        };
        self.ask_belief(belief, guarantee, answers, question)
    }

    /// The same of one set.
    fn ask_belief<T>(
        &self,
        belief: &Belief,
        guarantee: Guarantee,
        answers: &mut Answers,
        question: impl FnOnce(&mut dyn FnMut(&[f64]) -> Result<Interval>) -> Result<T>,
    ) -> Result<(T, Guarantee)> {
        let set = belief.current_set();
        if !set.is_empty() {
            return Ok((question(&mut |x| answers.interval(&set, x))?, guarantee));
        }
        // The norm bound is refuted, the level is not: the same event holds without the ball.
        let mut centre = Estimator::new(self.problem.dimension);
        let set = belief.current_set_beyond_ball(&mut centre).ok_or(Error::EmptySet)?;
        Ok((question(&mut |x| answers.interval(&set, x))?, Guarantee { norm_bound: None, ..guarantee }))
    }

    fn own_interval(&self, x: &[f64], answers: &mut Answers) -> Result<Interval> {
        let (lower, upper) = self.rule.bounds(x, answers)?;
        if is_empty(lower, upper) { Err(Error::EmptySet) } else { Ok(Interval::new(lower.min(upper), upper)) }
    }

    /// Brings everything up to date and answers a question, in memory that is kept.
    pub(super) fn answer<T>(&mut self, question: impl FnOnce(&Self, &mut Answers) -> Result<T>) -> Result<T> {
        self.require_promise()?;
        self.refresh();
        let mut answers = self.take_answers()?;
        let answer = question(self, &mut answers);
        self.answers = Some(answers);
        answer
    }

    /// The interval of a row of any form, which has been checked.
    pub(super) fn certified(&self, row: &Row<'_>, answers: &mut Answers) -> Result<Certified> {
        let (interval, guarantee) = match row {
            Row::Own { owner, features } => self.ask_arm(*owner, features, answers)?,
            row => {
                let mut memory = Vec::new();
                let x = row.dense(self.problem.dimension, &mut memory);
                self.ask(answers, |interval| interval(x))?
            }
        };
        Ok(Certified { interval, guarantee })
    }

    /// The interval of an arm by its own set.
    fn ask_arm(&self, owner: u64, x: &[f64], answers: &mut Answers) -> Result<(Interval, Guarantee)> {
        let guarantee = self.require_promise()?;
        if let Some(belief) = self.rule.sets_per_arm().and_then(|sets| sets.belief_of(owner)) {
            return self.ask_belief(belief, guarantee, answers, |interval| interval(x));
        }
        // Of an arm without outcomes the set is the ball, or everything, whatever delta is.
        let mut untried = Belief::new(self.problem.dimension, self.problem.norm_bound, self.problem.delta)?;
        untried.refresh();
        self.ask_belief(&untried, guarantee, answers, |interval| interval(x))
    }

    pub(super) fn certified_list(&self, arms: &FiniteArms<'_>, answers: &mut Answers) -> Result<CertifiedList> {
        let (intervals, guarantee) = self.ask(answers, |interval| arms.iter().map(interval).collect())?;
        Ok(CertifiedList { intervals, guarantee })
    }
}

/// What rounding may leave between bounds that meet.
const ROUNDING: f64 = 1e-9;

/// Relative accuracy of intervals and of comparisons.
const TOLERANCE: f64 = 1e-9;

pub(super) fn new_answers(dimension: usize) -> Result<Answers> {
    Answers::new(dimension, TOLERANCE)
}

/// Whether bounds are the wrong way round by more than rounding.
fn is_empty(lower: f64, upper: f64) -> bool {
    !(lower - upper <= ROUNDING * (1.0 + upper.abs().min(1e9)))
}
