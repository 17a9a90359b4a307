//! The table of results by column, for programs that keep tables so.

use std::collections::HashMap;

use super::rows::{Frame, Read, Row};
use crate::error::Result;
use crate::store::Outcome;

/// The rounds of a run that have a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rounds {
    /// The checkpoints, as in `results.csv`.
    Checkpoints,
    /// All rounds at which figures were taken: enough to draw smooth curves.
    #[default]
    Marks,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnValues {
    /// Words: the different ones, and for every row which it is.
    Text {
        /// The different ones.
        names: Vec<String>,
        /// For every row which it is.
        codes: Vec<u32>,
    },
    /// Counts.
    Whole(Vec<u64>),
    /// Figures; NaN where a run lacks one.
    Number(Vec<f64>),
    /// Counts that some runs lack.
    MaybeWhole(Vec<Option<u64>>),
    /// Yes, no, or nobody looked.
    Truth(Vec<Option<bool>>),
}

/// The columns of the table with their names: one row per environment, policy, run and round.
///
/// # Errors
/// If a record lacks figures for a round.
pub fn columns(outcome: &Outcome, rounds: Rounds) -> Result<Vec<(&'static str, ColumnValues)>> {
    let rounds = match rounds {
        Rounds::Checkpoints => outcome.experiment.checkpoints.clone(),
        Rounds::Marks => outcome.experiment.marks(),
    };
    let frame = Frame::of(outcome);
    let rows: Vec<Row<'_>> = frame.rows(outcome, &rounds).collect::<Result<_>>()?;
    Ok(frame.columns().iter().map(|column| (column.name, values(&column.read, &rows))).collect())
}

fn values<'a>(read: &Read<'a>, rows: &[Row<'a>]) -> ColumnValues {
    match read {
        Read::Text(text) => coded(rows.iter().map(text)),
        Read::Whole(count) => ColumnValues::Whole(rows.iter().map(count).collect()),
        Read::Number(figure) => ColumnValues::Number(rows.iter().map(figure).collect()),
        Read::Maybe(figure) => ColumnValues::Number(rows.iter().map(|row| figure(row).unwrap_or(f64::NAN)).collect()),
        Read::MaybeWhole(count) => ColumnValues::MaybeWhole(rows.iter().map(count).collect()),
        Read::Truth(truth) => ColumnValues::Truth(rows.iter().map(truth).collect()),
    }
}

fn coded<'a>(texts: impl Iterator<Item = &'a str>) -> ColumnValues {
    let (mut names, mut known) = (Vec::new(), HashMap::new());
    let code = |text: &'a str| {
        *known.entry(text).or_insert_with(|| {
            names.push(text.to_owned());
            names.len() as u32 - 1
        })
    };
    let codes = texts.map(code).collect();
    ColumnValues::Text { names, codes }
}
