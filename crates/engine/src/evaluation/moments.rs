//! Means and variances in one pass.

use serde::{Deserialize, Serialize};

use super::sum::Sum;

/// Mean and variance of one variable (Welford 1962, with the mean from a compensated sum: the mean of halves is a half).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Moments {
    count: u64,
    total: Sum,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Moments {
    pub(super) fn push(&mut self, x: f64) {
        let before = x - self.mean();
        self.count += 1;
        self.total.add(x);
        self.squares += before * (x - self.mean());
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The mean; zero without rows.
    pub(super) fn mean(&self) -> f64 {
        self.total.value() / self.count.max(1) as f64
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
        let total = self.total.value();
        let sum_of_squares = self.squares + total * total / n;
        if sum_of_squares > 0.0 { total * total / sum_of_squares } else { 0.0 }
    }
}

/// Means, variances and covariance of two variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PairMoments {
    a: Moments,
    b: Moments,
    /// Sum of products of deviations from the means.
    products: f64,
}

impl PairMoments {
    pub(super) fn push(&mut self, a: f64, b: f64) {
        let before = a - self.a.mean();
        self.a.push(a);
        self.b.push(b);
        self.products += before * (b - self.b.mean());
    }

    /// The second variable alone.
    pub(super) fn second(&self) -> &Moments {
        &self.b
    }

    /// `mean b / mean a` and its standard error.
    ///
    /// By the delta method the ratio `s` errs like the mean of `u = b - s a`, divided by `mean a`. The mean of `u` over the
    /// rows is zero by the choice of `s`, so its squares are a combination of the centred ones that are kept.
    pub(super) fn ratio(&self) -> Option<(f64, Option<f64>)> {
        if !(self.a.mean() > 0.0) {
            return None;
        }
        let s = self.b.total.value() / self.a.total.value();
        // Rounding may leave a variance of zero slightly negative.
        let squares = (self.b.squares - 2.0 * s * self.products + s * s * self.a.squares).max(0.0);
        Some((s, standard_error(squares, self.a.count).map(|error| error / self.a.mean())))
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
