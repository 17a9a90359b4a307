//! Tests for differences in pairs, and what many tests at once cost.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::erf::erfc;

use super::statistics::Statistics;

/// Up to so many differences the distribution of ranks is computed, beyond it is taken for normal.
const EXACT_MOST: usize = 50;

/// The mean of differences, how far it can be trusted, and whether it could be luck. NaN, in JSON null, is what cannot be told:
/// all but the mean for a single pair.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairedTest {
    /// The mean difference.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The lower end of the 95% interval of Student's t.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The two-sided p value of the paired t test.
    pub p: f64,
    /// The two-sided p value of Wilcoxon's signed-rank test, which asks for a law symmetric about zero and for no other.
    pub wilcoxon_p: f64,
}

impl PairedTest {
    /// The figures of differences, of which there is at least one.
    ///
    /// # Panics
    /// If there is none.
    pub fn of(differences: &[f64]) -> Self {
        let Statistics { mean, std, .. } = Statistics::of(differences);
        let standard_error = std / (differences.len() as f64).sqrt();
        let Ok(law) = StudentsT::new(0.0, 1.0, differences.len() as f64 - 1.0) else {
            let nan = f64::NAN;
            return Self { mean, standard_error: nan, low: nan, high: nan, p: nan, wilcoxon_p: nan };
        };
        let reach = standard_error * law.inverse_cdf(0.975);
        let p = match mean.abs() / standard_error {
            // Differences that are all zero say nothing; such that are all the same, and not zero, leave no doubt.
            t if t.is_nan() => 1.0,
            t if t.is_infinite() => 0.0,
            t => (2.0 * law.sf(t)).min(1.0),
        };
        Self { mean, standard_error, low: mean - reach, high: mean + reach, p, wilcoxon_p: signed_rank(differences) }
    }
}

/// The two-sided p value of Wilcoxon's signed-rank test. Differences of zero are left out, equal sizes share their ranks.
/// Exact for up to 50 differences, ties included; beyond, by the normal law with a correction for continuity.
fn signed_rank(differences: &[f64]) -> f64 {
    let mut sizes: Vec<(f64, bool)> = differences.iter().filter(|d| **d != 0.0).map(|d| (d.abs(), *d > 0.0)).collect();
    sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ranks = doubled_ranks(&sizes);
    let sum: usize = ranks.iter().sum();
    let positive: usize = ranks.iter().zip(&sizes).filter(|(_, size)| size.1).map(|(rank, _)| rank).sum();
    let less = positive.min(sum - positive);
    if sizes.len() <= EXACT_MOST { exact(&ranks, less) } else { normal(&ranks, less) }
}

/// Twice the ranks, so that shared ones are whole numbers.
fn doubled_ranks(sorted: &[(f64, bool)]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(sorted.len());
    for group in sorted.chunk_by(|a, b| a.0 == b.0) {
        let before = ranks.len();
        // Ranks before + 1, ..., before + n have the mean before + (n + 1)/2.
        ranks.extend(std::iter::repeat_n(2 * before + group.len() + 1, group.len()));
    }
    ranks
}

/// Twice the probability that ranks with random signs sum to `less` or below on one side.
fn exact(ranks: &[usize], less: usize) -> f64 {
    let mut probability = vec![0.0; less + 1];
    probability[0] = 1.0;
    for &rank in ranks {
        for sum in (0..=less).rev() {
            let with = if sum >= rank { probability[sum - rank] } else { 0.0 };
            probability[sum] = 0.5 * (probability[sum] + with);
        }
    }
    (2.0 * probability.iter().sum::<f64>()).min(1.0)
}

fn normal(ranks: &[usize], less: usize) -> f64 {
    let sum: f64 = ranks.iter().map(|rank| *rank as f64).sum();
    let variance: f64 = ranks.iter().map(|rank| (*rank as f64).powi(2)).sum::<f64>() / 4.0;
    // One in doubled ranks is half a rank.
    let distance = (0.5 * sum - less as f64 - 1.0).max(0.0);
    erfc(distance / (2.0 * variance).sqrt()).min(1.0)
}

