//! JSON lines: one object per line, nested ones flattened, columns that may come later.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use crate::json::{Json, flatten};
use crate::lines::{Line, Lines};
use crate::row::{Columns, Row};
use crate::source::{Progress, Source};
use crate::table::{ReadRows, Step};
use crate::words::Words;
use crate::{Cell, Options, Result};

/// The most bytes that are kept to know the columns before the first row.
const LOOK_AHEAD_BYTES: usize = 16 << 20;

pub(crate) struct JsonLines {
    lines: Lines,
    /// Lines that were looked at for their columns and not yet given, with their numbers.
    waiting: VecDeque<(u64, Line, Vec<u8>)>,
    buffer: Vec<u8>,
    words: Words,
    columns: Arc<Columns>,
    ignore: HashSet<String>,
    max_columns: usize,
    /// By column: the row that set it last, to find a key that comes twice.
    set_in: Vec<u64>,
    rows: u64,
}

impl JsonLines {
    pub(crate) fn open(source: Source, options: &Options) -> Result<Self> {
        let mut table = Self {
            lines: Lines::new(source, options.max_row_bytes),
            waiting: VecDeque::new(),
            buffer: Vec::new(),
            words: Words::new(options),
            columns: Arc::default(),
            ignore: options.ignore.iter().cloned().collect(),
            max_columns: options.max_columns,
            set_in: Vec::new(),
            rows: 0,
        };
        let mut kept = 0;
        while table.waiting.len() < options.look_ahead && kept < LOOK_AHEAD_BYTES {
            let mut buffer = Vec::new();
            let line = table.lines.next(&mut buffer)?;
            if line == Line::End {
                break;
            }
            // What is wrong with a line is said when it is its turn.
            if let Ok(members) = Json::parse_object(&buffer) {
                let _ = table.fill(members, &mut Row::new());
            }
            kept += buffer.len();
            table.waiting.push_back((table.lines.number, line, buffer));
        }
        Ok(table)
    }

    fn fill(&mut self, members: Vec<(String, Json)>, row: &mut Row) -> Result<(), String> {
        self.rows += 1;
        row.forget_columns();
        for cell in &mut row.cells {
            *cell = Cell::Missing;
        }
        let columns = Arc::make_mut(&mut self.columns);
        row.cells.resize(columns.names().len(), Cell::Missing);
        self.set_in.resize(columns.names().len(), 0);
        let is_wanted = |path: &str| !self.ignore.contains(path);
        flatten(members, &mut String::new(), &is_wanted, &mut |name, value| {
            let position = match columns.position(name) {
                Some(position) => position,
                None if columns.names().len() >= self.max_columns => {
                    return Err(format!(
                        "brings the column `{name}`, one more than max_columns = {}: raise it, or ignore the object whose \
                         keys are different in every line",
                        self.max_columns
                    ));
                }
                None => {
                    row.cells.push(Cell::Missing);
                    self.set_in.push(0);
                    columns.add(name).unwrap_or_else(|position| position)
                }
            };
            if self.set_in[position] == self.rows {
                return Err(format!("has two values for `{name}`"));
            }
            self.set_in[position] = self.rows;
            value.into_cell(&self.words, &mut row.cells[position]);
            Ok(())
        })
    }
}

impl ReadRows for JsonLines {
    fn columns(&self) -> &Arc<Columns> {
        &self.columns
    }

    fn next(&mut self, row: &mut Row) -> Result<Step> {
        loop {
            let line;
            if let Some((number, waiting, bytes)) = self.waiting.pop_front() {
                (row.line, line, self.buffer) = (number, waiting, bytes);
            } else {
                line = self.lines.next(&mut self.buffer)?;
                row.line = self.lines.number;
            }
            let members = match line {
                Line::End => return Ok(Step::End),
                Line::TooLong => return Ok(Step::Malformed(too_long(&self.lines))),
                Line::Whole if self.buffer.iter().all(u8::is_ascii_whitespace) => continue,
                Line::Whole => Json::parse_object(&self.buffer),
            };
            return Ok(match members.and_then(|members| self.fill(members, row)) {
                Ok(()) => Step::Row,
                Err(reason) => Step::Malformed(reason),
            });
        }
    }

    fn progress(&self) -> Progress {
        self.lines.source.progress()
    }
}

pub(crate) fn too_long(lines: &Lines) -> String {
    format!("the line has more than {} bytes (max_row_bytes)", lines.max_bytes())
}
