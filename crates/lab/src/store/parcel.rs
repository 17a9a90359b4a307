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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Place, RunOptions, Work, play_runs, run};
    use crate::store::Memory;

    const FILE: &str = "name = \"parcel\"\nruns = 2\nhorizon = 30\n[environment]\ndimension = 2\nkappa = [10, 30]\n\
                        arms = { kind = \"ball-sample\", count = 4 }\n[[policy]]\nname = \"greedy\"\n\
                        [[policy]]\nname = \"uniform\"\n";

    fn experiment() -> Experiment {
        crate::experiment::read(FILE, std::path::Path::new(".")).unwrap()
    }

    fn is_same(a: &Outcome, b: &Outcome) -> bool {
        let runs = |outcome: &Outcome| -> Vec<_> { outcome.policies().flat_map(|p| p.runs.clone()).collect() };
        runs(a).len() == runs(b).len() && runs(a).iter().zip(&runs(b)).all(|(a, b)| a.1.is_same_outcome(&b.1))
    }

    #[test]
    fn runs_that_are_played_elsewhere_are_the_same() {
        let (experiment, build) = (experiment(), Build::identified_by("a"));
        let options = RunOptions { build: Some(build.clone()), ..RunOptions::default() };
        let here = run(&experiment, &options, &Memory::default(), &()).unwrap();
        let (work, store) = (Work::new(&experiment, &options).unwrap(), Memory::default());
        let remaining = work.remaining(&store).unwrap();
        remaining.begin().unwrap();
        let places = remaining.places();
        assert_eq!((places.len(), places[3]), (8, Place { environment: 1, policy: 1, run: 0 }));
        for part in places.chunks(3).rev() {
            let parcel = play_runs(&experiment, part, &build, &()).unwrap();
            assert_eq!(unpack(&parcel, &experiment, Some(&build), &store).unwrap(), part.len());
        }
        assert!(is_same(&store.outcome(&experiment).unwrap(), &here));
        assert!(work.remaining(&store).unwrap().places().is_empty());
        let copy = Memory::default();
        assert_eq!(unpack(&pack(&here).unwrap(), &experiment, None, &copy).unwrap(), 8);
        assert!(is_same(&copy.outcome(&experiment).unwrap(), &here));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (experiment, build) = (experiment(), Build::identified_by("a"));
        let place = Place { environment: 0, policy: 0, run: 1 };
        let parcel = play_runs(&experiment, &[place], &build, &()).unwrap();
        let refused = |bytes: &[u8], experiment: &Experiment, made_by: &Build| {
            let store = Memory::default();
            let text = unpack(bytes, experiment, Some(made_by), &store).unwrap_err().to_string();
            assert_eq!(store.builds(), [], "nothing is kept");
            text
        };
        assert!(refused(&parcel[1..], &experiment, &build).contains("damaged"));
        let other = Build::identified_by("b");
        assert!(refused(&parcel, &experiment, &other).contains("install the same one everywhere"));
        assert!(refused(&parcel, &Experiment { runs: 1, ..experiment.clone() }, &build).contains("another experiment"));
        assert!(refused(&parcel, &Experiment { seed: 9, ..experiment.clone() }, &build).contains("another experiment"));
        let nowhere = Place { policy: 7, ..place };
        assert!(play_runs(&experiment, &[nowhere], &build, &()).unwrap_err().to_string().contains("is no run"));
    }
}
