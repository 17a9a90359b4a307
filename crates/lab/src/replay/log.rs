//! A log: contexts, what was done, what came of it, and with which probability it was chosen.

use optimist_engine::{Logged, Request};

use super::contexts::Contexts;

/// Decisions that somebody else has made.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// What was known at each decision.
    pub contexts: Contexts,
    /// The decisions, in the order in which they were made.
    pub decisions: Vec<LoggedDecision>,
    /// The names of the actions.
    pub actions: Vec<String>,
}

/// One decision of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedDecision {
    /// The action that was taken, by number.
    pub action: u32,
    /// The probability with which it was taken, if it is known.
    pub propensity: Option<f64>,
    /// What came of it, from 0 to 1.
    pub reward: f64,
    /// The actions that were offered, by number, and the probability of each if these are known; none if all were.
    pub offered: Option<(Vec<u32>, Vec<f64>)>,
}

impl Log {
    /// The question about a row.
    pub(super) fn request(&self, row: usize) -> Request {
        let request = Request::new(row.to_string(), self.contexts.get(row));
        match &self.decisions[row].offered {
            Some((offered, _)) => request.among(offered.iter().map(|action| self.name(*action))),
            None => request,
        }
    }

    /// The row as an apprentice sees it.
    pub(super) fn logged(&self, row: usize) -> Logged {
        let LoggedDecision { action, propensity, reward, offered } = &self.decisions[row];
        let name = |action: &u32| self.name(*action).to_owned();
        let (actions, probabilities) = match offered {
            Some((actions, probabilities)) => {
                let actions: Vec<String> = actions.iter().map(name).collect();
                (Some(actions.clone()), actions.into_iter().zip(probabilities.iter().copied()).collect())
            }
            None => (None, Vec::new()),
        };
        let (context, action) = (self.contexts.get(row), name(action));
        Logged { context, actions, action, probability: *propensity, probabilities, reward: *reward }
    }

    pub(super) fn name(&self, action: u32) -> &str {
        &self.actions[action as usize]
    }
}
