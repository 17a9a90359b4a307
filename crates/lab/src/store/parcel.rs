//! Finished runs as bytes, to be sent from one process to another: lines as `runs.log` has them.

use std::collections::HashSet;

use super::fingerprint::fingerprint;
use super::outcome::Outcome;
use super::run_log::{line_of, parse};
use super::run_store::RunStore;
use crate::build::Build;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::simulation::Record;

/// The finished runs of an outcome as bytes.
///
/// # Errors
/// If a figure cannot be written as JSON, which would be a bug.
pub fn pack(outcome: &Outcome) -> Result<Vec<u8>> {
    let mut parcel = Vec::new();
    for environment_runs in &outcome.environments {
        for policy_runs in &environment_runs.policies {
            let print = fingerprint(&outcome.experiment, &environment_runs.environment, &policy_runs.spec);
            for (run, record) in &policy_runs.runs {
                add_to_parcel(&mut parcel, &print, *run, record)?;
            }
        }
    }
    Ok(parcel)
}

/// Adds a run to a parcel.
pub(crate) fn add_to_parcel(parcel: &mut Vec<u8>, fingerprint: &str, run: usize, record: &Record) -> Result<()> {
    let line = line_of(fingerprint, run, record).map_err(|e| Error::input(e.to_string()))?;
    parcel.extend(line.as_bytes());
    Ok(())
}

/// Puts the runs of a parcel into a store, and says how many there were. If `made_by` is given, all must be of that build.
///
/// # Errors
/// If a line is damaged, a run is none of the experiment or of another build, or one cannot be kept. Then nothing is kept, but
/// in the last case, where the runs before it are.
pub fn unpack(bytes: &[u8], experiment: &Experiment, made_by: Option<&Build>, store: &dyn RunStore) -> Result<usize> {
    let of = |environment| experiment.policies.iter().map(move |spec| fingerprint(experiment, environment, spec));
    let known: HashSet<String> = experiment.environments.iter().flat_map(of).collect();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut runs = Vec::new();
    for line in lines {
        let line = parse(line).ok_or_else(|| Error::input("the runs are damaged: they are not what was packed"))?;
        if !known.contains(&line.fingerprint) || line.run >= experiment.runs {
            return Err(Error::input("the runs are of another experiment"));
        }
        let build = line.record.build.clone().ok_or_else(|| Error::input("a run does not say which build made it"))?;
        if let Some(expected) = made_by.filter(|expected| **expected != build) {
            return Err(Error::input(format!(
                "runs were made by the build {build}, and this is {expected}: install the same one everywhere"
            )));
        }
        runs.push((line, build));
    }
    let count = runs.len();
    for (line, build) in runs {
        if !store.has(&line.fingerprint, line.run, &build) {
            store.keep(&line.fingerprint, line.run, &build, line.record)?;
        }
    }
    Ok(count)
}