/// p values of a family of tests, adjusted after Holm: rejecting where they are at most alpha makes a false rejection anywhere
/// in the family with probability alpha at most. NaN is no test.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|i| !p[*i].is_nan()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let (mut adjusted, mut largest) = (vec![f64::NAN; p.len()], 0.0_f64);
    for (place, &i) in order.iter().enumerate() {
        largest = largest.max((order.len() - place) as f64 * p[i]).min(1.0);
        adjusted[i] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance * expected.abs().max(1e-300), "{value} is not {expected}");
    }

    /// Student's "soporific" data of 1908: mean 1.58, t = 4.0621 with 9 degrees of freedom, p = 0.002833.
    #[test]
    fn the_t_test_of_student() {
        let differences = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let test = PairedTest::of(&differences);
        near(test.mean, 1.58, 1e-12);
        near(test.mean / test.standard_error, 4.062128, 1e-6);
        near(test.p, 0.00283289, 1e-5);
        // The 97.5% quantile of t with 9 degrees of freedom is 2.262157.
        near(test.high - test.mean, 2.262157 * test.standard_error, 1e-6);
        near(test.mean - test.low, test.high - test.mean, 1e-12);
    }

    /// With one and with two degrees of freedom the law of t is elementary.
    #[test]
    fn p_values_of_few_pairs_in_closed_form() {
        for (a, b) in [(1.0, 2.0), (0.1, 5.0), (-3.0, 7.0)] {
            let test = PairedTest::of(&[a, b]);
            let t: f64 = test.mean / test.standard_error;
            near(test.p, 1.0 - 2.0 / std::f64::consts::PI * t.abs().atan(), 1e-9);
        }
        let test = PairedTest::of(&[1.0, 2.0, 4.5]);
        let t = test.mean / test.standard_error;
        near(test.p, 1.0 - t / (2.0 + t * t).sqrt(), 1e-9);
    }

    #[test]
    fn what_cannot_be_told_is_not() {
        let one = PairedTest::of(&[2.0]);
        assert_eq!(one.mean, 2.0);
        assert!([one.standard_error, one.low, one.high, one.p, one.wilcoxon_p].iter().all(|figure| figure.is_nan()));
        let zeros = PairedTest::of(&[0.0; 5]);
        assert_eq!((zeros.p, zeros.wilcoxon_p, zeros.low, zeros.high), (1.0, 1.0, 0.0, 0.0));
        let same = PairedTest::of(&[2.0; 5]);
        assert_eq!((same.p, same.wilcoxon_p), (0.0, 0.0625));
    }

    /// All signs, one by one.
    fn brute(differences: &[f64]) -> f64 {
        let sizes: Vec<f64> = differences.iter().filter(|d| **d != 0.0).map(|d| d.abs()).collect();
        let rank = |size: f64| {
            let below = sizes.iter().filter(|other| **other < size).count() as f64;
            let same = sizes.iter().filter(|other| **other == size).count() as f64;
            below + 0.5 * (same + 1.0)
        };
        let ranks: Vec<f64> = sizes.iter().map(|size| rank(*size)).collect();
        let signs = differences.iter().filter(|d| **d != 0.0).map(|d| *d > 0.0);
        let observed: f64 = signs.zip(&ranks).filter(|(is_positive, _)| *is_positive).map(|(_, rank)| rank).sum();
        let (mut below, mut above) = (0_u32, 0_u32);
        for signs in 0_u32..1 << ranks.len() {
            let sum: f64 = ranks.iter().enumerate().filter(|(i, _)| signs >> i & 1 == 1).map(|(_, rank)| rank).sum();
            below += u32::from(sum <= observed);
            above += u32::from(sum >= observed);
        }
        (2.0 * f64::from(below.min(above)) / f64::from(1_u32 << ranks.len())).min(1.0)
    }

    #[test]
    fn signed_ranks_are_those_of_all_signs() {
        let samples: [&[f64]; 7] = [
            &[1.0],
            &[1.0, 2.0, 3.0, 4.0, 5.0],
            &[-1.0, 2.0, 3.0, -4.0, 5.0, 6.0],
            &[1.0, 1.0, -1.0, 2.0, 2.0, -3.0, 0.0, 0.0],
            &[0.5, -0.5, 0.5, -0.5],
            &[1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3, -0.1, -0.9, 0.7],
            &[-2.0, -2.0, -1.0, -7.0, -0.3, -2.0, 0.1, 0.1, -4.0],
        ];
        for sample in samples {
            near(signed_rank(sample), brute(sample), 1e-12);
        }
        // Of the tables: five signs alike, 2/2^5.
        assert_eq!(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0]), 0.0625);
    }

    /// Where both ways are open they differ by little.
    #[test]
    fn many_ranks_are_nearly_normal() {
        for shift in [0.0, 4.0, 8.0, 12.0] {
            let sample: Vec<f64> = (0..50).map(|i| f64::from(i * 37 % 50) - 24.5 + shift).collect();
            let sizes = |sample: &[f64]| {
                let mut sizes: Vec<(f64, bool)> = sample.iter().map(|d| (d.abs(), *d > 0.0)).collect();
                sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
                sizes
            };
            let ranks = doubled_ranks(&sizes(&sample));
            let negative: usize = ranks.iter().zip(sizes(&sample)).filter(|(_, s)| !s.1).map(|(rank, _)| rank).sum();
            let less = negative.min(ranks.iter().sum::<usize>() - negative);
            assert!((exact(&ranks, less) - normal(&ranks, less)).abs() < 0.005, "{shift}");
        }
    }

    #[test]
    fn holm_adjusts_step_by_step() {
        let adjusted = holm(&[0.01, 0.04, 0.03, f64::NAN, 0.005]);
        let expected = [0.03, 0.06, 0.06, f64::NAN, 0.02];
        for (value, expected) in adjusted.iter().zip(expected) {
            assert!(value.is_nan() && expected.is_nan() || (value - expected).abs() < 1e-15, "{adjusted:?}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }
}
