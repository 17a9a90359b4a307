//! What intervals settle: which of two arms is better, and how far an arm may be from the best.

use serde::Serialize;

use super::choice::{Certified, CertifiedList};
use crate::arms::FiniteArms;
use crate::error::{Result, check_number, check_vector};
use crate::link;
use crate::plan::{Comparison, Interval};
use crate::set::Guarantee;

/// Which of two arms is better, with the promise under which that holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CertifiedComparison {
    /// The verdict.
    pub comparison: Comparison,
    /// Lower bound on the log-odds of the first less those of the second.
    pub difference_lower: f64,
    /// Upper bound on it.
    pub difference_upper: f64,
    /// What is promised, and where that is proved.
    pub guarantee: Guarantee,
}

impl CertifiedComparison {
    /// From the interval of the difference of two arms.
    pub(super) fn of(difference: Certified) -> Self {
        let Interval { log_odds_lower, log_odds_upper, .. } = difference.interval;
        let comparison = if log_odds_lower > 0.0 {
            Comparison::FirstBetter
        } else if log_odds_upper < 0.0 {
            Comparison::SecondBetter
        } else {
            Comparison::Undecided
        };
        let (difference_lower, difference_upper) = (log_odds_lower, log_odds_upper);
        Self { comparison, difference_lower, difference_upper, guarantee: difference.guarantee }
    }
}

/// How close the arm that looks best is to the best, with the promise under which that holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CertifiedBest {
    /// The arm with the largest estimate, the first of equals.
    pub arm: usize,
    /// No arm succeeds with a probability that is larger by more than this.
    pub regret_bound: f64,
    /// Whether that is at most what was asked for.
    pub found: bool,
    /// What is promised, and where that is proved.
    pub guarantee: Guarantee,
}

/// What rounding may take from a difference of two probabilities.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The features of `a` less those of `b`: the log-odds of that are the difference of theirs.
pub(super) fn difference(a: &[f64], b: &[f64], dimension: usize) -> Result<Vec<f64>> {
    check_vector("a", a, dimension)?;
    check_vector("b", b, dimension)?;
    Ok(a.iter().zip(b).map(|(u, v)| u - v).collect())
}

/// See [`Snapshot::best`](super::Snapshot::best).
pub(super) fn best(
    arms: &FiniteArms<'_>,
    epsilon: f64,
    intervals: &dyn Fn(&FiniteArms<'_>) -> Result<CertifiedList>,
    log_odds: &dyn Fn(&[f64]) -> Result<f64>,
    interval: &dyn Fn(&[f64]) -> Result<Certified>,
) -> Result<CertifiedBest> {
    check_number("epsilon", epsilon, (0.0..=1.0).contains(&epsilon), "between 0 and 1: it is a probability")?;
    let CertifiedList { intervals, guarantee } = intervals(arms)?;
    let mut leader = (0, f64::NEG_INFINITY);
    for (k, x) in arms.iter().enumerate() {
        let value = log_odds(x)?;
        if value > leader.1 {
            leader = (k, value);
        }
    }
    let arm = leader.0;
    let mut regret_bound = 0.0_f64;
    // Beside these no arm can be better.
    let rivals = (0..arms.len()).filter(|k| *k != arm && intervals[*k].log_odds_upper > intervals[arm].log_odds_lower);
    for k in rivals {
        let difference = difference(arms.arm(k), arms.arm(arm), arms.dimension())?;
        let ahead = interval(&difference)?.interval.log_odds_upper;
        regret_bound = regret_bound.max(largest_gap(&intervals[arm], intervals[k].log_odds_upper, ahead));
    }
    Ok(CertifiedBest { arm, regret_bound, found: regret_bound <= epsilon, guarantee })
}

/// The most by which the success probability of a rival can exceed that of an arm with these bounds, if its log-odds are at most
/// `upper` and exceed those of the arm by at most `ahead`.
///
/// With z the log-odds of the arm this is the maximum of mu(min(z + ahead, upper)) - mu(z). It rises while z < -ahead/2 and
/// z < upper - ahead, and falls beyond either.
fn largest_gap(arm: &Interval, upper: f64, ahead: f64) -> f64 {
    if ahead <= 0.0 {
        return 0.0;
    }
    let peak = if ahead.is_finite() { (-0.5 * ahead).min(upper - ahead) } else { f64::NEG_INFINITY };
    let z = peak.min(arm.log_odds_upper).max(arm.log_odds_lower);
    (link::mean((z + ahead).min(upper)) - link::mean(z) + ROUNDING).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula against a fine grid.
    #[test]
    fn the_largest_gap_is_the_maximum_over_a_grid() {
        let bounds = [-6.0, -2.5, -0.3, 0.0, 0.7, 3.0];
        for (i, lower) in bounds.into_iter().enumerate() {
            for upper in bounds.into_iter().skip(i) {
                for (rival, ahead) in [(-3.0, 0.5), (0.2, 1.5), (4.0, 0.1), (4.0, 9.0), (1.0, 3.0), (0.0, 20.0)] {
                    let arm = Interval::new(lower, upper);
                    let gap = |z: f64| link::mean((z + ahead).min(rival)) - link::mean(z);
                    let grid = (0..=4000).map(|i| gap(lower + (upper - lower) * f64::from(i) / 4000.0));
                    let most = grid.fold(0.0, f64::max);
                    let bound = largest_gap(&arm, rival, ahead);
                    // Neither term is steeper than 1/4, and the maximum lies within half a step of the grid.
                    let missed = (upper - lower) / 4000.0 / 8.0 + 1e-12;
                    assert!(bound >= most && bound <= most + missed, "{lower} {upper} {rival} {ahead}: {bound} {most}");
                }
            }
        }
    }

    #[test]
    fn gaps_without_bounds_are_those_of_probabilities() {
        let anything = Interval::new(f64::NEG_INFINITY, f64::INFINITY);
        assert!((largest_gap(&anything, f64::INFINITY, f64::INFINITY) - 1.0).abs() < 1e-12);
        assert!((largest_gap(&anything, f64::INFINITY, 2.0) - f64::tanh(0.5)).abs() < 1e-12);
        assert!(largest_gap(&Interval::new(0.0, 1.0), 2.0, -0.1) == 0.0);
    }
}
