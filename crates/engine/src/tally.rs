//! Counts for the report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::events::Event;
use crate::settings::Settings;

/// What is counted of an action.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Count {
    pub(crate) plays: u64,
    pub(crate) rewards: u64,
    pub(crate) sum: f64,
    pub(crate) lost: u64,
    pub(crate) late: u64,
}

/// All counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) actions: Vec<Count>,
    /// Per column by which the report is split and per level, a count per action.
    pub(crate) slices: Vec<BTreeMap<String, Vec<Count>>>,
    /// Decisions in which the caller chose, and in how many of them the engine would have chosen the same.
    pub(crate) baseline: (u64, u64),
    /// Times that were earlier than the latest.
    pub(crate) backwards: u64,
    /// Followed decisions that this engine would have made otherwise.
    pub(crate) divergences: u64,
    /// Contexts with something for which the model had no place.
    pub(crate) unplaced: u64,
}

/// Levels per column by which a report is split; further ones are counted together.
const MOST_SLICES: usize = 50;
const OTHERS: &str = "(others)";

impl Tally {
    pub(crate) fn new(settings: &Settings) -> Self {
        let actions = vec![Count::default(); settings.actions.len()];
        Self { actions, slices: vec![BTreeMap::new(); settings.slices.len()], ..Self::default() }
    }

    pub(crate) fn add_action(&mut self) {
        self.actions.push(Count::default());
    }

    fn each(&mut self, event: &Event, change: impl Fn(&mut Count)) {
        let action = event.action as usize;
        change(&mut self.actions[action]);
        for (levels, level) in self.slices.iter_mut().zip(&event.slices) {
            let is_known = levels.contains_key(level) || levels.len() < MOST_SLICES;
            let counts = levels.entry(if is_known { level.clone() } else { OTHERS.into() }).or_default();
            if counts.len() <= action {
                counts.resize(action + 1, Count::default());
            }
            change(&mut counts[action]);
        }
    }

    pub(crate) fn decide(&mut self, event: &Event) {
        self.each(event, |count| count.plays += 1);
        if let Some(advice) = event.advice {
            self.baseline.0 += 1;
            self.baseline.1 += u64::from(advice == event.action);
        }
    }

    pub(crate) fn learn(&mut self, event: &Event, reward: f64) {
        self.each(event, |count| {
            count.rewards += 1;
            count.sum += reward;
        });
    }

    pub(crate) fn lose(&mut self, action: u32) {
        self.actions[action as usize].lost += 1;
    }

    pub(crate) fn late(&mut self, action: u32) {
        self.actions[action as usize].late += 1;
    }

    pub(crate) fn is_sound(&self, actions: usize, slices: usize) -> bool {
        let sound = |count: &Count| count.sum >= 0.0 && count.sum <= count.rewards as f64;
        let levels = |levels: &BTreeMap<String, Vec<Count>>| {
            levels.values().all(|counts| counts.len() <= actions && counts.iter().all(sound))
        };
        self.actions.len() == actions && self.actions.iter().all(sound) && self.slices.len() == slices && self.slices.iter().all(levels)
    }
}
