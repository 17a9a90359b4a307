//! Arms that are categories.

use optimist::FiniteArms;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::filled;
use crate::experiment::Categories;

pub(super) fn draw(categories: &Categories, rng: &mut ChaCha8Rng) -> optimist::Result<FiniteArms<'static>> {
    let one = 1.0 / (categories.levels.len() as f64).sqrt();
    filled(categories.count, categories.width(), |x| {
        let mut from = 0;
        for (variable, levels) in categories.levels.iter().enumerate() {
            let level = match categories.weights.get(variable) {
                Some(weights) => weighted(weights, rng),
                None => rng.random_range(0..*levels),
            };
            x[from + level] = one;
            from += levels;
        }
        optimist::arms::normalise(x);
    })
}

/// The number of a level, with probability proportional to its weight.
fn weighted(weights: &[f64], rng: &mut ChaCha8Rng) -> usize {
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (level, weight) in weights.iter().enumerate() {
        if left < *weight {
            return level;
        }
        left -= weight;
    }
    // Rounding may leave a bit: it belongs to the last level that can be.
    weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0)
}
