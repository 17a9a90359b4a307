//! Which of two policies would have earned more, from the same rows.

use serde::{Deserialize, Serialize};

use super::bounded::{Sides, span_interval};
use super::error::{EvaluationError, in_range, level, probability};
use super::estimate::{Estimate, Interval};
use super::moments::Moments;
use super::row::{weight, weight_limit};
use super::sum::Sum;
use super::support::{REFUSAL_LEVEL, Support, SupportMonitor, SupportOptions, Verdict};

/// One logged decision, seen by two target policies. To compare two actions, let each target give all its probability to
/// one of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DifferenceRow {
    /// The probability with which the logged action was drawn. A log without propensities is refused.
    pub propensity: Option<f64>,
    /// The probability that the first target gives to the logged action.
    pub first: f64,
    /// The probability that the second target gives to it.
    pub second: f64,
    /// The reward, in `[0, 1]`.
    pub reward: f64,
    /// `sum_a min(q_1(a), q_2(a))` over the actions that could have been logged, where the caller knows both distributions:
    /// one where the targets agree, zero where they choose different actions. It removes the noise of rows about which they
    /// agree.
    pub overlap: Option<f64>,
    /// The probabilities that the first and the second target give to actions that could not have been logged.
    pub unsupported: [f64; 2],
}

impl DifferenceRow {
    /// A row of which no more is known.
    pub fn new(propensity: f64, first: f64, second: f64, reward: f64) -> Self {
        Self { propensity: Some(propensity), first, second, reward, overlap: None, unsupported: [0.0; 2] }
    }

    /// The same row with `sum_a min(q_1(a), q_2(a))`.
    pub fn with_overlap(mut self, overlap: f64) -> Self {
        self.overlap = Some(overlap);
        self
    }
}

/// The difference between the values of two target policies, first minus second.
///
/// The estimate is `mean((w_1 - w_2) r)`, with its normal interval. The always-valid one rests on variables with a floor:
///
/// - `w_1 r + w_2 (1 - r)` is at least zero and has mean `1 + v_1 - v_2`, because `w_2` has mean one. With the targets
///   exchanged it gives the upper end. No bound on weights is needed.
/// - Where `overlap = sum_a min(q_1, q_2)` is known it can be improved: `min(w_1, w_2)` has that mean, and
///   `(w_1 - min) r + (w_2 - min) (1 - r) + overlap` is still at least zero, with the same mean.
/// - With a promised limit `B` on weights, `1 + (w_1 - w_2) (r - c)`, `c` the mean of the rewards before, is at least
///   `-B max(c, 1 - c)`, has the same mean and varies less where rewards are rare. It is mixed with the first.
///
/// Each is fed to the one-sided sequence of [`BoundedMean`](super::BoundedMean), and what is guaranteed is the same: at all
/// times at once, for the difference of the running means. Where a target has mass `u_1` or `u_2` on actions that could not
/// have been logged, all three are (or are made to be) at most `1 + v_1 - v_2` in the mean, so the ends stay valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    weight_limit: Option<f64>,
    options: SupportOptions,
    support: [SupportMonitor; 2],
    differences: Moments,
    rewards: Sum,
    plain: Sides,
    centred: Sides,
}

/// What a log says about the difference between two target policies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DifferenceReport {
    /// Whether the log can answer for the first, and for the second.
    pub support: [Support; 2],
    /// First minus second; none where either is refused. Its effective rows are the smaller of the two.
    pub estimate: Option<Estimate>,
}

impl Difference {
    /// No rows yet. `weight_limit` is the largest weight that any action in any row can have under either target, if that
    /// can be promised.
    pub fn new(weight_limit: Option<f64>, options: SupportOptions) -> Result<Self, EvaluationError> {
        options.validate()?;
        Ok(Self {
            weight_limit: self::weight_limit(weight_limit)?,
            options,
            support: Default::default(),
            differences: Moments::default(),
            rewards: Sum::default(),
            plain: Sides::default(),
            centred: Sides::default(),
        })
    }

    /// Takes a row. A row that is refused changes nothing.
    pub fn push(&mut self, row: &DifferenceRow) -> Result<(), EvaluationError> {
        let first = weight(row.propensity, "first", row.first, self.weight_limit)?;
        let second = weight(row.propensity, "second", row.second, self.weight_limit)?;
        let r = probability("reward", row.reward)?;
        let u1 = probability("unsupported[0]", row.unsupported[0])?;
        let u2 = probability("unsupported[1]", row.unsupported[1])?;
        let overlap = row.overlap.map(|overlap| {
            let most = 1.0 - u1.max(u2) + 1e-9;
            let allowed = "from 0 to 1, and at most what either target gives to actions that could have been logged";
            in_range("overlap", overlap, (0.0..=1.0).contains(&overlap) && overlap <= most, allowed)
        });
        let overlap = overlap.transpose()?;

        let (shared, constant) = overlap.map_or((0.0, 0.0), |overlap| (first.min(second), overlap));
        let (a, b) = (first - shared, second - shared);
        self.plain.push(a * r + b * (1.0 - r) + constant, b * r + a * (1.0 - r) + constant, 0.0, 2.0);

        if let Some(limit) = self.weight_limit {
            let c = (0.5 + self.rewards.value()) / (1.0 + self.differences.count() as f64);
            let signal = (first - second) * (r - c);
            let known = 1.0 - c * u1 - (1.0 - c) * u2;
            let mirrored = 1.0 - c * u2 - (1.0 - c) * u1;
            // Both are at least zero whatever the masses, so the floor does without them.
            self.centred.push(known + signal, mirrored - signal, -limit * c.max(1.0 - c), 2.0);
        }
        self.support[0].push(first, u1, self.weight_limit);
        self.support[1].push(second, u2, self.weight_limit);
        self.differences.push((first - second) * r);
        self.rewards.add(r);
        Ok(())
    }

    /// What is known so far, with every interval at `1 - delta`.
    pub fn report(&self, delta: f64) -> Result<DifferenceReport, EvaluationError> {
        let delta = level(delta)?;
        let always_valid = self.interval_checked(delta);
        let strict = self.interval_checked(REFUSAL_LEVEL);
        let support = self.support.each_ref().map(|monitor| {
            let mut support = monitor.report(self.weight_limit, &self.options, None);
            support.object_to_contradiction(strict);
            support
        });
        let refused = support.iter().any(|support| support.verdict == Verdict::Refused);
        let effective = support[0].effective_rows.min(support[1].effective_rows);
        let estimate = (!refused).then(|| {
            let error = self.differences.standard_error();
            Estimate::new(self.differences.mean(), error, effective, delta, Ok(always_valid))
        });
        Ok(DifferenceReport { support, estimate })
    }
    /// The always-valid interval for first minus second at `1 - delta`; `[-1, 1]` without rows. It holds whatever actions
    /// earn that could not have been logged, if the targets' masses on them were handed over, so it can be asked for where
    /// [`report`](Self::report) withholds its estimate for that reason.
    pub fn interval(&self, delta: f64) -> Result<Interval, EvaluationError> {
        Ok(self.interval_checked(level(delta)?))
    }

    fn interval_checked(&self, delta: f64) -> Interval {
        let shifted = match self.weight_limit {
            Some(_) => span_interval(&[&self.plain, &self.centred], 2.0, delta),
            None => span_interval(&[&self.plain], 2.0, delta),
        };
        Interval { lower: shifted.lower - 1.0, upper: shifted.upper - 1.0 }
    }
}
