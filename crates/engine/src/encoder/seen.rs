//! What was hashed, so that the share of collisions is measured and not guessed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Distinct words that are remembered; what comes after them is not counted.
const MOST: usize = 20_000;

/// Hashes of what was seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Seen(BTreeSet<u64>);

impl Seen {
    pub(super) fn note(&mut self, hash: u64) {
        if self.0.len() < MOST {
            self.0.insert(hash);
        }
    }

    /// How many are distinct, and how many of these share their place with another.
    pub(super) fn collisions(&self, buckets: usize) -> (usize, usize) {
        let mut counts = vec![0_usize; buckets];
        self.0.iter().for_each(|hash| counts[bucket(*hash, buckets)] += 1);
        (self.0.len(), counts.into_iter().filter(|count| *count > 1).sum())
    }

    pub(super) fn describe(&self, buckets: usize, what: &str) -> String {
        let (distinct, sharing) = self.collisions(buckets);
        let least = if distinct == MOST { "at least " } else { "" };
        match distinct {
            0 => format!("{buckets} places; nothing was seen yet"),
            _ => format!(
                "{buckets} places for {least}{distinct} different {what}, of which {:.0}% share theirs with another",
                100.0 * sharing as f64 / distinct as f64
            ),
        }
    }
}

/// The hash of a word, the same for ever on every machine.
pub(super) fn hash(word: &str) -> u64 {
    optimist::hash::bytes(word.as_bytes())
}

/// The place of a hash.
pub(super) fn bucket(hash: u64, buckets: usize) -> usize {
    // The upper bits of a product are as good as a remainder, and no bucket is favoured.
    ((u128::from(hash) * buckets as u128) >> 64) as usize
}

/// Words: runs of letters and digits, in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
