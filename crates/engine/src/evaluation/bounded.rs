//! The mean of rewards in `[0, 1]`, with an interval that holds at all times at once.

use serde::{Deserialize, Serialize};

use super::error::{EvaluationError, level, probability};
use super::estimate::Interval;
use super::wealth::{Wealth, lower_total};

/// A confidence sequence for the mean of rewards in `[0, 1]`.
///
/// # What is guaranteed
///
/// Let `v_i` be the expected reward of row `i` given the past. With probability at least `1 - delta`, for all `t` at once,
/// `(1/t) sum_{i <= t} v_i` lies in the interval after `t` rows. Nothing is assumed but rewards in `[0, 1]`: rows may depend
/// on each other and drift. Where all `v_i` are one number, the interval is one for that number. Intervals of different
/// times must not be intersected unless that is known: the running mean moves.
///
/// # Why
///
/// Let `x_i` be at least `f_i`, with conditional mean `v_i`; let the floor `f_i` and a centre `c_i` be known before the row;
/// and let `lambda > 0` satisfy `lambda (c_i - f_i) < 1`. Then
///
/// ```text
/// E[ (1 + lambda (x_i - c_i)) exp(-lambda (v_i - c_i)) | past ] = (1 + lambda (v_i - c_i)) exp(-lambda (v_i - c_i)) <= 1
/// ```
///
/// because `1 + y <= exp(y)`, and the variable under the expectation is positive. Products of such factors,
///
/// ```text
/// W_t(lambda) = exp( sum_i [ln(1 + lambda (x_i - c_i)) + lambda c_i] - lambda sum_i v_i ),
/// ```
///
/// are supermartingales that start at one, and so is their average over a fixed list of `lambda`. By Ville's inequality
/// (1939) the average ever reaches `1/delta` with probability at most `delta`. It falls in `sum_i v_i`, so all sums below
/// the one where it equals `1/delta` are excluded: a lower bound at all times at once. For the upper bound the same is done
/// with `1 - r`; each side gets `delta / 2`.
///
/// This is the betting of Waudby-Smith and Ramdas (2024, "Estimating means of bounded random variables by betting") with one
/// difference: they bet against a single mean `m` with factors `1 + lambda (x_i - m)`, which says nothing about a mean that
/// moves and needs a grid over `m`. Centring at `c_i`, and paying `exp(-lambda (v_i - c_i))` for it, makes the wealth depend
/// on the means through their sum only. It costs about `lambda^2 (v_i - c_i)^2 / 2` per row, which vanishes as `c_i`, the
/// mean of the past, finds `v_i`. The empirical Bernstein sequences (Howard, Ramdas, McAuliffe and Sekhon 2021, Theorem 4;
/// Waudby-Smith, Wu, Ramdas, Karampatziakis and Mineiro 2022) follow from the same display by one more inequality (Fan,
/// Grama and Liu 2015: `ln(1 + y) >= y + y^2 (y_0 + ln(1 - y_0)) / y_0^2` for `y >= -y_0`), which is crude for rare large
/// `x_i`; it is not used here. No upper bound on `x_i` is needed, which is what weighted rewards want.
///
/// A bold bet, for which `lambda (c_i - f_i)` would exceed 15/16, uses the smaller centre at which it does not.
///
/// ```
/// use optimist_engine::evaluation::BoundedMean;
///
/// let mut mean = BoundedMean::new();
/// for i in 0..1000 {
///     mean.push(if i % 4 == 0 { 1.0 } else { 0.0 })?;
/// }
/// let interval = mean.interval(0.05)?;
/// assert!(interval.contains(0.25) && interval.width() < 0.11);
/// # Ok::<(), optimist_engine::evaluation::EvaluationError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundedMean {
    sides: Sides,
}

impl BoundedMean {
    /// No rows yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next reward.
    pub fn push(&mut self, reward: f64) -> Result<(), EvaluationError> {
        let reward = probability("reward", reward)?;
        self.sides.push(reward, 1.0 - reward, 0.0, 1.0);
        Ok(())
    }

    /// How many rewards were taken.
    pub fn rows(&self) -> u64 {
        self.sides.rows()
    }

    /// The interval at `1 - delta`; `[0, 1]` without rows. One state serves every `delta`.
    pub fn interval(&self, delta: f64) -> Result<Interval, EvaluationError> {
        Ok(unit_interval(&[&self.sides], level(delta)?))
    }
}

/// Bets that the mean is larger, and bets that it is smaller, than it is said to be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sides {
    below: Wealth,
    above: Wealth,
}

impl Sides {
    pub(super) fn rows(&self) -> u64 {
        self.below.rows()
    }

    /// Takes `x` with conditional mean `v` in `[0, span]` (or less), and `mirrored` with `span - v` (or less); both are at
    /// least `floor`.
    pub(super) fn push(&mut self, x: f64, mirrored: f64, floor: f64, span: f64) {
        self.push_floors(x, mirrored, (floor, floor), span);
    }

    /// The same with a floor for each side.
    pub(super) fn push_floors(&mut self, x: f64, mirrored: f64, floors: (f64, f64), span: f64) {
        self.below.push(x, floors.0, (0.0, span));
        self.above.push(mirrored, floors.1, (0.0, span));
    }
}

/// The interval for a mean in `[0, 1]`.
pub(super) fn unit_interval(ways: &[&Sides], delta: f64) -> Interval {
    span_interval(ways, 1.0, delta)
}

/// The interval for a mean in `[0, span]` that several ways of betting agree on.
pub(super) fn span_interval(ways: &[&Sides], span: f64, delta: f64) -> Interval {
    let rows = ways.first().map_or(0, |way| way.rows());
    if rows == 0 {
        return Interval { lower: 0.0, upper: span };
    }
    let n = rows as f64;
    let below: Vec<&Wealth> = ways.iter().map(|way| &way.below).collect();
    let above: Vec<&Wealth> = ways.iter().map(|way| &way.above).collect();
    let lower = lower_total(&below, 0.5 * delta) / n;
    let upper = span - lower_total(&above, 0.5 * delta) / n;
    // A mean outside [0, span] is impossible; an end outside says no more than the end of the span.
    Interval { lower: lower.clamp(0.0, span), upper: upper.clamp(0.0, span) }
}
