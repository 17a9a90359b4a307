//! Intervals that never grow: of all looks that were recorded, the best.

use serde::{Deserialize, Serialize};

use super::{Answers, Interval};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result, check_count, check_number};

/// The intersection of the intervals of some arms over the looks recorded so far.
///
/// Theta* is in the set at all looks together, on one event. So it is in the intersection of all intervals, on the same
/// event: nothing of delta is spent, and the intervals never grow, though those of the set do when the data wander. A look
/// that is recorded is an act, not a question, because what is seen later depends on it; to ask without recording, use
/// [`Answers::interval`].
///
/// Sets that depend on the order of the data are refused: in the middle of a batch they may exclude theta*, and what is
/// recorded is never taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct Running {
    arms: FiniteArms<'static>,
    /// Bounds on the log-odds of each arm.
    bounds: Vec<(f64, f64)>,
    looks: u64,
}

impl Running {
    /// No look so far: nothing is known.
    pub fn new(arms: FiniteArms<'static>) -> Self {
        let bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); arms.len()];
        Self { arms, bounds, looks: 0 }
    }

    /// Looks at the set as it is now, and records what it says.
    ///
    /// # Errors
    /// If the dimensions differ; if the set has no guarantee or one that depends on order; if it is empty, or disjoint from
    /// what earlier looks left of it ([`Error::EmptySet`]: the model or its norm bound is refuted). Nothing is recorded then.
    pub fn record(&mut self, belief: &mut Belief, answers: &mut Answers) -> Result<()> {
        let (expected, got) = (self.arms.dimension(), belief.dimension());
        if expected != got {
            return Err(Error::Dimension { field: "belief".to_owned(), expected, got });
        }
        let guarantee = belief.guarantee();
        if guarantee.delta.is_none() || !guarantee.theorem.order_free {
            return Err(Error::NotOrderFree { radius: guarantee.name });
        }
        let set = belief.set();
        let mut bounds = self.bounds.clone();
        for (bound, x) in bounds.iter_mut().zip(self.arms.iter()) {
            let now = answers.interval(&set, x)?;
            *bound = (bound.0.max(now.log_odds_lower), bound.1.min(now.log_odds_upper));
            if bound.0 > bound.1 {
                return Err(Error::EmptySet);
            }
        }
        self.bounds = bounds;
        self.looks += 1;
        Ok(())
    }

    /// How many looks were recorded.
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// What all looks say together, arm by arm.
    pub fn intervals(&self) -> impl Iterator<Item = Interval> + '_ {
        self.bounds.iter().map(|(lower, upper)| Interval::new(*lower, *upper))
    }
}

/// The stored form. A bound that there is not yet is null: JSON has no infinity.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    arms: FiniteArms<'static>,
    bounds: Vec<(Option<f64>, Option<f64>)>,
    looks: u64,
}

impl From<Running> for Raw {
    fn from(running: Running) -> Self {
        let finite = |bound: f64| bound.is_finite().then_some(bound);
        let bounds = running.bounds.iter().map(|(lower, upper)| (finite(*lower), finite(*upper))).collect();
        Self { arms: running.arms, bounds, looks: running.looks }
    }
}

impl TryFrom<Raw> for Running {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        let Raw { arms, bounds, looks } = raw;
        let (expected, got) = (arms.len(), bounds.len());
        check_number("bounds", got as f64, got == expected, "as many as there are arms")?;
        check_count("looks", looks)?;
        let infinite = |(lower, upper): (Option<f64>, Option<f64>)| {
            (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY))
        };
        let bounds: Vec<(f64, f64)> = bounds.into_iter().map(infinite).collect();
        match bounds.iter().find(|(lower, upper)| lower > upper) {
            Some((value, _)) => {
                Err(Error::OutOfRange { field: "bounds".to_owned(), value: *value, allowed: "at most the upper bound" })
            }
            None => Ok(Self { arms, bounds, looks }),
        }
    }
}
