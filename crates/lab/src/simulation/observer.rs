//! Who looks at runs from outside: progress and interruption of the work, and a log of every round.

use super::delayed_feedback::Arrival;
use super::world::Play;
use crate::error::Result;

/// Follows the work from outside, from several threads at once.
pub trait Progress: Sync {
    /// So many rounds are to be played, of which nothing need be known.
    fn expect(&self, _rounds: usize) {}
    /// So many runs are finished, and so many are to be played.
    fn expect_runs(&self, _finished: usize, _left: usize) {}
    /// One more run is finished and kept.
    fn finished(&self) {}
    /// Something that whoever waits should know before the work begins, in one line.
    fn note(&self, _line: &str) {}
    /// So many more rounds have been played.
    fn played(&self, rounds: usize);
    /// Whether to stop as soon as possible.
    fn is_stopped(&self) -> bool;
}

/// Nobody looks, and nobody stops the work.
impl Progress for () {
    fn played(&self, _: usize) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

/// A round as it happened.
#[derive(Debug, Clone, Copy)]
pub struct PlayedRound<'a> {
    /// Its number, from one.
    pub t: usize,
    /// The arm's number, if the arms are a list.
    pub arm: Option<usize>,
    /// Its features.
    pub features: &'a [f64],
    /// What the truth says about it.
    pub play: Play,
    /// The success probability of the best arm.
    pub best_mean: f64,
    /// The reward as policies are told it.
    pub reward: f64,
    /// What becomes of the reward.
    pub arrival: Arrival,
}

/// Takes down every round of a run.
pub trait RoundLog {
    /// Takes down a round.
    ///
    /// # Errors
    /// If it cannot be written.
    fn round(&mut self, round: &PlayedRound<'_>) -> Result<()>;
}
