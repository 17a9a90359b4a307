//! Means and variances in one pass.

use serde::{Deserialize, Serialize};

/// Mean and variance of one variable (Welford 1962).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Moments {
    count: u64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Moments {
    pub(super) fn push(&mut self, x: f64) {
        self.count += 1;
        let before = x - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (x - self.mean);
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    /// Mean of squared deviations (divided by the count).
    pub(super) fn spread(&self) -> f64 {
        self.squares / self.count.max(1) as f64
    }

    /// Standard error of the mean; one row has none.
    pub(super) fn standard_error(&self) -> Option<f64> {
        standard_error(self.squares, self.count)
    }

    /// `(sum x)^2 / sum x^2`: how many rows of equal weight would vary as little as these.
    pub(super) fn effective_rows(&self) -> f64 {
        let n = self.count as f64;
        let sum_of_squares = self.squares + n * self.mean * self.mean;
        if sum_of_squares > 0.0 { (n * self.mean) * (n * self.mean) / sum_of_squares } else { 0.0 }
    }
}

/// Means, variances and covariance of two variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PairMoments {
    count: u64,
    mean_a: f64,
    mean_b: f64,
    aa: f64,
    ab: f64,
    bb: f64,
}

impl PairMoments {
    pub(super) fn push(&mut self, a: f64, b: f64) {
        self.count += 1;
        let n = self.count as f64;
        let (before_a, before_b) = (a - self.mean_a, b - self.mean_b);
        self.mean_a += before_a / n;
        self.mean_b += before_b / n;
        self.aa += before_a * (a - self.mean_a);
        self.ab += before_a * (b - self.mean_b);
        self.bb += before_b * (b - self.mean_b);
    }

    /// `mean b / mean a` and its standard error.
    ///
    /// By the delta method the ratio `s` errs like the mean of `u = b - s a`, divided by `mean a`. The mean of `u` over the
    /// rows is zero by the choice of `s`, so its squares are a combination of the centred ones that are kept.
    pub(super) fn ratio(&self) -> Option<(f64, Option<f64>)> {
        if !(self.mean_a > 0.0) {
            return None;
        }
        let s = self.mean_b / self.mean_a;
        // Rounding may leave a variance of zero slightly negative.
        let squares = (self.bb - 2.0 * s * self.ab + s * s * self.aa).max(0.0);
        Some((s, standard_error(squares, self.count).map(|error| error / self.mean_a)))
    }
}

fn standard_error(squares: f64, count: u64) -> Option<f64> {
    let n = count as f64;
    (count >= 2).then(|| (squares / (n - 1.0) / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pass_agrees_with_two() {
        let a = [0.5, 2.0, 0.0, 1.25, 4.0];
        let b = [0.5, 0.0, 0.0, 1.0, 3.0];
        let (mut single, mut pair) = (Moments::default(), PairMoments::default());
        for (&a, &b) in a.iter().zip(&b) {
            single.push(a);
            pair.push(a, b);
        }
        let n = a.len() as f64;
        let mean = a.iter().sum::<f64>() / n;
        let variance = a.iter().map(|a| (a - mean) * (a - mean)).sum::<f64>() / (n - 1.0);
        assert!((single.mean() - mean).abs() < 1e-15);
        assert!((single.standard_error().unwrap() - (variance / n).sqrt()).abs() < 1e-15);
        let square = a.iter().map(|a| a * a).sum::<f64>();
        assert!((single.effective_rows() - (n * mean).powi(2) / square).abs() < 1e-14);

        let (ratio, error) = pair.ratio().unwrap();
        let s = b.iter().sum::<f64>() / a.iter().sum::<f64>();
        let residual = a.iter().zip(&b).map(|(a, b)| (b - s * a) * (b - s * a)).sum::<f64>();
        assert!((ratio - s).abs() < 1e-15);
        assert!((error.unwrap() - (residual / (n - 1.0) / n).sqrt() / mean).abs() < 1e-15);
    }
}
