//! The upper bound of a policy's regret, averaged over its runs.

use serde::Serialize;

use super::Played;
use crate::error::Error;
use crate::simulation::{Record, World};
use crate::store::PolicyRuns;
use crate::theory::upper::{ConfidenceSet, Seen, UpperBounds};

/// An upper bound on the regret of a policy, averaged over its runs.
#[derive(Debug, Clone, Serialize)]
pub struct Bound {
    /// Theorem 1 at the marks.
    pub curve: Vec<(usize, f64)>,
    /// Theorem 1 after all rounds, with the elliptical sum and the detrimental plays that the runs realised in place of
    /// what is known of them beforehand.
    pub realised: f64,
    /// The least of all bounds after all rounds: Theorem 1, what the plays of every arm can cost, and the worst arm always.
    pub least: f64,
    /// The probability with which it holds in a run.
    pub probability: f64,
}

impl Bound {
    /// Theorem 1 after all rounds.
    pub fn value(&self) -> f64 {
        self.curve.last().map_or(f64::NAN, |(_, bound)| *bound)
    }
}

/// The bounds of the runs so far.
pub(super) struct BoundSum {
    set: ConfidenceSet,
    /// What a run adds to an average.
    part: f64,
    bound: Bound,
}

impl BoundSum {
    /// Before the first run of a policy; or why there is no bound.
    pub(super) fn new(played: &Played<'_>, policy_runs: &PolicyRuns) -> Result<Self, String> {
        let set = ConfidenceSet::of(&policy_runs.spec, played.environment)?;
        let Some((_, record)) = policy_runs.runs.first() else { return Err("no run is finished".to_owned()) };
        let curve = record.t.iter().map(|t| (*t, 0.0)).collect();
        let probability = set.probability(played.experiment.delta);
        let bound = Bound { curve, realised: 0.0, least: 0.0, probability };
        Ok(Self { set, part: 1.0 / policy_runs.runs.len() as f64, bound })
    }

    /// Adds the runs on an instance; or says why it has no bound.
    pub(super) fn add<'r>(
        &mut self,
        played: &Played<'_>,
        world: &World,
        records: impl Iterator<Item = &'r Record>,
    ) -> Result<(), String> {
        let mut records = records.peekable();
        if records.peek().is_none() {
            return Ok(());
        }
        let (norm_bound, horizon) = (played.norm_bound.unwrap_or(f64::NAN), played.experiment.horizon as u64);
        let words = |e: Error| e.to_string();
        let delta = played.experiment.delta;
        let bounds = UpperBounds::new(world.instance(), norm_bound, delta, self.set, horizon).map_err(words)?;
        for record in records {
            for (t, sum) in &mut self.bound.curve {
                *sum += self.part * bounds.after(*t as u64, &Seen::default()).map_err(words)?.general;
            }
            self.bound.realised += self.part * bounds.after(horizon, &seen(record)).map_err(words)?.general;
            self.bound.least += self.part * bounds.after(horizon, &Seen::default()).map_err(words)?.value;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Bound {
        self.bound
    }
}

/// What a run realised.
fn seen(record: &Record) -> Seen {
    Seen { elliptical: record.elliptical.last().copied(), detrimental_plays: record.bad_plays.last().copied() }
}
