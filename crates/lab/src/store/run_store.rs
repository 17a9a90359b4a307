//! What keeps finished runs.

use std::path::Path;

use super::counted::Counted;
use super::outcome::Outcome;
use crate::build::Build;
use crate::error::Result;
use crate::experiment::Experiment;
use crate::simulation::Record;

/// The fingerprint of what an experiment asks for, and the number of a run.
pub type RunKey = (String, usize);

/// Keeps finished runs, from several threads at once. A run is known by the fingerprint of what the experiment asks for, its
/// number, and the build that made it.
pub trait RunStore: Sync {
    /// Whether this build has finished a run.
    fn has(&self, fingerprint: &str, run: usize, build: &Build) -> bool;

    /// All builds that have finished runs here, the latest first.
    fn builds(&self) -> Vec<Build>;

    /// Keeps a finished run of this build. Of several records of one run and build the first counts.
    ///
    /// # Errors
    /// If it cannot be kept; what was kept before is not lost.
    fn keep(&self, fingerprint: &str, run: usize, build: &Build, record: Record) -> Result<()>;

    /// Forgets runs of a build.
    ///
    /// # Errors
    /// If that cannot be written down; then nothing is forgotten.
    fn withdraw(&self, build: &Build, runs: &[RunKey]) -> Result<()>;

    /// From now on only the runs of these builds are part of an outcome.
    ///
    /// # Errors
    /// If that cannot be written down.
    fn count(&self, counted: Counted) -> Result<()>;

    /// All finished runs of an experiment that count, those of earlier sessions included.
    ///
    /// # Errors
    /// If they are not safe where they are kept.
    fn outcome(&self, experiment: &Experiment) -> Result<Outcome>;

    /// The directory in which more may be written than the runs, if there is one.
    fn directory(&self) -> Option<&Path> {
        None
    }
}
