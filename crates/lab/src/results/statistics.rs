//! Figures of a sample.

use serde::{Deserialize, Serialize};

/// Where a sample lies and how far it spreads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The mean.
    pub mean: f64,
    /// The standard deviation (n - 1 in the denominator); NaN, in JSON null, for a single number, of which it cannot be
    /// told.
    pub std: f64,
    /// The median.
    pub median: f64,
    /// The 10% quantile.
    pub q10: f64,
    /// The 90% quantile.
    pub q90: f64,
}

impl Statistics {
    /// The figures of a non-empty sample.
    ///
    /// # Panics
    /// If the sample is empty.
    pub fn of(sample: &[f64]) -> Self {
        assert!(!sample.is_empty(), "a sample has at least one number");
        let n = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / n;
        let squares: f64 = sample.iter().map(|v| (v - mean).powi(2)).sum();
        let mut sorted = sample.to_vec();
        sorted.sort_by(f64::total_cmp);
        let [q10, median, q90] = [0.1, 0.5, 0.9].map(|level| quantile(&sorted, level));
        Self { mean, std: (squares / (n - 1.0)).sqrt(), median, q10, q90 }
    }
}

/// A quantile, interpolated linearly between the order statistics.
pub fn quantile(sorted: &[f64], level: f64) -> f64 {
    let at = level * (sorted.len() - 1) as f64;
    let (below, part) = (at.floor() as usize, at.fract());
    let above = (below + 1).min(sorted.len() - 1);
    // Infinite figures are figures, and their differences are none: the nearer one counts.
    if part == 0.0 || sorted[below] == sorted[above] {
        return sorted[below];
    }
    if sorted[above].is_infinite() {
        return sorted[if part < 0.5 { below } else { above }];
    }
    sorted[below] + part * (sorted[above] - sorted[below])
}

/// The ratio of the means of `a` and `b`, and its standard error to first order, given that entry i of both comes from the
/// same world. The error is NaN for a single pair, of which it cannot be told.
///
/// # Panics
/// If the samples are empty or differ in length.
pub fn ratio_of_means(a: &[f64], b: &[f64]) -> (f64, f64) {
    assert_eq!(a.len(), b.len(), "samples in pairs have one length");
    let (n, below) = (a.len() as f64, Statistics::of(b).mean);
    let ratio = Statistics::of(a).mean / below;
    let residuals: Vec<f64> = a.iter().zip(b).map(|(x, y)| (x - ratio * y) / below).collect();
    (ratio, Statistics::of(&residuals).std / n.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_of_pairs_vary_less_than_their_parts() {
        let (ratio, error) = ratio_of_means(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]);
        assert!((ratio - 2.0).abs() < 1e-15 && error.abs() < 1e-15);
        // Residuals 1/2, 0, -1/2 about the ratio 1, by the mean 2: standard deviation 1/2.
        let (ratio, error) = ratio_of_means(&[2.0, 2.0, 2.0], &[1.0, 2.0, 3.0]);
        assert!((ratio - 1.0).abs() < 1e-15 && (error - 0.5 / 3.0_f64.sqrt()).abs() < 1e-15, "{error}");
        assert!(ratio_of_means(&[1.0], &[2.0]).1.is_nan());
    }

    #[test]
    fn figures_of_small_samples() {
        let one = Statistics::of(&[3.0]);
        assert!(one.std.is_nan());
        assert_eq!(one.mean + one.median + one.q10 + one.q90, 12.0);
        let s = Statistics::of(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!((s.mean, s.median), (2.5, 2.5));
        assert!((s.std - (5.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!((s.q10 - 1.3).abs() < 1e-15 && (s.q90 - 3.7).abs() < 1e-15);
        assert_eq!(quantile(&[1.0, 5.0, f64::INFINITY], 0.5), 5.0);
        assert_eq!(quantile(&[0.0, f64::INFINITY], 0.1), 0.0);
        assert_eq!(quantile(&[0.0, f64::INFINITY], 0.5), f64::INFINITY);
        assert_eq!(quantile(&[1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY], 0.5), f64::INFINITY);
    }
}
