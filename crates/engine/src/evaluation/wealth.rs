//! The one-sided confidence sequence from which all intervals are made. The proof is told in [`super::BoundedMean`].

use serde::{Deserialize, Serialize};

use super::elementary::{exp, ln, ln_1p};
use super::sum::Sum;

/// How many bets are mixed.
const BETS: usize = 24;

/// The largest part of the wealth that one row can lose. Below one, so that logarithms stay finite.
const LARGEST_LOSS: f64 = 15.0 / 16.0;

/// Bet `j`, from 7.5 down to 9e-7 by halves.
///
/// With `t` rows of variance `s^2` the best bet is about `sqrt(2 ln(1/delta) / (t s^2))`, so the list serves `t s^2` from
/// less than one to more than 10^12. At halves, the mixture is as good as one over a continuum: the exponent is so flat
/// around its peak that a bet in the middle between two of the list gains as much from both as one of the list from itself.
fn bet(j: usize) -> f64 {
    8.0 * LARGEST_LOSS / (1u64 << j) as f64
}

/// Logarithms of the shares of the initial wealth. Any positive numbers that sum to one are valid; these favour the bets
/// that are best between a hundred and a million rows, without giving up on the others.
fn log_shares() -> [f64; BETS] {
    let weight = |j: usize| {
        let octaves = (j as f64 - 8.0) / 4.0;
        1.0 / (1.0 + octaves * octaves)
    };
    let total: f64 = (0..BETS).map(weight).sum();
    std::array::from_fn(|j| ln(weight(j) / total))
}

/// What 24 gamblers own who bet that the conditional means of `x_1, x_2, ...` are larger than they are said to be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Wealth {
    rows: u64,
    total: Sum,
    /// Sum of the sizes of the numbers that were added, which bounds what rounding did to the rest.
    size: f64,
    /// `sum_i ln(1 + lambda_j (x_i - c_ij)) + lambda_j c_ij` for every bet `j`.
    logs: [Sum; BETS],
}

impl Wealth {
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes `x`, which must be at least `floor`; `floor` and `(least, most)` must have been known before the row, its context
    /// included: a centre that followed the context would bound the means given the contexts, but no longer the others.
    /// `(least, most)` should contain the conditional mean; should it not, the bound is loose but not wrong.
    pub(super) fn push(&mut self, x: f64, floor: f64, (least, most): (f64, f64)) {
        // The mean of the past, and of one row more in the middle, so that there is something to begin with.
        let centre = (0.5 * (least + most) + self.total.value()) / (self.rows as f64 + 1.0);
        let centre = centre.max(least).min(most);
        for (j, log) in self.logs.iter_mut().enumerate() {
            let lambda = bet(j);
            // At x = floor the factor below is 1 - LARGEST_LOSS: a bold bet must centre low.
            let centre = centre.min(floor + LARGEST_LOSS / lambda);
            log.add(ln_1p(lambda * (x - centre)) + lambda * centre);
        }
        self.rows += 1;
        self.total.add(x);
        self.size += x.abs() + centre.abs() + floor.abs();
    }
}

