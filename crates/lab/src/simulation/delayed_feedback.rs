//! Rewards on their way: late, out of order, lost.

use std::collections::BTreeMap;

use optimist::policy::Choice;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::streams::{Purpose, stream};
use crate::experiment::{Delay, Feedback};

/// What becomes of the reward of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// It arrives before the choice of the round so many rounds after the next one.
    Late(usize),
    /// It never arrives.
    Lost,
}

/// Draws the arrival of every round's reward, whatever was played, and keeps what is on its way.
#[derive(Debug)]
pub(super) struct DelayedFeedback {
    feedback: Feedback,
    rng: ChaCha8Rng,
    /// By the round before whose choice it is due, then by the round in which it was earned.
    queue: BTreeMap<(usize, usize), PendingReward>,
}

/// A reward that is on its way, and what earned it.
#[derive(Debug, Clone)]
pub(super) struct PendingReward {
    /// The choice, with the number of its play if the policy keeps account of open ones.
    pub(super) choice: Choice<'static>,
    pub(super) reward: f64,
}

impl DelayedFeedback {
    pub(super) fn new(feedback: Feedback, seed: u64, run: usize) -> Self {
        let rng = stream(seed, Purpose::Feedback, run);
        Self { feedback, rng, queue: BTreeMap::new() }
    }

    /// Whether every reward is there before the next choice.
    pub(super) fn is_immediate(&self) -> bool {
        self.feedback == Feedback::default()
    }

    /// The arrival of the reward of round `t`. Every round draws the same number of random numbers, so that experiments
    /// which differ in the mean delay only share their luck.
    pub(super) fn next_arrival(&mut self, t: usize) -> Arrival {
        let (lost, late): (f64, f64) = (self.rng.random(), self.rng.random());
        if lost < self.feedback.missing {
            return Arrival::Lost;
        }
        Arrival::Late(match self.feedback.delay {
            Delay::None => 0,
            Delay::Fixed { mean } => mean,
            Delay::Geometric { mean } => geometric(mean, late),
            // A batch is full after the rounds that its size divides.
            Delay::Batch { size } => t.next_multiple_of(size) - t,
        })
    }

    /// Sends the reward of round `t`, which is due before the choice of round t + 1 + `late`.
    pub(super) fn send(&mut self, t: usize, late: usize, choice: Choice<'_>, reward: f64) {
        let due = t.saturating_add(late).saturating_add(1);
        self.queue.insert((due, t), PendingReward { choice: choice.into_owned(), reward });
    }

    /// The next reward that is due before the choice of round `t`.
    pub(super) fn receive(&mut self, t: usize) -> Option<PendingReward> {
        let first = self.queue.first_entry()?;
        (first.key().0 <= t).then(|| first.remove())
    }
}

/// The quantile of level 1 - `uniform` of the geometric law on 0, 1, 2, ... with this mean: P(D >= k) = (m/(1+m))^k.
fn geometric(mean: f64, uniform: f64) -> usize {
    // `uniform` may be 0, whose logarithm is minus infinity: the cast saturates. log(m/(1+m)) = -log(1 + 1/m) keeps its
    // digits for large means.
    (uniform.ln() / -(1.0 / mean).ln_1p()).floor() as usize
}

#[cfg(test)]
mod tests {
    use optimist::policy::{Certificate, Place};
    use optimist::posterior::Row;

    use super::*;

    #[test]
    fn geometric_delays_have_their_mean() {
        let feedback = Feedback { delay: Delay::Geometric { mean: 50.0 }, missing: 0.2 };
        let mut feedback = DelayedFeedback::new(feedback, 3, 0);
        let n = 100_000;
        let arrivals: Vec<Arrival> = (1..=n).map(|t| feedback.next_arrival(t)).collect();
        let late: Vec<f64> =
            arrivals.iter().filter_map(|f| if let Arrival::Late(k) = f { Some(*k as f64) } else { None }).collect();
        let share = 1.0 - late.len() as f64 / n as f64;
        // Four standard deviations of the binomial law, and of the mean of a geometric one (variance m (1 + m)).
        assert!((share - 0.2).abs() < 4.0 * (0.16 / n as f64).sqrt(), "{share}");
        let mean = late.iter().sum::<f64>() / late.len() as f64;
        assert!((mean - 50.0).abs() < 4.0 * (50.0 * 51.0 / late.len() as f64).sqrt(), "{mean}");
    }

    #[test]
    fn batches_arrive_together() {
        let feedback = Feedback { delay: Delay::Batch { size: 4 }, missing: 0.0 };
        let mut feedback = DelayedFeedback::new(feedback, 3, 0);
        let arrivals: Vec<Arrival> = (1..=9).map(|t| feedback.next_arrival(t)).collect();
        assert_eq!(arrivals, [3, 2, 1, 0, 3, 2, 1, 0, 3].map(Arrival::Late));
    }

    /// The choice of an arm of one feature.
    fn choice(x: f64, play: Option<u64>) -> Choice<'static> {
        Choice {
            index: None,
            id: None,
            features: vec![x].into(),
            place: Place::Own(3),
            play,
            log_odds: 0.0,
            optimistic_log_odds: None,
            certificate: Certificate::None { why: "this is a test" },
        }
    }

    #[test]
    fn rewards_arrive_when_due_and_in_order() {
        let mut feedback = DelayedFeedback::new(Feedback::default(), 0, 0);
        feedback.send(1, 3, choice(1.0, Some(7)), 1.0);
        feedback.send(2, 0, choice(2.0, None), 0.0);
        feedback.send(3, 1, choice(3.0, Some(8)), 0.5);
        let mut receive = |t| {
            let PendingReward { choice, reward } = feedback.receive(t)?;
            let Row::Own { owner: 3, features } = choice.row() else { panic!("another form of row") };
            Some((features[0], choice.play, reward))
        };
        assert_eq!(receive(2), None);
        assert_eq!(receive(3), Some((2.0, None, 0.0)));
        assert_eq!(receive(4), None);
        assert_eq!(receive(5), Some((1.0, Some(7), 1.0)));
        assert_eq!(receive(5), Some((3.0, Some(8), 0.5)));
        assert_eq!(receive(usize::MAX), None);
    }
}
