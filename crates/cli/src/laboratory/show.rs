//! The figures of an experiment as a table for the terminal.

use std::path::Path;

use optimist_lab::report::{duration, number};
use optimist_lab::results::{EnvironmentResults, PolicySummary, Summary};

use super::columns::{aligned, words};

/// One block per environment, one line per policy, and where the rest is.
pub(crate) fn table(summary: &Summary, directory: &Path) -> String {
    let blocks: String = summary.environments.iter().map(block).collect();
    let common = &summary.experiment.common;
    let common = if common.is_empty() { String::new() } else { format!("In all environments: {common}\n\n") };
    format!("{common}{blocks}{}\n", directory.join("report.html").display())
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
