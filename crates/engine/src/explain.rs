//! Why an action was chosen: what each named feature contributes, and how the rivals stood.

use std::sync::Arc;

use optimist::link;
use serde::Serialize;

use crate::decision::{Decision, Interval};
use crate::engine::Engine;
use crate::error::Result;

/// An event, explained.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// What was decided, with the figures of that moment.
    pub decision: Decision,
    /// How many rewards have been learnt by now; what follows is of this state, not of the one in which it was decided.
    pub version: u64,
    /// Estimated log-odds of the action in its context, as of now: the sum of the contributions.
    pub log_odds: f64,
    /// The estimated mean reward, as of now.
    pub estimate: f64,
    /// Bounds on the mean reward as of now, or why there are none.
    pub interval: Interval,
    /// What each feature adds to the log-odds, the largest first.
    pub contributions: Vec<Contribution>,
    /// The reward, if one came.
    pub reward: Option<f64>,
}

/// What a feature adds to the log-odds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contribution {
    /// Its name: a column, a level of one, or a product; "(own)" if it meets a parameter of the action's own.
    pub feature: Arc<str>,
    /// Its value as encoded.
    pub value: f64,
    /// Value times parameter.
    pub log_odds: f64,
}

impl Engine {
    /// Explains an event that is still known. Nothing is changed by this.
    ///
    /// # Errors
    /// If the event is unknown.
    pub fn explain(&self, event: &str) -> Result<Explanation> {
        let (_, event) = self.known(event)?;
        let decision = self.decision_of(event);
        let interval = self.interval_of(event);
        let (version, reward) = (self.version, event.reward);
        let Some(model) = &self.model else {
            let (log_odds, estimate, contributions) = (0.0, 0.5, Vec::new());
            return Ok(Explanation { decision, version, log_odds, estimate, interval, contributions, reward });
        };
        let row = event.row.fitted(&model.layout);
        let names = model.layout.names(&model.context, &self.actions.encoder);
        let mut contributions = Vec::new();
        let mut alone = vec![0.0; row.len()];
        for (i, name) in names.into_iter().enumerate().filter(|(i, _)| row[*i] != 0.0) {
            // Log-odds are linear in the row: what a feature adds is what a row with this feature alone would have.
            alone[i] = row[i];
            let log_odds = model.log_odds_now(event.action, &alone)?;
            alone[i] = 0.0;
            contributions.push(Contribution { feature: name.into(), value: row[i], log_odds });
        }
        contributions.sort_by(|a, b| b.log_odds.abs().total_cmp(&a.log_odds.abs()));
        let log_odds = model.log_odds_now(event.action, &row)?;
        let estimate = link::mean(log_odds);
        Ok(Explanation { decision, version, log_odds, estimate, interval, contributions, reward })
    }
}
