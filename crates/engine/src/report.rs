//! What is known of each action, and what may be concluded.

use std::sync::Arc;

use serde::Serialize;

use crate::engine::Engine;
use crate::tally::Count;

/// What an engine has seen and learnt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// One entry per action, retired ones included.
    pub actions: Vec<ActionReport>,
    /// Decisions in which the caller chose.
    pub baseline: u64,
    /// In how many of these the engine would have chosen the same.
    pub agreed: u64,
    /// Times that were earlier than the latest one, and counted as that.
    pub backwards: u64,
    /// Decisions of followed records that this engine would have made otherwise: its state is not the one that made them.
    pub divergences: u64,
    /// Contexts with something for which the model had no place, because the policy could not grow.
    pub unplaced: u64,
}

/// What was seen of one action.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionReport {
    /// Its name.
    pub action: Arc<str>,
    /// Whether it is no longer offered.
    pub retired: bool,
    /// How often it was chosen.
    pub plays: u64,
    /// How many rewards were learnt.
    pub rewards: u64,
    /// Their sum.
    pub sum: f64,
    /// Their mean.
    pub rate: Option<f64>,
    /// Decisions from which nothing was learnt, because no reward came in time.
    pub lost: u64,
    /// Rewards that came too late.
    pub late: u64,
}

impl ActionReport {
    fn of(action: Arc<str>, retired: bool, count: Count) -> Self {
        let Count { plays, rewards, sum, lost, late } = count;
        let rate = (rewards > 0).then(|| sum / rewards as f64);
        Self { action, retired, plays, rewards, sum, rate, lost, late }
    }
}

impl Engine {
    /// What was seen and learnt.
    pub fn report(&self) -> Report {
        let entry = |(i, count): (usize, &Count)| {
            let number = i as u32;
            ActionReport::of(self.actions.name(number).clone(), self.actions.is_retired(number), *count)
        };
        let tally = &self.tally;
        Report {
            actions: tally.actions.iter().enumerate().map(entry).collect(),
            baseline: tally.baseline.0,
            agreed: tally.baseline.1,
            backwards: tally.backwards,
            divergences: tally.divergences,
            unplaced: tally.unplaced,
        }
    }
}
