//! The figures of an experiment as a table for the terminal.

use std::path::Path;

use optimist_lab::report::{duration, number};
use optimist_lab::summary::{CellSummary, PolicySummary, Summary};

/// One block an environment, one line a policy, and where the rest is.
pub(crate) fn table(summary: &Summary, directory: &Path) -> String {
    let blocks: String = summary.cells.iter().map(block).collect();
    format!("{blocks}{}\n", directory.join("report.html").display())
}

fn block(cell: &CellSummary) -> String {
    let heading = ["policy", "runs", "mean regret", "std", "median", "time a round", "left the set"].map(str::to_owned);
    let rows: Vec<[String; 7]> = std::iter::once(heading).chain(cell.policies.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let line = |row: &[String; 7]| {
        let first = format!("  {:1$}", row[0], widths[0]);
        let rest = row.iter().zip(&widths).skip(1).map(|(cell, width)| format!("  {cell:>width$}"));
        format!("{}\n", rest.fold(first, |line, cell| line + &cell))
    };
    format!("{}\n{}\n", cell.environment.label, rows.iter().map(line).collect::<String>())
}

fn row(summary: &PolicySummary) -> [String; 7] {
    let dash = || "-".to_owned();
    let regret = summary.regret.as_ref();
    [
        summary.label.clone(),
        summary.runs.to_string(),
        regret.map_or_else(dash, |regret| number(regret.mean)),
        regret.map_or_else(dash, |regret| number(regret.std)),
        regret.map_or_else(dash, |regret| number(regret.median)),
        summary.rounds_per_second.map_or_else(dash, |rate| duration(1.0 / rate)),
        summary.excluded_runs.map_or_else(dash, |runs| runs.to_string()),
    ]
}