/// A lower bound on the sum of conditional means that holds at all times at once with probability `1 - delta`, from one or
/// several ways to bet on the same means, each of which gets the same share of the initial wealth.
///
/// The wealth of the mixture, if the means sum to `m`, is `sum_j exp(a_j - lambda_j m)`: its logarithm is convex and falls
/// in `m`. Newton's method, started where a single bet reaches the threshold, therefore climbs towards the root from below
/// and never passes it: wherever it stops, the bound is valid.
pub(super) fn lower_total(ways: &[&Wealth], delta: f64) -> f64 {
    let threshold = -ln(delta);
    let log_ways = ln(ways.len() as f64);
    let shares = log_shares();
    let terms = || {
        ways.iter().flat_map(|way| {
            way.logs.iter().enumerate().map(|(j, log)| (log.value() + shares[j] - log_ways - threshold, bet(j)))
        })
    };

    let mut sum = terms().map(|(a, lambda)| a / lambda).fold(f64::NEG_INFINITY, f64::max);
    for _ in 0..100 {
        // No exponent is above zero at the start, and they fall as `sum` grows: nothing overflows.
        let (mut value, mut slope) = (0.0, 0.0);
        for (a, lambda) in terms() {
            let term = exp(a - lambda * sum);
            value += term;
            slope += lambda * term;
        }
        let step = value * ln(value) / slope;
        // Written so that NaN ends the search as well.
        if !(step > 1e-15 * sum.abs().max(1.0)) {
            break;
        }
        sum += step;
    }
    // A logarithm is right to about one unit in the last place, compensated sums add none, and ln(1 + lambda y) / lambda is
    // never larger than 3 |y|: all roundings together stay far below this.
    let size = ways.iter().map(|way| way.size).fold(0.0, f64::max);
    sum - 1e-14 * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_sum_to_one() {
        let total: f64 = log_shares().iter().map(|&share| exp(share)).sum();
        assert!((total - 1.0).abs() < 1e-14, "{total}");
    }

    #[test]
    fn newton_finds_the_root_from_below() {
        let mut wealth = Wealth::default();
        for i in 0..500 {
            wealth.push(if i % 3 == 0 { 2.5 } else { 0.0 }, 0.0, (0.0, 1.0));
        }
        let log_wealth = |sum: f64| -> f64 {
            let shares = log_shares();
            let terms: Vec<f64> = (0..BETS).map(|j| wealth.logs[j].value() + shares[j] - bet(j) * sum).collect();
            let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln()
        };
        for delta in [0.5, 0.05, 1e-9, 1e-300] {
            let root = lower_total(&[&wealth], delta);
            assert!(log_wealth(root) >= -delta.ln(), "{delta}: above the root");
            assert!(log_wealth(root + 1e-8) < -delta.ln(), "{delta}: not at the root");
        }
    }

    /// Two copies of one way to bet are that way: the mixture must not gain from counting it twice.
    #[test]
    fn the_same_way_twice_changes_nothing() {
        let mut wealth = Wealth::default();
        for i in 0..50 {
            wealth.push(f64::from(i % 2), 0.0, (0.0, 1.0));
        }
        let (once, twice) = (lower_total(&[&wealth], 0.05), lower_total(&[&wealth, &wealth], 0.05));
        assert!((once - twice).abs() < 1e-10, "{once} {twice}");
    }

    /// The heart of the proof: the expected factor of one row is at most one, whatever the law, the floor and the past.
    #[test]
    fn no_bet_is_expected_to_win() {
        // Laws on three points, by exact expectation; the past is one arbitrary row.
        for floor in [0.0, -0.4, -9.0] {
            for points in [[0.0, 0.5, 1.0], [0.0, 1.0, 40.0], [floor, 0.3, 2.0]] {
                for law in [[0.2, 0.3, 0.5], [0.98, 0.0, 0.02], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]] {
                    let mean: f64 = points.iter().zip(&law).map(|(x, p)| x * p).sum();
                    let mut expected = [0.0; BETS];
                    for (x, p) in points.iter().zip(&law) {
                        let mut wealth = Wealth::default();
                        wealth.push(0.9, floor, (0.0, 1.0));
                        let before = wealth.clone();
                        wealth.push(*x, floor, (0.0, 1.0));
                        for (j, total) in expected.iter_mut().enumerate() {
                            let gain = wealth.logs[j].value() - before.logs[j].value() - bet(j) * mean;
                            *total += p * gain.exp();
                        }
                    }
                    for (j, total) in expected.iter().enumerate() {
                        assert!(*total <= 1.0 + 1e-12, "floor {floor}, {points:?}, {law:?}, bet {j}: {total}");
                    }
                }
            }
        }
    }
}
