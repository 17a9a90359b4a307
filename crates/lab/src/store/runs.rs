//! Finished runs by what decides them.

use std::collections::{BTreeMap, HashMap};

use super::counted::Counted;
use super::fingerprint::fingerprint;
use super::outcome::{EnvironmentRuns, Outcome, PolicyRuns};
use super::run_store::RunKey;
use crate::build::Build;
use crate::experiment::{Environment, Experiment, PolicySpec};
use crate::simulation::Record;

/// Finished runs by fingerprint, number and build.
#[derive(Debug, Default)]
pub(super) struct Runs {
    runs: HashMap<String, BTreeMap<usize, HashMap<Build, Record>>>,
    /// All builds that have runs here, the latest last.
    builds: Vec<Build>,
}

impl Runs {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(super) fn has(&self, fingerprint: &str, run: usize, build: &Build) -> bool {
        let records = self.runs.get(fingerprint).and_then(|runs| runs.get(&run));
        records.is_some_and(|records| records.contains_key(build))
    }

    /// All builds that have runs here, the latest first.
    pub(super) fn builds(&self) -> Vec<Build> {
        self.builds.iter().rev().cloned().collect()
    }

    /// Of several records of one run and build the first counts.
    pub(super) fn insert(&mut self, fingerprint: &str, run: usize, build: &Build, record: Record) {
        if self.builds.last() != Some(build) {
            self.builds.retain(|other| other != build);
            self.builds.push(build.clone());
        }
        if !self.runs.contains_key(fingerprint) {
            self.runs.insert(fingerprint.to_owned(), BTreeMap::new());
        }
        if let Some(runs) = self.runs.get_mut(fingerprint) {
            runs.entry(run).or_default().entry(build.clone()).or_insert(record);
        }
    }

    pub(super) fn withdraw(&mut self, build: &Build, keys: &[RunKey]) {
        for (fingerprint, run) in keys {
            if let Some(records) = self.runs.get_mut(fingerprint).and_then(|runs| runs.get_mut(run)) {
                records.remove(build);
            }
        }
    }

    /// The runs of the experiment that count, in its order.
    pub(super) fn outcome(&self, experiment: &Experiment, counted: &Counted) -> Outcome {
        let latest = self.builds();
        let of = |environment: &Environment, spec: &PolicySpec| {
            let builds = counted.of(&spec.label).unwrap_or(&latest);
            PolicyRuns { spec: spec.clone(), runs: self.of(experiment, environment, spec, builds) }
        };
        let environment_runs = |environment: &Environment| EnvironmentRuns {
            environment: environment.clone(),
            policies: experiment.policies.iter().map(|spec| of(environment, spec)).collect(),
        };
        let environments = experiment.environments.iter().map(environment_runs).collect();
        Outcome { experiment: experiment.clone(), environments }
    }

    fn of(
        &self,
        experiment: &Experiment,
        environment: &Environment,
        spec: &PolicySpec,
        builds: &[Build],
    ) -> Vec<(usize, Record)> {
        let finished = self.runs.get(&fingerprint(experiment, environment, spec));
        let asked = finished.into_iter().flat_map(|runs| runs.range(..experiment.runs));
        asked
            .filter_map(|(run, records)| {
                let record = builds.iter().find_map(|build| records.get(build))?;
                Some((*run, record.clone()))
            })
            .collect()
    }
}
