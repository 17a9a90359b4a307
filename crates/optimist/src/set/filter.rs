//! What sequential radii forecast with: a [filter](crate::posterior), which never looks back, and runs of one arm.
//!
//! **Idea.** Sequential radii need, before each reward, an estimate made from the rewards before it. A full fit each time
//! would cost a pass over the data; the filter costs O(d^2). lambda, the precision of its prior, is d/S^2 if a norm bound S
//! is known, so that the prior's scale matches the ball, and one otherwise.
//!
//! Whatever its quality as an approximation, the filter is a function of the past alone, and that is all that the
//! guarantee of a radius built on it asks for.

use serde::{Deserialize, Serialize};

use super::guarantee::{MEAN, NORM_IF_DECLARED, ONCE, ORDER};
use crate::error::{Result, check_count, check_number, check_vector};
use crate::posterior::DenseFilter;
use crate::problem::Problem;

/// What the radii that forecast each outcome from those before it assume.
pub(super) const ASSUMPTIONS: &[&str] = &[MEAN, ONCE, ORDER, NORM_IF_DECLARED];

/// The filter from the prior N(0, I/lambda).
pub(super) fn start(options: &Problem) -> DenseFilter {
    DenseFilter::start(options.dimension, options.default_ridge())
}

/// Consecutive observations of one arm, whatever their outcomes, forecast in blocks.
///
/// Within a block the forecast stays what it was when the block was opened; the filter learns when the block is full, a
/// sixteenth of the run before it, or when another arm is played. Neither depends on a reward that is yet to come, so
/// the forecasts are made from the past alone, and a count of 1e12 costs some four hundred updates. The first 32
/// observations of a run are blocks of one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Run {
    x: Vec<f64>,
    /// Observations in closed blocks.
    seen: u64,
    /// Observations in the open block, and the sum of their rewards.
    count: u64,
    rewards: f64,
}

/// Observations of one arm that are learnt together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) count: f64,
    pub(super) mean_reward: f64,
}

impl Run {
    fn size(&self) -> u64 {
        (self.seen / 16).max(1)
    }

    /// Whether an observation of `x` continues the run.
    pub(super) fn continues(&self, x: &[f64]) -> bool {
        self.x == x
    }

    /// The arm of the run; empty before the first.
    pub(super) fn arm(&self) -> &[f64] {
        &self.x
    }

    /// Begins a run of another arm.
    pub(super) fn restart(&mut self, x: &[f64]) {
        self.x.clear();
        self.x.extend_from_slice(x);
        (self.seen, self.count, self.rewards) = (0, 0, 0.0);
    }

    /// Takes as many of `left` observations with outcome `reward` as fit into the open block, and says how many.
    pub(super) fn take(&mut self, reward: f64, left: u64) -> u64 {
        let taken = left.min(self.size() - self.count);
        self.count += taken;
        self.rewards += taken as f64 * reward;
        taken
    }

    /// The open block, if there is anything in it.
    pub(super) fn open_block(&self) -> Option<Block> {
        let count = self.count as f64;
        (self.count > 0).then(|| Block { count, mean_reward: (self.rewards / count).min(1.0) })
    }

    /// Whether the open block is full.
    pub(super) fn is_full(&self) -> bool {
        self.count >= self.size()
    }

    /// Ends the open block, which has been learnt.
    pub(super) fn close(&mut self) {
        self.seen += self.count;
        (self.count, self.rewards) = (0, 0.0);
    }

    /// Checks a deserialised run.
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        if !self.x.is_empty() {
            check_vector("run.x", &self.x, dimension)?;
        }
        check_count("run.seen", self.seen)?;
        let allowed = self.count < self.size() && self.rewards >= 0.0 && self.rewards <= self.count as f64;
        check_number("run.rewards", self.rewards, allowed, "between 0 and the count of an open block")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_run_grow_and_do_not_depend_on_outcomes() {
        for count in [1, 2, 15, 16, 17, 100, 12_345, 1_000_000_000_000] {
            let sizes = |batches: &[(f64, u64)]| {
                let mut run = Run::default();
                run.restart(&[1.0]);
                let mut sizes = Vec::new();
                for (reward, batch) in batches {
                    let mut left = *batch;
                    while left > 0 {
                        left -= run.take(*reward, left);
                        if run.is_full() {
                            sizes.extend(run.open_block().map(|block| block.count));
                            run.close();
                        }
                    }
                }
                sizes.extend(run.open_block().map(|block| block.count));
                sizes
            };
            let whole = sizes(&[(1.0, count)]);
            assert_eq!(whole.iter().sum::<f64>(), count as f64);
            assert!(whole.len() < 500, "{}", whole.len());
            assert!(whole.iter().take(32).all(|size| *size == 1.0));
            assert_eq!(whole, sizes(&[(0.0, count / 3), (1.0, count - count / 3)]));
        }
    }
}
