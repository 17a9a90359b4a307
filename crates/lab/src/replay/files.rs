//! Results as files: a JSON document and a table of learning curves.

use serde::Serialize;

use super::entry::Entry;
use crate::error::{Error, Result};

/// Results for programs.
#[derive(Debug, Clone, Serialize)]
pub struct Document<'a> {
    /// Rounds per order that were asked for.
    pub rounds: usize,
    /// One entry per candidate.
    pub entries: &'a [Entry],
}

impl Document<'_> {
    /// One JSON document, with a line end.
    ///
    /// # Errors
    /// Never in practice: all keys are texts.
    pub fn to_json(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::input(e.to_string()))?;
        Ok(text + "\n")
    }
}

/// Learning curves as a table: policy, model, order, round, mistakes, reward. Both sums are of all rounds so far.
///
/// # Errors
/// Never in practice: the table is written to memory.
pub fn results_csv(entries: &[Entry]) -> Result<Vec<u8>> {
    let failed = |e: &dyn std::fmt::Display| Error::input(e.to_string());
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["policy", "model", "order", "round", "mistakes", "reward"]).map_err(|e| failed(&e))?;
    for entry in entries {
        for (order, course) in entry.courses.iter().enumerate() {
            for point in &course.curve {
                let row = (&entry.policy, &entry.model, order + 1, point.round, point.mistakes, point.reward);
                table.serialize(row).map_err(|e| failed(&e))?;
            }
        }
    }
    table.into_inner().map_err(|e| failed(&e))
}
