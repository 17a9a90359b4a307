//! What a table of results holds: the columns and the rows, whatever the format.

use crate::error::{Error, Result};
use crate::outcome::{Lane, Outcome};
use crate::record::Record;

/// A row: one run at one checkpoint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    environment: &'a str,
    policy: &'a str,
    run: usize,
    record: &'a Record,
    /// Where the checkpoint is among the record's marks.
    mark: usize,
}

/// A column: its name, and how a row fills it.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) read: Read,
}

/// How a row fills a column; the variants are the types that columns have.
pub(super) enum Read {
    /// Words.
    Text(for<'a> fn(&Row<'a>) -> &'a str),
    /// A count.
    Whole(fn(&Row<'_>) -> u64),
    /// A figure.
    Number(fn(&Row<'_>) -> f64),
    /// Yes, no, or nobody looked.
    Truth(fn(&Row<'_>) -> Option<bool>),
}

/// All columns, in order.
pub(super) const COLUMNS: [Column; 10] = [
    Column { name: "environment", read: Read::Text(|row| row.environment) },
    Column { name: "policy", read: Read::Text(|row| row.policy) },
    Column { name: "run", read: Read::Whole(|row| row.run as u64) },
    Column { name: "t", read: Read::Whole(|row| row.t() as u64) },
    Column { name: "regret", read: Read::Number(|row| row.record.regret[row.mark]) },
    Column { name: "reward", read: Read::Number(|row| row.record.reward[row.mark]) },
    Column { name: "R1", read: Read::Number(|row| row.record.r1[row.mark]) },
    Column { name: "R2", read: Read::Number(|row| row.record.r2[row.mark]) },
    Column { name: "in_set", read: Read::Truth(|row| row.record.in_set(row.t())) },
    Column { name: "bad_arm_plays", read: Read::Whole(|row| row.record.bad_plays[row.mark]) },
];

impl Row<'_> {
    /// The checkpoint.
    fn t(&self) -> usize {
        self.record.t[self.mark]
    }
}

/// The names of the environments, one a cell: rows borrow them.
pub(super) fn environment_names(outcome: &Outcome) -> Vec<String> {
    outcome.cells.iter().map(|cell| cell.environment.to_string()).collect()
}

/// All rows: environment by environment, policy by policy, run by run, checkpoint by checkpoint.
///
/// # Errors
/// An item is an error if a record lacks figures for a checkpoint.
pub(super) fn rows<'a>(outcome: &'a Outcome, names: &'a [String]) -> impl Iterator<Item = Result<Row<'a>>> {
    let lanes =
        outcome.cells.iter().zip(names).flat_map(|(cell, name)| cell.lanes.iter().map(move |lane| (name, lane)));
    let runs = lanes.flat_map(|(name, lane)| lane.runs.iter().map(move |(run, record)| (name, lane, *run, record)));
    runs.flat_map(move |(name, lane, run, record)| {
        let checkpoints = &outcome.experiment.checkpoints;
        checkpoints.iter().map(move |&t| row_at(name, lane, run, record, t))
    })
}

fn row_at<'a>(environment: &'a str, lane: &'a Lane, run: usize, record: &'a Record, t: usize) -> Result<Row<'a>> {
    let policy = lane.contender.label.as_str();
    match mark_of(record, t) {
        Some(mark) => Ok(Row { environment, policy, run, record, mark }),
        None => Err(Error::File(format!(
            "run {run} of \"{policy}\" in {environment} has no figures after round {t}: delete it and run it again"
        ))),
    }
}

/// Where round `t` is among the record's marks, if all figures are there.
fn mark_of(record: &Record, t: usize) -> Option<usize> {
    let Record { regret, reward, r1, r2, bad_plays, .. } = record;
    let figures = [regret, reward, r1, r2].iter().map(|column| column.len()).min()?.min(bad_plays.len());
    record.t.binary_search(&t).ok().filter(|mark| *mark < figures)
}
