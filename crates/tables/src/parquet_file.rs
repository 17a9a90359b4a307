//! Parquet: columns of one row group at a time, a thousand rows in memory.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::csv::check_ignored;
use crate::parquet_column::ParquetColumn;
use crate::parquet_schema::{Leaf, leaves};
use crate::row::{Columns, Row};
use crate::source::Progress;
use crate::table::{ReadRows, Step};
use crate::words::Words;
use crate::{Error, Options, Result};

/// Rows that are decoded at once. More would be hardly faster.
const BATCH: usize = 1024;

pub(crate) struct ParquetFile {
    name: String,
    file: SerializedFileReader<File>,
    bytes: u64,
    columns: Arc<Columns>,
    /// By column of the table: where it is stored.
    leaves: Vec<Leaf>,
    words: Words,
    /// The columns of the open row group; none before the first.
    group: Vec<ParquetColumn>,
    next_group: usize,
    /// Rows of the open row group that were not yet decoded.
    rows_left: usize,
    /// Rows that are decoded, and the next of them.
    batch: usize,
    next_in_batch: usize,
    rows_read: u64,
    rows_total: u64,
}

impl ParquetFile {
    pub(crate) fn open(name: &str, file: File, options: &Options) -> Result<Self> {
        let bytes = file.metadata().map_err(|error| Error::reading(name, &error, false))?.len();
        let file = guard(name, || SerializedFileReader::new(file))?;
        let schema = file.metadata().file_metadata().schema_descr();
        let all = leaves(schema);
        let mut columns = Columns::default();
        let mut known = Columns::default();
        let mut kept = Vec::new();
        for leaf in all {
            let title = leaf.name.clone();
            if known.add(&title).is_err() {
                return Err(Error::content(name, format!("there are two columns `{title}`: rename one")));
            }
            // A column is ignored with everything that it contains.
            let is_ignored = options.ignore.iter().any(|ignored| is_inside(&title, ignored));
            if is_ignored {
                continue;
            }
            if let Err(reason) = &leaf.readable {
                return Err(Error::content(
                    name,
                    format!("the column `{title}` cannot be read: {reason}; leave it out with ignore = [\"{title}\"]"),
                ));
            }
            let _ = columns.add(&title);
            kept.push(leaf);
        }
        if known.names().is_empty() {
            return Err(Error::content(name, "the Parquet file has no columns"));
        }
        let count = columns.names().len();
        if count > options.max_columns {
            let reason = format!("the table has {count} columns: raise max_columns = {}", options.max_columns);
            return Err(Error::content(name, reason));
        }
        check_ignored(options, |ignored| known.names().iter().any(|title| is_inside(title, ignored)), &known)?;
        let rows_total = u64::try_from(file.metadata().file_metadata().num_rows()).unwrap_or(0);
        Ok(Self {
            name: name.to_owned(),
            file,
            bytes,
            columns: Arc::new(columns),
            leaves: kept,
            words: Words::new(options),
            group: Vec::new(),
            next_group: 0,
            rows_left: 0,
            batch: 0,
            next_in_batch: 0,
            rows_read: 0,
            rows_total,
        })
    }

    /// Decodes the next rows; false at the end.
    fn fill_batch(&mut self) -> Result<bool> {
        let name = self.name.clone();
        guard(&name, || {
            while self.rows_left == 0 {
                if self.next_group == self.file.num_row_groups() {
                    return Ok(false);
                }
                let group = self.file.get_row_group(self.next_group)?;
                self.next_group += 1;
                let rows = group.metadata().num_rows();
                self.rows_left =
                    usize::try_from(rows).map_err(|_| ParquetError::General(format!("a row group of {rows} rows")))?;
                self.group.clear();
                for leaf in &self.leaves {
                    self.group.push(ParquetColumn::new(leaf, group.get_column_reader(leaf.index)?));
                }
            }
            let wanted = self.rows_left.min(BATCH);
            for (column, leaf) in self.group.iter_mut().zip(&self.leaves) {
                let decoded = column.read(leaf, wanted, &self.words)?;
                if decoded != wanted {
                    let reason = format!("the column `{}` ends {} rows early", leaf.name, self.rows_left - decoded);
                    return Err(ParquetError::EOF(reason));
                }
            }
            self.rows_left -= wanted;
            self.batch = wanted;
            self.next_in_batch = 0;
            Ok(true)
        })
    }
}

/// Whether a name is that of a column or of something in it.
fn is_inside(name: &str, column: &str) -> bool {
    name.strip_prefix(column).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Runs the decoder, which panics at some kinds of damage where it should return an error.
fn guard<T>(name: &str, run: impl FnOnce() -> ParquetResult<T>) -> Result<T> {
    let fault = |reason: String| Error::content(name, reason);
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(ParquetError::NYI(what))) => {
            Err(fault(format!("the Parquet file uses what is not supported ({what}): write it anew with defaults")))
        }
        Ok(Err(error)) => Err(fault(format!("the Parquet file is cut off or damaged ({error}): fetch it again"))),
        Err(_) => Err(fault("the Parquet file is damaged, its decoder gave up: fetch it again".to_owned())),
    }
}

impl ReadRows for ParquetFile {
    fn columns(&self) -> &Arc<Columns> {
        &self.columns
    }

    fn next(&mut self, row: &mut Row) -> Result<Step> {
        if self.next_in_batch == self.batch && !self.fill_batch()? {
            return Ok(Step::End);
        }
        self.rows_read += 1;
        row.line = self.rows_read;
        row.cells.resize_with(self.group.len(), Default::default);
        let mut fault = None;
        for (index, (column, cell)) in self.group.iter_mut().zip(&mut row.cells).enumerate() {
            // The cell that is given back is overwritten by the next batch.
            match &mut column.cells[self.next_in_batch] {
                Ok(decoded) => std::mem::swap(decoded, cell),
                Err(reason) => {
                    fault.get_or_insert_with(|| format!("the column `{}` {reason}", self.leaves[index].name));
                }
            }
        }
        self.next_in_batch += 1;
        Ok(fault.map_or(Step::Row, Step::Malformed))
    }

    fn progress(&self) -> Progress {
        let share = if self.rows_total == 0 { 1.0 } else { (self.rows_read as f64 / self.rows_total as f64).min(1.0) };
        Progress { bytes_read: (self.bytes as f64 * share) as u64, bytes_total: Some(self.bytes) }
    }
}
