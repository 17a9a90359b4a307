//! Finished runs that are gone with the process.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::counted::Counted;
use super::outcome::Outcome;
use super::run_store::{RunKey, RunStore};
use super::runs::Runs;
use crate::build::Build;
use crate::error::Result;
use crate::experiment::Experiment;
use crate::simulation::Record;

/// Keeps runs in memory, for programs that want an outcome and no files.
#[derive(Debug, Default)]
pub struct Memory {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    runs: Runs,
    counted: Counted,
}

impl Memory {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunStore for Memory {
    fn has(&self, fingerprint: &str, run: usize, build: &Build) -> bool {
        self.kept().runs.has(fingerprint, run, build)
    }

    fn builds(&self) -> Vec<Build> {
        self.kept().runs.builds()
    }

    fn keep(&self, fingerprint: &str, run: usize, build: &Build, record: Record) -> Result<()> {
        self.kept().runs.insert(fingerprint, run, build, record.made_by(build));
        Ok(())
    }

    fn withdraw(&self, build: &Build, runs: &[RunKey]) -> Result<()> {
        self.kept().runs.withdraw(build, runs);
        Ok(())
    }

    fn count(&self, counted: Counted) -> Result<()> {
        self.kept().counted = counted;
        Ok(())
    }

    fn outcome(&self, experiment: &Experiment) -> Result<Outcome> {
        let kept = self.kept();
        Ok(kept.runs.outcome(experiment, &kept.counted))
    }
}
