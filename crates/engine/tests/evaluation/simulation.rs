//! Logs with a known truth, and how often intervals may miss it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) const ACTIONS: usize = 3;

/// The chance that every action of every context pays.
pub(crate) const CHANCES: [[f64; ACTIONS]; 2] = [[0.2, 0.5, 0.8], [0.6, 0.3, 0.1]];

/// A target policy that differs from what epsilon-greedy settles on.
pub(crate) const TARGET: [[f64; ACTIONS]; 2] = [[0.1, 0.7, 0.2], [0.3, 0.3, 0.4]];

/// One that is close to it.
pub(crate) const GREEDY: [[f64; ACTIONS]; 2] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];

pub(crate) fn dot(a: &[f64; ACTIONS], b: &[f64; ACTIONS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The value of a policy where contexts are equally likely.
pub(crate) fn value(policy: &[[f64; ACTIONS]; 2], chances: &[[f64; ACTIONS]; 2]) -> f64 {
    0.5 * (dot(&policy[0], &chances[0]) + dot(&policy[1], &chances[1]))
}

pub(crate) struct Step {
    pub(crate) context: usize,
    pub(crate) action: usize,
    pub(crate) propensity: f64,
    pub(crate) reward: f64,
    /// The mean reward of every action in this context, as seen before this row.
    pub(crate) predictions: [f64; ACTIONS],
}

/// An epsilon-greedy policy that learns from its own log.
pub(crate) struct Logger {
    rng: ChaCha8Rng,
    epsilon: f64,
    counts: [[f64; ACTIONS]; 2],
    sums: [[f64; ACTIONS]; 2],
}

impl Logger {
    pub(crate) fn new(seed: u64, epsilon: f64) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { rng, epsilon, counts: [[1.0; ACTIONS]; 2], sums: [[0.5; ACTIONS]; 2] }
    }

    /// The largest weight that any action can have.
    pub(crate) fn weight_limit(&self) -> f64 {
        ACTIONS as f64 / self.epsilon
    }

    pub(crate) fn step(&mut self, chances: &[[f64; ACTIONS]; 2]) -> Step {
        let context = usize::from(self.rng.random::<f64>() < 0.5);
        let predictions: [f64; ACTIONS] = std::array::from_fn(|a| self.sums[context][a] / self.counts[context][a]);
        let best = (0..ACTIONS).max_by(|&a, &b| predictions[a].total_cmp(&predictions[b])).unwrap();
        let distribution: [f64; ACTIONS] =
            std::array::from_fn(|a| self.epsilon / ACTIONS as f64 + if a == best { 1.0 - self.epsilon } else { 0.0 });
        let action = draw(&mut self.rng, &distribution);
        let reward = f64::from(u8::from(self.rng.random::<f64>() < chances[context][action]));
        self.counts[context][action] += 1.0;
        self.sums[context][action] += reward;
        Step { context, action, propensity: distribution[action], reward, predictions }
    }
}

pub(crate) fn draw<const N: usize>(rng: &mut ChaCha8Rng, distribution: &[f64; N]) -> usize {
    let mut rest = rng.random::<f64>();
    for (action, share) in distribution.iter().enumerate() {
        rest -= share;
        if rest < 0.0 {
            return action;
        }
    }
    N - 1
}

/// The levels that every coverage test looks at: one that is used, and one at which wrong intervals miss at once.
pub(crate) const LEVELS: [f64; 2] = [0.05, 0.5];

/// The largest share of runs that may miss if each misses with probability `delta`: four standard deviations above it.
pub(crate) fn most_misses(delta: f64, runs: usize) -> f64 {
    delta + 4.0 * (delta * (1.0 - delta) / runs as f64).sqrt()
}

/// Whether a run missed, at each of the levels.
#[derive(Default, Clone, Copy)]
pub(crate) struct Misses([bool; 2]);

impl Misses {
    pub(crate) fn look(&mut self, truth: f64, interval: impl Fn(f64) -> optimist_engine::evaluation::Interval) {
        for (missed, delta) in self.0.iter_mut().zip(LEVELS) {
            *missed |= !interval(delta).contains(truth);
        }
    }
}

/// The shares of runs that missed.
pub(crate) fn miss_rates(runs: &[Misses]) -> [f64; 2] {
    std::array::from_fn(|i| runs.iter().filter(|run| run.0[i]).count() as f64 / runs.len() as f64)
}

/// Fails if more runs missed than chance allows.
pub(crate) fn assert_covered(name: &str, runs: &[Misses]) {
    let rates = miss_rates(runs);
    println!("{name}: missed in {:.3} and {:.3} of {} runs, at 5% and 50%", rates[0], rates[1], runs.len());
    for (rate, delta) in rates.iter().zip(LEVELS) {
        assert!(*rate <= most_misses(delta, runs.len()), "{name}: {rate} of the runs missed at {delta}");
    }
}
