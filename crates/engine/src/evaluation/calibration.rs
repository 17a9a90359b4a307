//! Whether predicted probabilities come true.

use serde::{Deserialize, Serialize};

use super::elementary::{ln, ln_1p};
use super::error::{EvaluationError, probability};
use super::moments::Moments;
use super::sum::Sum;

/// The most bins that are kept.
const MOST_BINS: usize = 10_000;

/// Predictions closer to zero or one than this count as this far away in the log loss, which would be infinite otherwise.
const CLOSEST: f64 = 1e-15;

/// Predicted probabilities against what happened, in one pass.
///
/// Predictions must have been made before the outcome was learnt; otherwise the figures measure memory. Outcomes are usually
/// zero or one; any number in `[0, 1]` is taken, and every figure below is meant for it as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    bins: Vec<Tally>,
    outcomes: Moments,
    squared: Sum,
    log_loss: Sum,
    surprises: u64,
}

/// What one bin remembers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Tally {
    count: u64,
    predicted: Sum,
    observed: Sum,
}

/// Rows whose prediction lay between two bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// The smallest prediction of the bin.
    pub from: f64,
    /// The bound below which predictions stay; the last bin includes it.
    pub to: f64,
    /// How many rows.
    pub rows: u64,
    /// The mean prediction; none without rows.
    pub mean_prediction: Option<f64>,
    /// The share of outcomes that were yes; none without rows.
    pub observed_rate: Option<f64>,
}

/// How good predictions were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationReport {
    /// How many rows.
    pub rows: u64,
    /// The share of outcomes that were yes.
    pub observed_rate: f64,
    /// The mean of `-y ln p - (1 - y) ln(1 - p)`, in nats.
    pub log_loss: f64,
    /// The mean of `(p - y)^2` (Brier 1950).
    pub brier: f64,
    /// `sum_bins (rows in bin / rows) |mean prediction - observed rate|`. It is zero for a perfect model only in the limit:
    /// with few rows per bin chance alone makes it positive, and with few bins errors inside one cancel.
    pub expected_calibration_error: f64,
    /// `1 - log_loss / log loss of the constant observed rate`: one is perfect, zero no better than the constant, which knows
    /// the rate in hindsight. None where all outcomes are alike, because the constant is perfect then.
    pub log_skill: Option<f64>,
    /// The same for the Brier score.
    pub brier_skill: Option<f64>,
    /// How many predictions of zero or one (to within 1e-15) were wrong. Their log loss would be infinite and is counted as
    /// that of 1e-15.
    pub certain_and_wrong: u64,
    /// The bins, by prediction.
    pub bins: Vec<Bin>,
}

impl Default for Calibration {
    /// Ten bins.
    fn default() -> Self {
        Self::with_bins(10)
    }
}

impl Calibration {
    /// No rows yet; predictions fall into `bins` bins of equal width.
    pub fn new(bins: usize) -> Result<Self, EvaluationError> {
        if !(1..=MOST_BINS).contains(&bins) {
            return Err(EvaluationError::Index { field: "bins", value: bins, least: 1, most: MOST_BINS });
        }
        Ok(Self::with_bins(bins))
    }

    fn with_bins(bins: usize) -> Self {
        Self {
            bins: vec![Tally::default(); bins],
            outcomes: Moments::default(),
            squared: Sum::default(),
            log_loss: Sum::default(),
            surprises: 0,
        }
    }

    /// Takes a prediction and its outcome.
    pub fn push(&mut self, prediction: f64, outcome: f64) -> Result<(), EvaluationError> {
        let p = probability("prediction", prediction)?;
        let y = probability("outcome", outcome)?;

        let bins = self.bins.len();
        // The conversion rounds down; a prediction of one belongs to the last bin.
        let index = ((p * bins as f64) as usize).min(bins.saturating_sub(1));
        if let Some(bin) = self.bins.get_mut(index) {
            bin.count += 1;
            bin.predicted.add(p);
            bin.observed.add(y);
        }
        if (p < CLOSEST && y > 0.0) || (p > 1.0 - CLOSEST && y < 1.0) {
            self.surprises += 1;
        }
        // A product of zero with a logarithm is left out, so that being right for certain costs nothing.
        let yes = if y > 0.0 { -y * ln(p.max(CLOSEST)) } else { 0.0 };
        let no = if y < 1.0 { -(1.0 - y) * ln_1p(-p.min(1.0 - CLOSEST)) } else { 0.0 };
        self.log_loss.add(yes + no);
        self.squared.add((p - y) * (p - y));
        self.outcomes.push(y);
        Ok(())
    }

    /// What is known so far; none without rows.
    pub fn report(&self) -> Option<CalibrationReport> {
        let rows = self.outcomes.count();
        if rows == 0 {
            return None;
        }
        let n = rows as f64;
        let rate = self.outcomes.mean();
        let (log_loss, brier) = (self.log_loss.value() / n, self.squared.value() / n);
        let width = 1.0 / self.bins.len() as f64;
        let bins: Vec<Bin> = self
            .bins
            .iter()
            .enumerate()
            .map(|(i, bin)| Bin {
                from: i as f64 * width,
                to: (i + 1) as f64 * width,
                rows: bin.count,
                mean_prediction: (bin.count > 0).then(|| bin.predicted.value() / bin.count as f64),
                observed_rate: (bin.count > 0).then(|| bin.observed.value() / bin.count as f64),
            })
            .collect();
        let gaps = self.bins.iter().map(|bin| (bin.predicted.value() - bin.observed.value()).abs()).sum::<f64>();
        let entropy = if rate > 0.0 && rate < 1.0 { -rate * ln(rate) - (1.0 - rate) * ln_1p(-rate) } else { 0.0 };
        let spread = self.outcomes.spread();
        let skill = |score: f64, constant: f64| (constant > 0.0).then(|| 1.0 - score / constant);
        Some(CalibrationReport {
            rows,
            observed_rate: rate,
            log_loss,
            brier,
            expected_calibration_error: gaps / n,
            log_skill: skill(log_loss, entropy),
            brier_skill: skill(brier, spread),
            certain_and_wrong: self.surprises,
            bins,
        })
    }
}
