//! Counts for the report, and what bets on them have won.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evaluation::{BoundedMean, Calibration, EvaluationError, WeightedMean};
use crate::events::Event;
use crate::settings::Settings;
use crate::stored::is_count;

/// Levels per column by which a report is split; further ones are counted together.
const MOST_SLICES: usize = 50;
const OTHERS: &str = "(others)";
/// Bins of predicted probability.
const BINS: usize = 10;

/// What is counted of an action, in all or in a slice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Count {
    pub(crate) plays: u64,
    pub(crate) rewards: u64,
    pub(crate) sum: f64,
    /// Sum of what was predicted for the rewards.
    pub(crate) predicted: f64,
    /// Bets on the mean reward where it was chosen.
    pub(crate) mean: BoundedMean,
}

/// What is counted of an action.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ActionTally {
    pub(crate) count: Count,
    pub(crate) lost: u64,
    pub(crate) late: u64,
    /// Bets on what it would have earned, had it always been chosen.
    pub(crate) value: Option<Value>,
}

/// Bets on what an action would have earned in the decisions in which it was offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Value {
    pub(crate) mean: WeightedMean,
    /// A hash of the decisions that count: values are compared only if they are of the same ones.
    pub(crate) decisions: u64,
}

/// A level of a column by which the report is split.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Slice {
    /// Which one it was to appear, from zero.
    pub(crate) order: u32,
    /// Per action.
    pub(crate) counts: Vec<Count>,
}

/// All counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) actions: Vec<ActionTally>,
    /// Per column by which the report is split, by level.
    pub(crate) slices: Vec<BTreeMap<String, Slice>>,
    pub(crate) calibration: Calibration,
    /// Actions up to which values are compared; none once there were more.
    compare: Option<usize>,
    /// One over the least probability of an action, where it can be used.
    weight_limit: Option<f64>,
    /// Decisions in which the caller chose, and in how many of them the engine would have chosen the same.
    pub(crate) baseline: (u64, u64),
    /// Times that were earlier than the latest.
    pub(crate) backwards: u64,
    /// Followed decisions that this engine would have made otherwise.
    pub(crate) divergences: u64,
    /// Contexts with something for which the model had no place.
    pub(crate) unplaced: u64,
    /// Rewards that sets have learnt of rows that were cut or shortened.
    pub(crate) bent: u64,
}

/// The largest weight, where no reward is ever lost: what is explored is shared by no more actions than are compared.
fn weight_limit(settings: &Settings) -> Option<f64> {
    let bounded = settings.explore > 0.0 && settings.rewards.silence.is_some();
    bounded.then(|| settings.compare.max(1) as f64 / settings.explore * (1.0 + 1e-9))
}

impl Tally {
    pub(crate) fn new(settings: &Settings) -> Result<Self, EvaluationError> {
        let mut this = Self {
            actions: Vec::new(),
            slices: vec![BTreeMap::new(); settings.slices.len()],
            calibration: Calibration::new(BINS)?,
            compare: Some(settings.compare),
            weight_limit: weight_limit(settings),
            baseline: (0, 0),
            backwards: 0,
            divergences: 0,
            unplaced: 0,
            bent: 0,
        };
        settings.actions.iter().for_each(|_| this.add_action());
        Ok(this)
    }

    pub(crate) fn add_action(&mut self) {
        let value = WeightedMean::new(self.weight_limit).ok().map(|mean| Value { mean, decisions: 0 });
        self.actions.push(ActionTally { value, ..ActionTally::default() });
        if self.compare.is_none_or(|most| self.actions.len() > most) {
            self.stop_comparing();
        }
    }

    fn stop_comparing(&mut self) {
        self.compare = None;
        self.actions.iter_mut().for_each(|action| action.value = None);
    }

    fn each(&mut self, event: &Event, change: impl Fn(&mut Count)) {
        let action = event.action as usize;
        change(&mut self.actions[action].count);
        for (levels, level) in self.slices.iter_mut().zip(&event.slices) {
            let is_known = levels.contains_key(level) || levels.len() < MOST_SLICES;
            let order = levels.len() as u32;
            let slice = levels.entry(if is_known { level.clone() } else { OTHERS.into() });
            let counts = &mut slice.or_insert_with(|| Slice { order, counts: Vec::new() }).counts;
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

    /// A reward between 0 and 1 was learnt: bets cannot refuse it.
    pub(crate) fn learn(&mut self, event: &Event, reward: f64) {
        let predicted = event.estimate();
        self.each(event, |count| {
            count.rewards += 1;
            count.sum += reward;
            count.predicted += predicted;
            let _ = count.mean.push(reward);
        });
        let _ = self.calibration.push(predicted, reward);
        self.bet(event, Some(reward));
    }

    /// Bets on what actions would have earned. The reward of a decision that was lost is not known, and left out it cannot be: which
    /// actions lose rewards is no chance. With weight zero both ends of the interval stay right, whatever the reward was; and
    /// for actions that were not chosen the weight is zero in any case.
    fn bet(&mut self, event: &Event, reward: Option<f64>) {
        // Which decisions are carried out may depend on the action.
        if event.deferred {
            return;
        }
        // The caller's own choices say nothing of how the others would have been chosen.
        if let (Some(_), Some(propensity), None) = (self.compare, event.probability, event.advice) {
            let id = optimist::hash::bytes(event.id.as_bytes()).to_le_bytes();
            // The bets that a bound on weights allows take weights to have mean one, which those of lost rewards have not.
            let mut taken = reward.is_some() || self.weight_limit.is_none();
            for (action, _, probability) in &event.ranking {
                if let Some(value) = &mut self.actions[*action as usize].value {
                    let target = f64::from(u8::from(*action == event.action && reward.is_some()));
                    let unsupported = f64::from(u8::from(*probability == 0.0));
                    taken &= value.mean.push(propensity, target, reward.unwrap_or(0.0), unsupported).is_ok();
                    // Not a sum of any kind: in those an id that comes again may take itself away.
                    value.decisions = optimist::hash::bytes(&[value.decisions.to_le_bytes(), id].concat());
                }
            }
            // A record that is followed may have been made with less exploration than the settings say. To leave it out would
            // favour other actions.
            if !taken {
                self.stop_comparing();
            }
        }
    }

    pub(crate) fn lose(&mut self, event: &Event) {
        self.actions[event.action as usize].lost += 1;
        self.bet(event, None);
    }

    pub(crate) fn late(&mut self, action: u32) {
        self.actions[action as usize].late += 1;
    }

    pub(crate) fn is_sound(&self, actions: usize, slices: usize) -> bool {
        let sound = |count: &Count| {
            let rewards = count.rewards as f64 * (1.0 + 1e-9);
            is_count(count.plays)
                && is_count(count.rewards)
                && (0.0..=rewards).contains(&count.sum)
                && (0.0..=rewards).contains(&count.predicted)
        };
        let levels = |levels: &BTreeMap<String, Slice>| {
            levels.values().all(|slice| slice.counts.len() <= actions && slice.counts.iter().all(sound))
        };
        let whole = [self.baseline.0, self.baseline.1, self.backwards, self.divergences, self.unplaced, self.bent];
        self.actions.len() == actions
            && whole.into_iter().all(is_count)
            && self.actions.iter().all(|action| sound(&action.count) && is_count(action.lost) && is_count(action.late))
            && self.slices.len() == slices
            && self.slices.iter().all(levels)
    }
}
