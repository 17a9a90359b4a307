//! Intervals for means by resampling.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::results::quantile;

/// How often runs are drawn anew. Twice as many move the ends of an interval by less than a curve is wide.
const RESAMPLES: usize = 2000;
/// The same figure is drawn from the same runs.
const SEED: u64 = 95;
/// The quantiles between which an interval of 95% lies.
const ENDS: [f64; 2] = [0.025, 0.975];

/// Percentile intervals for the means of several samples of the same runs, in the same order. Runs are drawn as a whole, so that the
/// intervals of a curve belong together.
pub(super) fn mean_intervals(samples: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let runs = samples.iter().map(Vec::len).min().unwrap_or(0);
    if runs == 0 {
        return samples.iter().map(|_| (f64::NAN, f64::NAN)).collect();
    }
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let draws: Vec<Vec<usize>> =
        (0..RESAMPLES).map(|_| (0..runs).map(|_| rng.random_range(0..runs)).collect()).collect();
    let interval = |sample: &Vec<f64>| {
        let mean = |draw: &Vec<usize>| draw.iter().map(|&run| sample[run]).sum::<f64>() / runs as f64;
        let mut means: Vec<f64> = draws.iter().map(mean).collect();
        means.sort_by(f64::total_cmp);
        let [low, high] = ENDS.map(|level| quantile(&means, level));
        (low, high)
    };
    samples.iter().map(interval).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_normal_law_for_large_samples() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let sample: Vec<f64> = (0..400).map(|_| rng.random_range(0.0..1.0)).collect();
        let mean = sample.iter().sum::<f64>() / 400.0;
        // A uniform law has the variance 1/12; its sample's own standard deviation is within 3% of that.
        let half = 1.96 * (1.0_f64 / 12.0 / 400.0).sqrt();
        let (low, high) = mean_intervals(std::slice::from_ref(&sample))[0];
        // The ends are quantiles of 2000 means: their standard error is 2.7% of the half-width times 1.96.
        assert!(
            (low - (mean - half)).abs() < 0.15 * half && (high - (mean + half)).abs() < 0.15 * half,
            "{low} {high}"
        );
        assert_eq!(mean_intervals(std::slice::from_ref(&sample)), mean_intervals(&[sample]), "the same every time");
    }

    #[test]
    fn runs_are_drawn_as_a_whole() {
        let first = vec![1.0, 4.0, 2.0, 8.0];
        let double: Vec<f64> = first.iter().map(|v| 2.0 * v).collect();
        let intervals = mean_intervals(&[first, double]);
        assert_eq!((2.0 * intervals[0].0, 2.0 * intervals[0].1), intervals[1]);
        assert!(intervals[0].0 >= 1.0 && intervals[0].1 <= 8.0);
        assert!(mean_intervals(&[vec![]])[0].0.is_nan());
    }
}
