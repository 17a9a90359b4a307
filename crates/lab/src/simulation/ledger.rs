//! The books of a run: regret and its parts, written down at the marks.

use super::world::Play;
use crate::instance::Instance;
use crate::record::Record;

/// Sums so far, and what was written down.
#[derive(Debug)]
pub(super) struct Ledger<'a> {
    marks: &'a [usize],
    regret: f64,
    reward: f64,
    r1: f64,
    r2: f64,
    bad_plays: u64,
    left_set: Option<u64>,
    record: Record,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(marks: &'a [usize]) -> Self {
        let room = marks.len();
        let record = Record {
            t: Vec::with_capacity(room),
            regret: Vec::with_capacity(room),
            reward: Vec::with_capacity(room),
            r1: Vec::with_capacity(room),
            r2: Vec::with_capacity(room),
            bad_plays: Vec::with_capacity(room),
            left_set: None,
            solves: None,
            rewards_seen: 0,
            policy_seconds: 0.0,
            seconds: 0.0,
        };
        Self { marks, regret: 0.0, reward: 0.0, r1: 0.0, r2: 0.0, bad_plays: 0, left_set: None, record }
    }

    /// Enters a play: regret = R1 + R2, where R1 is its first-order part at the arm played.
    pub(super) fn enter(&mut self, instance: &Instance, play: &Play, reward: f64) {
        let gap = instance.best_mean() - play.mean;
        let first = play.slope * (instance.best() - play.log_odds);
        self.regret += gap;
        self.r1 += first;
        self.r2 += gap - first;
        self.reward += reward;
        self.bad_plays += u64::from(play.is_detrimental);
    }

    /// Enters whether the set of round `t` holds the truth.
    pub(super) fn enter_coverage(&mut self, t: usize, inside: bool) {
        let left = self.left_set.get_or_insert(0);
        if !inside && *left == 0 {
            *left = t as u64;
        }
    }

    /// Whether figures are written down after round `t`.
    pub(super) fn is_mark(&self, t: usize) -> bool {
        self.marks.get(self.record.t.len()) == Some(&t)
    }

    /// Writes down the figures after round `t`.
    pub(super) fn write(&mut self, t: usize) {
        self.record.t.push(t);
        self.record.regret.push(self.regret);
        self.record.reward.push(self.reward);
        self.record.r1.push(self.r1);
        self.record.r2.push(self.r2);
        self.record.bad_plays.push(self.bad_plays);
    }

    pub(super) fn close(self) -> Record {
        Record { left_set: self.left_set, ..self.record }
    }
}
