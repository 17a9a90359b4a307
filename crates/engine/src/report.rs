//! What is known of each action, and what may be concluded.
//!
//! **One event.** With probability at least 1 - delta all bounds of all reports of an engine hold together, at all times. Half of
//! delta goes to the mean rewards of the actions, a quarter to what each would have earned, and a quarter to slices; each is split
//! by the order in which actions and levels appear (1/2, 1/6, 1/12, ...), so that later ones have their share. Bounds of single
//! decisions ([`Interval`]) are another event, that of the policy's set, with a delta of its own.
//!
//! **What is assumed.** Neither the delay nor the loss of a reward depends on its value (see
//! [`Rewards`](crate::Rewards)); given the past a reward has a mean, which need not be the same from one decision to the next, and
//! does not depend on what is decided while it is out. For what each action would have earned, and all comparisons, rewards may
//! be lost for whatever reason: decisions whose reward was lost count, and widen the bounds. Deferred decisions do not count there,
//! because whether they are carried out may depend on the action; where rewards are learnt when they come within a waiting time
//! ("on-arrival"), nothing is compared; and where there is no waiting time, a reward is handed over with its decision or not at
//! all.

use std::sync::Arc;

use serde::Serialize;

use crate::decision::Interval;
use crate::engine::Engine;
use crate::evaluation::{self, CalibrationReport};
use crate::settings::Learn;
use crate::tally::{ActionTally, Count};

/// What an engine has seen and learnt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Rewards learnt.
    pub version: u64,
    /// The probability with which any bound of any report may be wrong.
    pub delta: f64,
    /// One entry per action, retired ones included.
    pub actions: Vec<ActionReport>,
    /// Pairs of which the first would certainly have earned more than the second, had each always been chosen.
    pub beaten: Vec<(Arc<str>, Arc<str>)>,
    /// Actions that another one certainly beats, and that are not retired.
    pub droppable: Vec<Arc<str>>,
    /// What it would cost to stop now and choose one action for all.
    pub stopping: Option<Stopping>,
    /// Why actions are not compared, if they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<String>,
    /// How predictions and rewards agree; none before the first reward.
    pub calibration: Option<CalibrationReport>,
    /// The same per level of the columns named in the settings.
    pub slices: Vec<SliceReport>,
    /// Decisions in which the caller chose.
    pub baseline: u64,
    /// In how many of these the engine would have chosen the same.
    pub agreed: u64,
    /// Times that were earlier than the latest one, and counted as that.
    pub backwards: u64,
    /// Decisions of followed records that this engine would have made otherwise: its state is not the one that made them.
    pub divergences: u64,
    /// Contexts and actions with something for which the model had no place, because the policy could not grow: certified bounds for
    /// decisions end with the first.
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
    /// The mean of what was predicted for them, each before it came.
    pub predicted: Option<f64>,
    /// Bounds on the mean chance of reward in the decisions in which it was chosen.
    pub interval: Interval,
    /// Bounds on what it would have earned per decision, had it been chosen in all in which it was offered: those included whose
    /// reward was lost, which may have been any.
    pub value: Interval,
    /// Decisions from which nothing was learnt, because no reward came in time.
    pub lost: u64,
    /// Rewards that came too late.
    pub late: u64,
}

/// What it would cost to stop now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stopping {
    /// The action to stay with.
    pub action: Arc<str>,
    /// In the decisions so far, another one would have earned at most this much more per decision.
    pub cost: f64,
}

/// The actions in one slice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SliceReport {
    /// The column.
    pub column: String,
    /// Its level.
    pub level: String,
    /// One entry per action that was chosen there.
    pub actions: Vec<SliceAction>,
}

/// What was seen of an action in a slice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SliceAction {
    /// Its name.
    pub action: Arc<str>,
    /// How often it was chosen.
    pub plays: u64,
    /// How many rewards were learnt.
    pub rewards: u64,
    /// Their mean.
    pub rate: Option<f64>,
    /// The mean of what was predicted for them.
    pub predicted: Option<f64>,
    /// Bounds on the mean chance of reward in these decisions.
    pub interval: Interval,
}

/// Bounds that cross.
const BROKEN: &str = "the data contradict the assumptions: no chance of reward would fit them; look for rewards that are lost or late by \
                      their value, or probabilities that were not the true ones";

/// The better and the worse of two actions.
type Pair = (Arc<str>, Arc<str>);

/// The k-th share of a whole, from zero: 1/2, 1/6, 1/12, ...; all together are the whole.
fn share(k: usize) -> f64 {
    let k = (k + 1) as f64;
    1.0 / (k * (k + 1.0))
}

