//! The finished runs of an experiment, in order: what summaries, tables, figures and reports are made of.

use crate::experiment::{Environment, Experiment, PolicySpec};
use crate::simulation::Record;

/// An experiment with the runs that are finished.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What was asked for.
    pub experiment: Experiment,
    /// One entry per environment, in the experiment's order.
    pub environments: Vec<EnvironmentRuns>,
}

/// The runs in one environment.
#[derive(Debug, Clone)]
pub struct EnvironmentRuns {
    /// The environment.
    pub environment: Environment,
    /// One entry per policy, in the experiment's order.
    pub policies: Vec<PolicyRuns>,
}

/// The runs of one policy in one environment.
#[derive(Debug, Clone)]
pub struct PolicyRuns {
    /// The policy.
    pub spec: PolicySpec,
    /// Finished runs with their numbers, ascending.
    pub runs: Vec<(usize, Record)>,
}

impl Outcome {
    /// The runs of every policy in every environment, environment by environment.
    pub fn policies(&self) -> impl Iterator<Item = &PolicyRuns> {
        self.environments.iter().flat_map(|environment_runs| &environment_runs.policies)
    }

    /// Runs that are finished, and runs that were asked for.
    pub fn progress(&self) -> (usize, usize) {
        let done = self.policies().map(|policy_runs| policy_runs.runs.len()).sum();
        (done, self.experiment.runs * self.experiment.environments.len() * self.experiment.policies.len())
    }
}

impl PolicyRuns {
    /// The regret of every run at mark number `mark`.
    pub fn regrets(&self, mark: usize) -> Vec<f64> {
        self.runs.iter().map(|(_, record)| record.regret[mark]).collect()
    }

    /// The regret of every run after all rounds.
    pub fn final_regrets(&self) -> Vec<f64> {
        self.runs.iter().map(|(_, record)| record.final_regret()).collect()
    }
}
