//! Rows of a table, read once and held in memory.

use optimist_tables::{Cell, GuessOptions, Guesser, Row, Table};

use super::contexts::Contexts;
use super::options::{ReplayOptions, tables};
use super::schema::{Schema, unknown};
use crate::error::{Error, Result};

/// A table whose rows are in memory.
pub(super) struct Read {
    pub(super) schema: Schema,
    pub(super) contexts: Contexts,
    /// What the user should know of the rows.
    pub(super) notes: Vec<String>,
}

/// What becomes of a row, given the cells of the targets.
pub(super) enum Fate {
    Kept,
    /// It is counted by whoever said so.
    LeftOut,
    /// No more rows are wanted.
    Enough,
}

/// Reads all rows. `targets` are options with the columns that they name; `judge` is given the line and their cells.
///
/// # Errors
/// If the data are at fault, or `judge` says so.
pub(super) fn read(
    args: &ReplayOptions,
    mut table: Table,
    targets: &[(&str, &str)],
    mut judge: impl FnMut(u64, &[&Cell]) -> Result<Fate>,
) -> Result<Read> {
    let failed = |e| tables(args, &e);
    let positions = positions(&table, targets)?;
    let names: Vec<&str> = targets.iter().map(|(_, column)| *column).collect();
    let mut guesser = Guesser::new(&GuessOptions::default()).map_err(failed)?;
    let (mut row, mut early, mut width) = (Row::new(), Vec::new(), 0);
    let mut is_over = false;
    while !is_over {
        is_over = !table.read(&mut row).map_err(failed)?;
        if is_over {
            break;
        }
        width = row.columns().len();
        let wants_more = guesser.add(&row);
        early.push((row.line, row.cells().to_vec()));
        if !wants_more {
            break;
        }
    }
    if early.is_empty() {
        let left = table.malformed().count;
        let why = if left > 0 {
            format!("{left} rows could not be read, and no other is there")
        } else {
            "it has no rows".to_owned()
        };
        return Err(Error::input(format!("{}: {why}: there is nothing to replay", args.name())));
    }
    let schema = Schema::new(&guesser.finish(), &names, args, false)?;
    let contexts = Contexts::new(&schema.columns);
    let mut read = Read { schema, contexts, notes: Vec::new() };
    for (line, cells) in early {
        if read.add(line, &cells, &positions, &mut judge)? {
            is_over = true;
            break;
        }
    }
    while !is_over && table.read(&mut row).map_err(failed)? {
        is_over = read.add(row.line, row.cells(), &positions, &mut judge)?;
    }
    if let Some(late @ 1..) = row.columns().len().checked_sub(width) {
        read.notes.push(format!("{late} columns that first appear after row 10,000 are left out"));
    }
    let malformed = table.malformed().to_string();
    read.notes.extend((!malformed.is_empty()).then(|| malformed.replace("\n  ", "; ")));
    read.notes.extend(read.schema.notes());
    Ok(read)
}

impl Read {
    /// Adds a row; says whether it was the last that is wanted.
    fn add(
        &mut self,
        line: u64,
        cells: &[Cell],
        positions: &[usize],
        judge: &mut impl FnMut(u64, &[&Cell]) -> Result<Fate>,
    ) -> Result<bool> {
        let missing = Cell::Missing;
        let targets: Vec<&Cell> = positions.iter().map(|position| cells.get(*position).unwrap_or(&missing)).collect();
        match judge(line, &targets)? {
            Fate::Kept => self.contexts.push(self.schema.values(line, cells))?,
            Fate::LeftOut => {}
            Fate::Enough => return Ok(true),
        }
        Ok(false)
    }
}

fn positions(table: &Table, targets: &[(&str, &str)]) -> Result<Vec<usize>> {
    let names: Vec<&str> = table.columns().iter().map(AsRef::as_ref).collect();
    let position = |(option, column): &(&str, &str)| {
        names.iter().position(|name| name == column).ok_or_else(|| unknown(option, column, &names))
    };
    let positions: Vec<usize> = targets.iter().map(position).collect::<Result<_>>()?;
    for (i, (option, column)) in targets.iter().enumerate() {
        if let Some((other, _)) = targets[..i].iter().find(|(_, other)| other == column) {
            return Err(Error::input(format!(
                "both {other} and {option} name the column \"{column}\": they are different things"
            )));
        }
    }
    Ok(positions)
}
