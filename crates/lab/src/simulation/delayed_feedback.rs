//! Rewards on their way: late, out of order, lost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    queue: BinaryHeap<Reverse<(usize, usize, usize)>>,
    slots: Vec<PendingReward>,
    free: Vec<usize>,
}

#[derive(Debug, Clone, Default)]
struct PendingReward {
    x: Vec<f64>,
    reward: f64,
}

impl DelayedFeedback {
    pub(super) fn new(feedback: Feedback, seed: u64, run: usize) -> Self {
        let rng = stream(seed, Purpose::Feedback, run);
        Self { feedback, rng, queue: BinaryHeap::new(), slots: Vec::new(), free: Vec::new() }
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
    pub(super) fn send(&mut self, t: usize, late: usize, x: &[f64], reward: f64) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(PendingReward::default());
            self.slots.len() - 1
        });
        let pending = &mut self.slots[slot];
        pending.x.clear();
        pending.x.extend_from_slice(x);
        pending.reward = reward;
        self.queue.push(Reverse((t.saturating_add(late).saturating_add(1), t, slot)));
    }

    /// The next reward that is due before the choice of round `t`.
    pub(super) fn receive(&mut self, t: usize) -> Option<(&[f64], f64)> {
        let Reverse((due, _, slot)) = *self.queue.peek()?;
        if due > t {
            return None;
        }
        self.queue.pop();
        self.free.push(slot);
        let pending = &self.slots[slot];
        Some((&pending.x, pending.reward))
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

    #[test]
    fn rewards_arrive_when_due_and_in_order() {
        let mut feedback = DelayedFeedback::new(Feedback::default(), 0, 0);
        feedback.send(1, 3, &[1.0], 1.0);
        feedback.send(2, 0, &[2.0], 0.0);
        feedback.send(3, 1, &[3.0], 0.5);
        assert_eq!(feedback.receive(2), None);
        assert_eq!(feedback.receive(3), Some((&[2.0][..], 0.0)));
        assert_eq!(feedback.receive(4), None);
        assert_eq!(feedback.receive(5), Some((&[1.0][..], 1.0)));
        assert_eq!(feedback.receive(5), Some((&[3.0][..], 0.5)));
        assert_eq!(feedback.receive(usize::MAX), None);
    }
}
