//! What keeps finished runs.

use std::path::Path;

use super::outcome::Outcome;
use crate::error::Result;
use crate::experiment::Experiment;
use crate::simulation::Record;

/// Keeps finished runs, from several threads at once. A run is known by the fingerprint of what decides it and its number.
pub trait RunStore: Sync {
    /// Whether a run is finished.
    fn has(&self, fingerprint: &str, run: usize) -> bool;

    /// Keeps a finished run. Of several records of one run the first counts.
    ///
    /// # Errors
    /// If it cannot be kept; what was kept before is not lost.
    fn keep(&self, fingerprint: &str, run: usize, record: Record) -> Result<()>;

    /// All finished runs of an experiment, those of earlier sessions included.
    ///
    /// # Errors
    /// If they are not safe where they are kept.
    fn outcome(&self, experiment: &Experiment) -> Result<Outcome>;

    /// The directory in which more may be written than the runs, if there is one.
    fn directory(&self) -> Option<&Path> {
        None
    }
}
