//! Columns that are in memory already, such as those of another program's data frame.

use std::sync::Arc;

use crate::csv::check_ignored;
use crate::row::{Columns, Row};
use crate::source::Progress;
use crate::table::{ReadRows, Step};
use crate::words::Words;
use crate::{Cell, Error, Options, Result};

/// Columns with their cells.
pub(crate) struct Held {
    columns: Arc<Columns>,
    cells: Vec<Vec<Cell>>,
    rows: usize,
    next: usize,
}

impl Held {
    /// Takes the columns that are not ignored. Texts that mean "no value" become missing, as in every format.
    pub(crate) fn new(name: &str, given: Vec<(String, Vec<Cell>)>, options: &Options) -> Result<Self> {
        let words = Words::new(options);
        let rows = given.first().map_or(0, |(_, cells)| cells.len());
        let (mut columns, mut held) = (Columns::default(), Vec::new());
        let mut all = Columns::default();
        // One of two columns of one name is enough to know it.
        given.iter().for_each(|(title, _)| _ = all.add(title));
        check_ignored(options, |ignored| all.position(ignored).is_some(), &all)?;
        for (title, mut cells) in given {
            if cells.len() != rows {
                let got = cells.len();
                let reason = format!("the column `{title}` has {got} rows where the first has {rows}: give as many");
                return Err(Error::content(name, reason));
            }
            if options.ignore.contains(&title) {
                continue;
            }
            if columns.add(&title).is_err() {
                return Err(Error::content(name, format!("there are two columns `{title}`: rename one")));
            }
            cells.iter_mut().for_each(|cell| tidy(cell, &words));
            held.push(cells);
        }
        Ok(Self { columns: Arc::new(columns), cells: held, rows, next: 0 })
    }
}

/// Cells are what readers of files would make of them.
fn tidy(cell: &mut Cell, words: &Words) {
    match cell {
        Cell::Text(text) if words.is_missing(text.trim()) => *cell = Cell::Missing,
        Cell::Number(number) if !number.is_finite() => *cell = Cell::of_float(*number),
        Cell::Vector(numbers) if numbers.iter().any(|number| !number.is_finite()) => *cell = Cell::Missing,
        _ => {}
    }
}

impl ReadRows for Held {
    fn columns(&self) -> &Arc<Columns> {
        &self.columns
    }

    fn next(&mut self, row: &mut Row) -> Result<Step> {
        if self.next == self.rows {
            return Ok(Step::End);
        }
        row.cells.clear();
        // Nobody reads a row again.
        row.cells.extend(self.cells.iter_mut().map(|cells| std::mem::take(&mut cells[self.next])));
        self.next += 1;
        row.line = self.next as u64;
        Ok(Step::Row)
    }

    fn progress(&self) -> Progress {
        Progress { bytes_read: self.next as u64, bytes_total: Some(self.rows as u64) }
    }
}
