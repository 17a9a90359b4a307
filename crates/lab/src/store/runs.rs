//! Finished runs by what decides them.

use std::collections::{BTreeMap, HashMap};

use super::fingerprint::fingerprint;
use super::outcome::{EnvironmentRuns, Outcome, PolicyRuns};
use crate::experiment::{Environment, Experiment, PolicySpec};
use crate::simulation::Record;

/// Finished runs by fingerprint and number.
#[derive(Debug, Default)]
pub(super) struct Runs(HashMap<String, BTreeMap<usize, Record>>);

impl Runs {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, fingerprint: &str, run: usize) -> bool {
        self.0.get(fingerprint).is_some_and(|runs| runs.contains_key(&run))
    }

    /// Of several records of one run the first counts.
    pub(super) fn insert(&mut self, fingerprint: &str, run: usize, record: Record) {
        match self.0.get_mut(fingerprint) {
            Some(runs) => _ = runs.entry(run).or_insert(record),
            None => _ = self.0.insert(fingerprint.to_owned(), BTreeMap::from([(run, record)])),
        }
    }

    /// The runs of the experiment, in its order.
    pub(super) fn outcome(&self, experiment: &Experiment) -> Outcome {
        let environment_runs = |environment: &Environment| EnvironmentRuns {
            environment: environment.clone(),
            policies: experiment.policies.iter().map(|spec| self.of(experiment, environment, spec)).collect(),
        };
        let environments = experiment.environments.iter().map(environment_runs).collect();
        Outcome { experiment: experiment.clone(), environments }
    }

    fn of(&self, experiment: &Experiment, environment: &Environment, spec: &PolicySpec) -> PolicyRuns {
        let finished = self.0.get(&fingerprint(experiment, environment, spec));
        let asked = finished.into_iter().flat_map(|runs| runs.range(..experiment.runs));
        PolicyRuns { spec: spec.clone(), runs: asked.map(|(run, record)| (*run, record.clone())).collect() }
    }
}
