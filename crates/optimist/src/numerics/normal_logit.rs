//! A normal law for the logit of an arm, met by outcomes of the arm: the mode after them and their forecast before.

use super::{Elementary, hermite};
use crate::link::{self, log_loss};

/// mu(z) - reward, without cancellation for a reward of one.
fn residual(z: f64, reward: f64) -> f64 {
    (1.0 - reward) * link::mean(z) - reward * link::mean(-z)
}

/// The minimiser of (z - mean)^2/(2 variance) + count l(z, reward).
///
/// It solves z - mean + variance count (mu(z) - reward) = 0, which is increasing in z. Newton's method inside a bracket:
/// the root lies on the side of the mean where the residual is smaller, and no further away than a step with the
/// residual at the mean, nor than the log-odds of the reward.
pub(crate) fn posterior_logit(mean: f64, variance: f64, reward: f64, count: f64) -> f64 {
    let gain = variance * count;
    let full_step = mean - gain * residual(mean, reward);
    let odds = link::log_odds(reward);
    let (mut low, mut high) =
        if full_step > mean { (mean, full_step.min(odds.max(mean))) } else { (full_step.max(odds.min(mean)), mean) };
    let (mut z, mut last_step) = (mean, f64::INFINITY);
    // Newton's method takes a handful of steps; two hundred halvings would exhaust the doubles.
    for _ in 0..200 {
        let value = z - mean + gain * residual(z, reward);
        if value > 0.0 {
            high = z
        } else {
            low = z
        }
        let slope = 1.0 + gain * link::variance(z);
        let newton = z - value / slope;
        // What remains is rounding, and the bracket has nothing to say about it any more.
        if (newton - z).abs() <= 4.0 * f64::EPSILON * (z.abs() + mean.abs() / slope) {
            return newton;
        }
        // Across the bend of mu at zero Newton may jump back and forth: its steps must shrink.
        let shrinks = (newton - z).abs() < 0.5 * last_step;
        let next = if shrinks && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        last_step = (next - z).abs();
        z = next;
    }
    z
}

/// -log E[exp(-count l(z, reward))] for z normal with this mean and deviation, through the rule.
pub(crate) fn mixed_loss(mean: f64, deviation: f64, reward: f64, count: f64) -> f64 {
    if count == 1.0 && (reward == 0.0 || reward == 1.0) {
        // One plain outcome, the common case: its likelihood is mu(z) or mu(-z), and no logarithm is needed inside.
        let sign = 2.0 * reward - 1.0;
        let at = |node: &hermite::Node| node.weight * link::mean(sign * (mean + deviation * node.at));
        let likelihood: f64 = hermite::rule().iter().map(at).sum();
        if likelihood > 1e-250 {
            return -likelihood.logarithm();
        }
    }
    let exponents = hermite::rule().map(|node| node.log_weight - count * log_loss(mean + deviation * node.at, reward));
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = exponents.iter().map(|e| (e - largest).exponential()).sum();
    -(largest + sum.logarithm())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn posterior_logit_solves_its_equation() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..20_000 {
            let (mean, variance) = (rng.random_range(-30.0..30.0), 10f64.powf(rng.random_range(-8.0..4.0)));
            let reward = [0.0, 1.0, rng.random_range(0.0..1.0)][rng.random_range(0..3)];
            let count = 10f64.powf(rng.random_range(0.0..12.0)).round();
            let z = posterior_logit(mean, variance, reward, count);
            // Increasing through zero within a few units in the last place of z or of what is added up.
            let value = |z: f64| z - mean + variance * count * residual(z, reward);
            let terms = z.abs() + f64::abs(mean) + variance * count * residual(z, reward).abs();
            let slope = 1.0 + variance * count * link::variance(z);
            let noise = variance * count * link::mean(z).min(link::mean(-z)).max(reward * (1.0 - reward));
            let margin = 16.0 * f64::EPSILON * (z.abs() + (terms + noise) / slope);
            assert!(value(z - margin) <= 0.0 && value(z + margin) >= 0.0, "{mean} {variance} {reward} {count}: {z}");
        }
    }
}
