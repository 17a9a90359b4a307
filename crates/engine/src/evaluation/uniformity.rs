//! An always-valid test that draws come from a given law.

use serde::{Deserialize, Serialize};

use super::elementary::ln;
use super::sum::Sum;

/// Evidence against the claim that category `k` of each draw had a stated probability, whatever was seen before.
///
/// Each draw multiplies the evidence by `predicted / claimed`, where `predicted = (n_k + 1/2) / (t + K/2)` is what
/// Krichevsky and Trofimov (1981) expect from the draws so far. Under the claim the expected factor is
/// `sum_k claimed (predicted / claimed) = 1`, so the evidence is a martingale that starts at one and, by Ville's inequality,
/// ever reaches `1/delta` with probability at most `delta`. Against any other fixed law it grows exponentially, after a
/// price of about `(K - 1)/2 ln t`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Evidence {
    log: Sum,
    /// The largest logarithm so far: evidence once reached counts, and Ville's inequality is about the largest.
    peak: f64,
}

impl Evidence {
    /// Takes a draw of a category that had come `count` times in `rows` draws, of `categories` categories.
    pub(super) fn push(&mut self, count: u64, rows: u64, categories: usize, claimed: f64) {
        let predicted = (count as f64 + 0.5) / (rows as f64 + 0.5 * categories as f64);
        self.log.add(ln(predicted / claimed));
        self.peak = self.peak.max(self.log.value());
    }

    /// The largest evidence so far, as a logarithm.
    pub(super) fn peak(&self) -> f64 {
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under the claim, the expected evidence after any number of draws is one: by enumeration of all sequences.
    #[test]
    fn the_evidence_is_fair() {
        let (categories, draws) = (3usize, 6u32);
        let mut expected = 0.0;
        for sequence in 0..(categories as u64).pow(draws) {
            let (mut counts, mut evidence, mut rest) = ([0u64; 3], Evidence::default(), sequence);
            for rows in 0..u64::from(draws) {
                let draw = (rest % 3) as usize;
                rest /= 3;
                evidence.push(counts[draw], rows, categories, 1.0 / 3.0);
                counts[draw] += 1;
            }
            expected += evidence.log.value().exp() / 3f64.powi(draws as i32);
        }
        assert!((expected - 1.0).abs() < 1e-12, "{expected}");
    }
}
