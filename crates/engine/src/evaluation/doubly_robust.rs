//! Doubly robust estimates: a model's prediction, corrected by weighted residuals.

use serde::{Deserialize, Serialize};

use super::bounded::{Sides, unit_interval};
use super::estimate::{Estimate, Gap};
use super::moments::Moments;
use super::row::Predictions;

/// `x = m_target + w (r - m_logged)` (Dudik, Langford and Li 2011).
///
/// Given the past and the context, `E[w m_logged] = sum_a q(a) m(a) = m_target` whatever the predictions, if they were made
/// before the reward was learnt; so `x` has the target's value as its mean, and little variance where predictions are good.
///
/// An always-valid interval needs a floor under `x` that is known before the row: predictions lie in `[0, 1]`, so
/// `x >= -weight_limit`, and the mirrored `1 - m_target + w (m_logged - r)` likewise. Without a limit there is no floor, and
/// no interval. (Waudby-Smith et al. 2022 cut predictions at `k / w` instead, which takes the probabilities of
/// all actions; a caller who has them can cut the predictions and hand over those.)
///
/// Where the target gives mass `u` to actions that could not have been logged, predictions of these enter uncorrected. The
/// bets then replace `m_target` by `max(m_target - u, 0)`, which is at most the predicted reward on the logged side, and
/// `1 - m_target` by `max(1 - m_target - u, 0)`: both understate their means, so both ends stay valid.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct DoublyRobust {
    values: Moments,
    sides: Sides,
    without_predictions: u64,
}

impl DoublyRobust {
    pub(super) fn push(
        &mut self,
        w: f64,
        r: f64,
        predictions: Option<Predictions>,
        unsupported: f64,
        limit: Option<f64>,
    ) {
        let Some(Predictions { logged, target }) = predictions else {
            self.without_predictions += 1;
            return;
        };
        let correction = w * (r - logged);
        self.values.push(target + correction);
        if let Some(limit) = limit {
            let (below, above) = ((target - unsupported).max(0.0), (1.0 - target - unsupported).max(0.0));
            self.sides.push(below + correction, above - correction, -limit, 1.0);
        }
    }

    pub(super) fn estimate(&self, limit: Option<f64>, effective_rows: f64, delta: f64) -> Result<Estimate, Gap> {
        if self.without_predictions > 0 {
            return Err(Gap::NoPredictions { rows: self.without_predictions });
        }
        if self.values.count() == 0 {
            return Err(Gap::NoRows);
        }
        let always_valid = match limit {
            Some(_) => Ok(unit_interval(&[&self.sides], delta)),
            None => Err(Gap::NoWeightLimit),
        };
        Ok(Estimate::new(self.values.mean(), self.values.standard_error(), effective_rows, delta, always_valid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The target gives 0.3 to an action that is never logged and of which the model is sure, rightly or wrongly. The other
    /// always pays 0.5: the value is 0.35 or 0.65, and both must stay inside.
    #[test]
    fn predictions_without_support_are_not_believed() {
        for predicted in [0.0, 1.0] {
            let mut robust = DoublyRobust::default();
            let target = 0.7 * 0.4 + 0.3 * predicted;
            for _ in 0..20_000 {
                robust.push(0.7, 0.5, Some(Predictions { logged: 0.4, target }), 0.3, Some(1.0));
            }
            let interval = robust.estimate(Some(1.0), 20_000.0, 0.05).unwrap().always_valid.unwrap();
            assert!(interval.contains(0.35) && interval.contains(0.65), "{predicted}: {interval}");
        }
    }
}
