//! What new observations cost every parameter: a floor under the growth of the loss.
//!
//! If an arm was observed n more times with p more successes, the loss has grown by n softplus(z) - p z at the parameter
//! with log-odds z, and that is least where mu(z) = p/n: it is n h(p/n) at least, with the entropy
//! h(q) = -q log q - (1 - q) log(1 - q). So between two moments s < t
//!
//! ```text
//! L_t(theta) - L_s(theta) >= Phi(s, t) := sum_k n_k h(p_k/n_k)   for every theta,
//! ```
//!
//! and the set of t lies inside the set of L_s of the level c_t - Phi(s, t). As the level grows by about the entropy of what
//! is played, a certificate that is moved by c_t - c_s - Phi hardly rises at all. Phi is superadditive: the floor of a span is
//! at least the sum of those of its parts. So time is cut into epochs; a certificate is credited with the floors of the
//! epochs that began after it was made, and the counts of one moment, the last epoch's start, are all that must be kept.

use serde::{Deserialize, Serialize};

use crate::error::{Result, check_vector};
use crate::history::History;
use crate::numerics::Elementary;

/// Observations of an epoch. Shorter ones lose more at every seam, longer ones leave certificates without credit for longer.
const EPOCH: f64 = 64.0;

/// Observations after which the running epoch is looked at again: less often costs credit, more often time.
const STRIDE: f64 = 8.0;

/// The floor's growth since some first moment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Floor {
    /// Counts and sums of rewards of every row when the epoch began.
    #[serde(with = "crate::numerics::stored_numbers")]
    counts: Vec<f64>,
    #[serde(with = "crate::numerics::stored_numbers")]
    rewards: Vec<f64>,
    /// Observations when the epoch began, and when it was last looked at.
    began: f64,
    seen: f64,
    /// Sum over the epochs that have ended, and the running one as far as it was looked at.
    ended: f64,
    running: f64,
}

impl Floor {
    /// Starts with an epoch that begins now.
    pub(super) fn restart(&mut self, history: &History) {
        (self.ended, self.running) = (0.0, 0.0);
        self.begin(history);
    }

    fn begin(&mut self, history: &History) {
        self.counts.clear();
        self.rewards.clear();
        for (n, p) in (0..history.rows()).map(|k| history.outcomes(k)) {
            self.counts.push(n);
            self.rewards.push(p);
        }
        (self.began, self.seen) = (history.observations(), history.observations());
    }

    /// The sum of all floors: what it gains from the end of an epoch on bounds the growth of the loss since then.
    pub(super) fn total(&self) -> f64 {
        // Sums of a few hundred terms are known to fewer digits than doubles have.
        (1.0 - 1e-13) * (self.ended + self.running)
    }

    /// Takes in what has been observed; true if that ends an epoch.
    pub(super) fn advance(&mut self, history: &History) -> bool {
        let now = history.observations();
        if now - self.seen < STRIDE {
            return false;
        }
        self.seen = now;
        let before = self.counts.iter().copied().zip(self.rewards.iter().copied()).chain(std::iter::repeat((0.0, 0.0)));
        let rows = (0..history.rows()).map(|k| history.outcomes(k)).zip(before);
        self.running = rows.map(|((n, p), (n0, p0))| least_loss(n - n0, p - p0)).sum();
        let over = now - self.began >= EPOCH;
        if over {
            self.ended += self.running;
            self.running = 0.0;
            self.begin(history);
        }
        over
    }

    /// Checks a floor that was stored.
    pub(super) fn check(&self) -> Result<()> {
        let Self { counts, rewards, began, seen, ended, running } = self;
        check_vector("planner.floor.counts", counts, counts.len())?;
        check_vector("planner.floor.rewards", rewards, counts.len())?;
        check_vector("planner.floor", &[*began, *seen, *ended, *running], 4)
    }
}

/// The least of n softplus(z) - p z over all z.
fn least_loss(n: f64, p: f64) -> f64 {
    let failures = n - p;
    if p > 0.0 && failures > 0.0 { -(p * (p / n).logarithm() + failures * (failures / n).logarithm()) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::softplus;

    #[test]
    fn no_parameter_has_a_smaller_loss() {
        for (n, p) in [(1.0, 0.0), (1.0, 1.0), (5.0, 2.0), (40.0, 39.0), (3.0, 1.5), (0.0, 0.0)] {
            let least = least_loss(n, p);
            let at = |z: f64| n * softplus(z) - p * z;
            let sampled = (-400..=400).map(|i| at(0.1 * f64::from(i))).fold(f64::INFINITY, f64::min);
            assert!(least <= sampled + 1e-12 && sampled <= least + 0.02 * n + 1e-12, "{n} {p}: {least} {sampled}");
        }
    }

    #[test]
    fn credit_is_given_from_the_end_of_an_epoch_on() {
        let mut history = History::new(1).unwrap();
        let mut floor = Floor::default();
        floor.restart(&history);
        let mut epochs = 0;
        for i in 0..200 {
            history.observe(&[1.0], f64::from(i % 2)).unwrap();
            epochs += u32::from(floor.advance(&history));
        }
        assert_eq!(epochs, 3);
        assert!((floor.total() / (200.0 * 2.0_f64.ln()) - 1.0).abs() < 1e-3);
    }
}
