//! The figures of an experiment as a table for the terminal.

use std::path::Path;

use optimist_lab::report::{duration, number};
use optimist_lab::results::{EnvironmentResults, PolicyCost, PolicySummary, Summary};
use optimist_lab::store::Outcome;

use super::columns::{self, aligned, words};

/// One block per environment, one line per policy; what policies cost, where there are several; and where the rest is.
pub(crate) fn table(outcome: &Outcome, directory: &Path) -> String {
    let (summary, costs) = (Summary::of(outcome), PolicyCost::of(&[outcome]));
    let blocks: String = summary.environments.iter().map(block).collect();
    let cost = if costs.len() > 1 { format!("cost\n{}\n", columns::costs(&costs)) } else { String::new() };
    let common = &summary.experiment.common;
    let common = if common.is_empty() { String::new() } else { format!("In all environments: {common}\n\n") };
    format!("{common}{blocks}{cost}{}\n", directory.join("report.html").display())
}

fn block(environment_runs: &EnvironmentResults) -> String {
    let heading = words(&["policy", "runs", "mean regret", "std", "median", "time per round", "left the set"]);
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(environment_runs.policies.iter().map(row)).collect();
    format!("{}\n{}\n", environment_runs.environment.short, aligned(&rows))
}

fn row(summary: &PolicySummary) -> Vec<String> {
    let dash = || "-".to_owned();
    let regret = summary.regret.as_ref();
    vec![
        summary.label.clone(),
        summary.runs.to_string(),
        regret.map_or_else(dash, |regret| number(regret.mean)),
        regret.map_or_else(dash, |regret| number(regret.std)),
        regret.map_or_else(dash, |regret| number(regret.median)),
        summary.rounds_per_second.map_or_else(dash, |rate| duration(1.0 / rate)),
        summary.excluded_runs.map_or_else(dash, |runs| runs.to_string()),
    ]
}