fn mean_of(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

impl Engine {
    /// What was seen and learnt, and what may be concluded. Nothing is changed by this.
    pub fn report(&self) -> Report {
        let tally = &self.tally;
        let actions: Vec<ActionReport> =
            tally.actions.iter().enumerate().map(|(k, action)| self.action_report(k, action)).collect();
        let not_compared = self.not_compared();
        let (beaten, stopping) = if not_compared.is_none() { self.compare(&actions) } else { (Vec::new(), None) };
        let is_beaten =
            |action: &&ActionReport| !action.retired && beaten.iter().any(|(_, worse)| *worse == action.action);
        Report {
            version: self.version(),
            delta: self.settings.delta,
            droppable: actions.iter().filter(is_beaten).map(|action| action.action.clone()).collect(),
            beaten,
            stopping,
            not_compared,
            calibration: tally.calibration.report(),
            slices: self.slice_reports(),
            baseline: tally.baseline.0,
            agreed: tally.baseline.1,
            backwards: tally.backwards,
            divergences: tally.divergences,
            unplaced: tally.unplaced,
            actions,
        }
    }

    fn action_report(&self, k: usize, tally: &ActionTally) -> ActionReport {
        let delta = self.settings.delta;
        let Count { plays, rewards, sum, predicted, mean } = &tally.count;
        let value = match &tally.value {
            Some(_) if self.not_compared().is_some() => Interval::none("actions are not compared"),
            Some(value) => self.bounds(value.mean.interval(0.25 * delta * share(k))),
            None => Interval::none("actions are not compared"),
        };
        ActionReport {
            action: self.actions.name(k as u32).clone(),
            retired: self.actions.is_retired(k as u32),
            plays: *plays,
            rewards: *rewards,
            sum: *sum,
            rate: mean_of(*sum, *rewards),
            predicted: mean_of(*predicted, *rewards),
            interval: self.bounds(mean.interval(0.5 * delta * share(k))),
            value,
            lost: tally.lost,
            late: tally.late,
        }
    }

    /// Bounds that bets have won, if rewards come when they should.
    fn bounds(&self, interval: Result<evaluation::Interval, evaluation::EvaluationError>) -> Interval {
        match (self.outcome_dependent(), interval) {
            (Some(why), _) => Interval::none(why),
            (None, Ok(bounds)) if bounds.is_empty() => Interval::none(BROKEN),
            (None, Ok(bounds)) => {
                Interval::Certified { lower: bounds.lower, upper: bounds.upper, delta: self.settings.delta }
            }
            (None, Err(error)) => Interval::none(error.to_string()),
        }
    }

    fn not_compared(&self) -> Option<String> {
        if let Some(why) = self.outcome_dependent() {
            return Some(why.into());
        }
        let rewards = &self.settings.rewards;
        if rewards.learn == Learn::OnArrival && rewards.wait > 0.0 {
            let why =
                "rewards are learnt when they come (rewards.learn is \"on-arrival\"), which may depend on the action";
            return Some(why.into());
        }
        let most = self.settings.compare;
        if self.tally.actions.iter().any(|action| action.value.is_none()) {
            return Some(format!(
                "there are more than {most} actions (setting compare): each would cost a microsecond per reward"
            ));
        }
        None
    }

    /// Who beats whom, and what the best choice for all may cost.
    fn compare(&self, actions: &[ActionReport]) -> (Vec<Pair>, Option<Stopping>) {
        // Only what was offered in the same decisions can be compared.
        let known: Vec<(usize, u64, f64, f64)> = actions
            .iter()
            .enumerate()
            .filter_map(|(k, action)| {
                let value = self.tally.actions[k].value.as_ref()?;
                let Interval::Certified { lower, upper, .. } = action.value else { return None };
                (!action.retired && value.mean.rows() > 0).then_some((k, value.decisions, lower, upper))
            })
            .collect();
        let name = |k: usize| actions[k].action.clone();
        let mut beaten = Vec::new();
        for (a, decisions, lower, _) in &known {
            for (b, others, _, upper) in &known {
                if a != b && decisions == others && lower > upper {
                    beaten.push((name(*a), name(*b)));
                }
            }
        }
        let cost = |(a, decisions, lower, _): &(usize, u64, f64, f64)| {
            let rivals = known.iter().filter(|(b, others, _, _)| a != b && decisions == others);
            rivals.map(|(_, _, _, upper)| upper - lower).fold(0.0, f64::max)
        };
        let same = known.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let best = known.iter().filter(|_| same).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        (beaten, best.map(|best| Stopping { action: name(best.0), cost: cost(best) }))
    }

    fn slice_reports(&self) -> Vec<SliceReport> {
        let columns = self.settings.slices.len().max(1) as f64;
        let mut reports = Vec::new();
        for (column, levels) in self.settings.slices.iter().zip(&self.tally.slices) {
            for (level, slice) in levels {
                let delta = 0.25 * self.settings.delta / columns * share(slice.order as usize);
                let of_action = |(k, count): (usize, &Count)| SliceAction {
                    action: self.actions.name(k as u32).clone(),
                    plays: count.plays,
                    rewards: count.rewards,
                    rate: mean_of(count.sum, count.rewards),
                    predicted: mean_of(count.predicted, count.rewards),
                    interval: self.bounds(count.mean.interval(delta * share(k))),
                };
                let actions =
                    slice.counts.iter().enumerate().filter(|(_, count)| count.plays > 0).map(of_action).collect();
                reports.push(SliceReport { column: column.clone(), level: level.clone(), actions });
            }
        }
        reports
    }
}
