//! The largest deviation of any round up to T, for every T.
//!
//! A deviation need not grow with t: while log(1/delta) is large beside the ridge it falls. So rounds are cut into spans,
//! one round each at first and then 2% of all rounds before, and bounded span by span; on such a span the terms of a
//! deviation change by a few parts in a thousand.

use super::set::{ConfidenceSet, Deviation, Setting, Span};
use crate::error::Result;

/// Rounds before, of which the next span is one part in fifty.
const PARTS: u64 = 50;

/// Largest deviations, ready for any number of rounds up to a horizon.
#[derive(Debug, Clone)]
pub(super) struct Deviations {
    set: ConfidenceSet,
    problem: Setting,
    /// Numbers of observations at which spans begin, the first zero.
    starts: Vec<u64>,
    /// The largest deviation before each span.
    before: Vec<Deviation>,
}

impl Deviations {
    /// Prepares for up to `horizon` rounds: some hundred spans.
    pub(super) fn new(set: ConfidenceSet, problem: Setting, horizon: u64) -> Result<Self> {
        let (mut starts, mut before) = (vec![0], vec![Deviation::default()]);
        let (mut start, mut worst) = (0_u64, Deviation::default());
        loop {
            let next = start + (start / PARTS).max(1);
            if next >= horizon {
                return Ok(Self { set, problem, starts, before });
            }
            worst = worst.max(set.deviation(&problem, span(start, next - 1))?);
            start = next;
            starts.push(start);
            before.push(worst);
        }
    }

    /// The largest deviation in rounds 1 to `rounds`, that is with 0 to `rounds` - 1 observations.
    pub(super) fn up_to(&self, rounds: u64) -> Result<Deviation> {
        let last = rounds.saturating_sub(1);
        let k = self.starts.partition_point(|&start| start <= last).saturating_sub(1);
        Ok(self.before[k].max(self.set.deviation(&self.problem, span(self.starts[k], last))?))
    }
}

fn span(least: u64, most: u64) -> Span {
    Span { least: least as f64, most: most as f64 }
}
