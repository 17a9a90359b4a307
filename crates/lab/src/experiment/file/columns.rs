//! Columns of a table, chosen by name and read as a whole.

use std::path::Path;

/// The values of a column, one for each row.
// Without tables there are no columns.
#[cfg_attr(not(feature = "replay"), expect(dead_code))]
#[derive(Debug)]
pub(super) enum Column {
    Numbers(Vec<f64>),
    Words(Vec<String>),
}

/// Columns of a table, with their names.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) columns: Vec<(String, Column)>,
    rows: usize,
}

impl Columns {
    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<String> {
        self.columns.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Takes out the last column, if it has numbers only.
    pub(super) fn pop_numbers(&mut self) -> Option<Vec<f64>> {
        match self.columns.pop() {
            Some((_, Column::Numbers(numbers))) => Some(numbers),
            _ => None,
        }
    }

    /// Reads the columns that are chosen, or all, and `more` behind them; or says what is wrong.
    #[cfg(not(feature = "replay"))]
    pub(super) fn read(_path: &Path, _chosen: Option<&[String]>, _more: &[String]) -> Result<Self, String> {
        Err("this program was built without tables; build it with the feature replay".to_owned())
    }

    /// Reads the columns that are chosen, or all, and `more` behind them; or says what is wrong.
    #[cfg(feature = "replay")]
    pub(super) fn read(path: &Path, chosen: Option<&[String]>, more: &[String]) -> Result<Self, String> {
        reading::read(path, chosen, more)
    }
}

#[cfg(feature = "replay")]
mod reading {
    use std::path::Path;
    use std::sync::Arc;

    use optimist_tables::{Cell, Options, Row, Table};

    use super::{Column, Columns};
    use crate::experiment::file::keys::NUMBERS_MOST;
    use crate::input::{short, shown_text, suggest};

    pub(super) fn read(path: &Path, chosen: Option<&[String]>, more: &[String]) -> Result<Columns, String> {
        // Rows that cannot be read are an error: contexts that are left out unseen would be others than the user's.
        let options = Options { strict: true, ..Options::default() };
        let mut table = Table::open(path, &options).map_err(|e| e.to_string())?;
        let names = names_of(table.columns(), chosen, more)?;
        let mut columns: Vec<(String, Option<Column>)> = names.into_iter().map(|name| (name, None)).collect();
        let (mut row, mut rows) = (Row::new(), 0);
        while table.read(&mut row).map_err(|e| e.to_string())? {
            rows += 1;
            if rows * columns.len() > NUMBERS_MOST {
                return Err(format!("it has more than {} values; choose columns", short(NUMBERS_MOST as f64)));
            }
            for (name, column) in &mut columns {
                let cell = row.get(name).unwrap_or(&Cell::Missing);
                add(column, cell).map_err(|what| format!("line {}: column {} {what}", row.line, shown_text(name)))?;
            }
        }
        let columns: Option<Vec<_>> = columns.into_iter().map(|(name, column)| Some((name, column?))).collect();
        columns.map(|columns| Columns { columns, rows }).ok_or_else(|| "it has no rows".to_owned())
    }

    /// The columns to read; all of them but `more` if none are chosen, and then these.
    fn names_of(all: &[Arc<str>], chosen: Option<&[String]>, more: &[String]) -> Result<Vec<String>, String> {
        let rest = || all.iter().map(|name| name.to_string()).filter(|name| !more.contains(name)).collect();
        let mut names: Vec<String> = chosen.map_or_else(rest, <[String]>::to_vec);
        names.extend_from_slice(more);
        for (i, name) in names.iter().enumerate() {
            if !all.iter().any(|known| **known == **name) {
                let known: Vec<&str> = all.iter().map(|name| &**name).collect();
                return Err(format!("it has no column {}: {}", shown_text(name), suggest(name, &known)));
            }
            if names[..i].contains(name) {
                return Err(format!("column {} is named twice; name it once", shown_text(name)));
            }
        }
        if names.len() == more.len() {
            return Err("it has no columns to make features of".to_owned());
        }
        Ok(names)
    }

    /// Adds a cell to a column, whose first cell decides what it holds.
    fn add(column: &mut Option<Column>, cell: &Cell) -> Result<(), String> {
        match (column, cell, cell.number()) {
            (_, Cell::Missing, _) => return Err("has no value; fill it in, or leave the row out".to_owned()),
            (_, Cell::Vector(_), _) => return Err("has lists; give every number a column".to_owned()),
            (Some(Column::Numbers(numbers)), _, Some(number)) => numbers.push(number),
            (Some(Column::Words(words)), Cell::Text(word), _) => words.push(word.clone()),
            (column @ None, _, Some(number)) => *column = Some(Column::Numbers(vec![number])),
            (column @ None, _, None) => *column = Some(Column::Words(vec![cell.label().into_owned()])),
            (Some(Column::Numbers(_)), _, None) => {
                return Err(format!(
                    "has {}, and numbers above; let it hold one or the other",
                    shown_text(&cell.label())
                ));
            }
            (Some(Column::Words(_)), ..) => {
                return Err(format!(
                    "has {}, and words above; let it hold one or the other",
                    shown_text(&cell.label())
                ));
            }
        }
        Ok(())
    }
}
