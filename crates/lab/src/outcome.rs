//! The finished runs of an experiment, in order: what summaries, tables, figures and reports are made of.

use crate::experiment::{Contender, Environment, Experiment};
use crate::record::Record;

/// An experiment with the runs that are finished.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What was asked for.
    pub experiment: Experiment,
    /// One entry an environment, in the experiment's order.
    pub cells: Vec<Cell>,
}

/// The runs in one environment.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The environment.
    pub environment: Environment,
    /// One entry a policy, in the experiment's order.
    pub lanes: Vec<Lane>,
}

/// The runs of one policy in one environment.
#[derive(Debug, Clone)]
pub struct Lane {
    /// The policy.
    pub contender: Contender,
    /// Finished runs with their numbers, ascending.
    pub runs: Vec<(usize, Record)>,
}

impl Outcome {
    /// Runs that are finished, and runs that were asked for.
    pub fn progress(&self) -> (usize, usize) {
        let done = self.cells.iter().flat_map(|cell| &cell.lanes).map(|lane| lane.runs.len()).sum();
        (done, self.experiment.runs * self.experiment.environments.len() * self.experiment.policies.len())
    }
}

impl Lane {
    /// The regret of every run at mark number `mark`.
    pub fn regrets(&self, mark: usize) -> Vec<f64> {
        self.runs.iter().map(|(_, record)| record.regret[mark]).collect()
    }

    /// The regret of every run after all rounds.
    pub fn final_regrets(&self) -> Vec<f64> {
        self.runs.iter().map(|(_, record)| record.final_regret()).collect()
    }
}
