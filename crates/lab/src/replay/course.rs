//! What became of a candidate in one order of the rows.

use serde::Serialize;

use crate::experiment::log_spaced;

/// How far a candidate had come after so many rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Progressed {
    /// Rounds so far.
    pub round: usize,
    /// Mistakes so far; none in a log, where nobody knows what was right.
    pub mistakes: Option<u64>,
    /// The sum of rewards so far, as estimated in a log.
    pub reward: f64,
}

/// What became of a candidate in one order of the rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Course {
    /// At up to a hundred rounds, the last one included.
    pub curve: Vec<Progressed>,
    /// Rounds played: fewer than wanted if somebody stopped the work.
    pub rounds: usize,
    /// How long it took.
    pub seconds: f64,
    /// What the engine had to say about its choices after the warm-up, if anything: it chose at random, and why.
    pub note: Option<String>,
}

impl Course {
    /// The last point; none if nothing was played.
    pub fn last(&self) -> Option<Progressed> {
        self.curve.last().copied()
    }
}

/// Points per curve.
const POINTS: usize = 100;

/// Notes a point of the curve whenever it is time.
pub(super) struct Recorder {
    due: std::iter::Peekable<std::vec::IntoIter<usize>>,
    pub(super) curve: Vec<Progressed>,
}

impl Recorder {
    pub(super) fn new(rounds: usize) -> Self {
        Self { due: log_spaced(rounds.max(1), POINTS).into_iter().peekable(), curve: Vec::new() }
    }

    /// Whether a point is due after so many rounds.
    pub(super) fn is_due(&mut self, round: usize) -> bool {
        self.due.next_if_eq(&round).is_some()
    }

    /// Adds the last point of a course that was stopped.
    pub(super) fn finish(mut self, last: Progressed) -> Vec<Progressed> {
        if last.round > 0 && self.curve.last().is_none_or(|point| point.round < last.round) {
            self.curve.push(last);
        }
        self.curve
    }
}
