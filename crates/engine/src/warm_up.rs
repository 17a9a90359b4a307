//! The warm-up: contexts are kept as they came until there are enough to say what is usual.
//!
//! After 8 contexts, and whenever their number has doubled, moments are found anew, and a model with these learns all that was
//! learnt so far. So decisions are sensible early, and the total cost is that of learning everything twice. At the end the
//! moments are frozen, and contexts are forgotten.

use serde::{Deserialize, Serialize};

use crate::value::Features;

/// Contexts before which actions are drawn at random.
const FIRST: usize = 8;

/// What is kept until the moments are frozen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WarmUp {
    pub(crate) seen: Vec<Features>,
    /// Number of a context, action, reward: in the order in which they were learnt.
    pub(crate) learnt: Vec<(u32, u32, f64)>,
}

impl WarmUp {
    /// Whether moments are to be found now.
    pub(crate) fn is_due(&self, all: usize) -> bool {
        let count = self.seen.len();
        count == all || (count >= FIRST && count.is_power_of_two())
    }

    pub(crate) fn is_sound(&self, actions: usize) -> bool {
        let fits = |(context, action, reward): &(u32, u32, f64)| {
            (*context as usize) < self.seen.len() && (*action as usize) < actions && (0.0..=1.0).contains(reward)
        };
        self.learnt.iter().all(fits)
    }
}
