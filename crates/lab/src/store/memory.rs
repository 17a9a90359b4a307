//! Finished runs that are gone with the process.

use std::sync::{Mutex, PoisonError};

use super::outcome::Outcome;
use super::run_store::RunStore;
use super::runs::Runs;
use crate::error::Result;
use crate::experiment::Experiment;
use crate::simulation::Record;

/// Keeps runs in memory, for programs that want an outcome and no files.
#[derive(Debug, Default)]
pub struct Memory {
    runs: Mutex<Runs>,
}

impl RunStore for Memory {
    fn has(&self, fingerprint: &str, run: usize) -> bool {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).has(fingerprint, run)
    }

    fn keep(&self, fingerprint: &str, run: usize, record: Record) -> Result<()> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).insert(fingerprint, run, record);
        Ok(())
    }

    fn outcome(&self, experiment: &Experiment) -> Result<Outcome> {
        Ok(self.runs.lock().unwrap_or_else(PoisonError::into_inner).outcome(experiment))
    }
}
