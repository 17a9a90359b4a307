//! Inverse propensity with weights cut at a threshold: less variance, and a bias that can be bounded.

use serde::{Deserialize, Serialize};

use super::bounded::{Sides, unit_interval};
use super::estimate::{Estimate, Interval};
use super::moments::Moments;
use super::wealth::{Wealth, lower_total};

/// Rewards under `min(w, clip)`.
///
/// `E[min(w, clip) r]` falls short of the value by `E[(w - clip)^+ r]`, which is at least zero and at most
/// `E[(w - clip)^+] = 1 - E[min(w, clip)]`, because weights have mean one. So the bias has a known sign and a bound that is
/// itself a mean of numbers in `[0, clip]` (Ionides 2008; Bottou et al. 2013). In the same way
/// `E[min(w, clip) (1 - r)] <= 1 - value`. Both intervals below use this: they are intervals for the value of the
/// policy, bias included, not for what clipping made of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Clipped {
    weights: Moments,
    rewards: Moments,
    losses: Moments,
    sides: Sides,
    weight_bets: Wealth,
}

impl Clipped {
    pub(super) fn push(&mut self, w: f64, r: f64, clip: f64) {
        let w = w.min(clip);
        self.weights.push(w);
        self.rewards.push(w * r);
        self.losses.push(w * (1.0 - r));
        self.sides.push(w * r, w * (1.0 - r), 0.0, 1.0);
        self.weight_bets.push(w, 0.0, (0.0, 1.0));
    }

    pub(super) fn estimate(&self, delta: f64) -> Estimate {
        let value = self.rewards.mean();
        let always_valid = Ok(unit_interval(&[&self.sides], delta));
        let mut estimate =
            Estimate::new(value, self.rewards.standard_error(), self.weights.effective_rows(), delta, always_valid);
        estimate.asymptotic = self.rewards.standard_error().zip(self.losses.standard_error()).map(|(below, above)| {
            let lower = Interval::normal(value, below, delta).lower;
            let upper = 1.0 - Interval::normal(self.losses.mean(), above, delta).lower;
            Interval { lower, upper }
        });
        estimate
    }

    /// By how much the estimate falls short at most, as estimated: `1 - mean min(w, clip)`.
    pub(super) fn bias_bound(&self) -> f64 {
        (1.0 - self.weights.mean()).max(0.0)
    }

    /// A bound on `E[(w - clip)^+]`, averaged over rows, that holds at all times at once with probability `1 - delta`.
    pub(super) fn always_valid_bias_bound(&self, delta: f64) -> f64 {
        let n = self.weights.count().max(1) as f64;
        (1.0 - lower_total(&[&self.weight_bets], delta) / n).clamp(0.0, 1.0)
    }
}
