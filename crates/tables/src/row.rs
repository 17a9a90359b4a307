//! One row of a table, and the names of its columns.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use crate::Cell;

/// The names of the columns in their order, and where each stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    names: Vec<Arc<str>>,
    positions: HashMap<Arc<str>, usize>,
}

impl Columns {
    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// Adds a column at the end and says where; if there is one of that name, says where that stands.
    pub(crate) fn add(&mut self, name: &str) -> Result<usize, usize> {
        if let Some(position) = self.position(name) {
            return Err(position);
        }
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        self.positions.insert(name, self.names.len() - 1);
        Ok(self.names.len() - 1)
    }
}

static NONE: LazyLock<Arc<Columns>> = LazyLock::new(Arc::default);

/// One row of a table. Give the same one to every [`Table::read`](crate::Table::read), and its memory is used again.
#[derive(Clone, Debug)]
pub struct Row {
    /// The line where the row starts, or in Parquet the row; the first is 1, and a header counts.
    pub line: u64,
    pub(crate) cells: Vec<Cell>,
    pub(crate) columns: Arc<Columns>,
}

impl Default for Row {
    fn default() -> Self {
        Self { line: 0, cells: Vec::new(), columns: NONE.clone() }
    }
}

impl Row {
    /// A row without columns, to be read into.
    pub fn new() -> Self {
        Self::default()
    }

    /// The cell of a column; `None` if no row so far has had such a column.
    pub fn get(&self, column: &str) -> Option<&Cell> {
        self.cells.get(self.columns.position(column)?)
    }

    /// The cells, one per column of [`Row::columns`].
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The names of the columns, as far as they are known at this row.
    pub fn columns(&self) -> &[Arc<str>] {
        self.columns.names()
    }

    /// Lets go of the names, so that whoever made them may add to them without a copy.
    pub(crate) fn forget_columns(&mut self) {
        self.columns = NONE.clone();
    }
}
