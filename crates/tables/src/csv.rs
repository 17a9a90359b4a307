//! CSV: quotes, a header, and rows that are counted when they are not as wide as it.

use std::sync::Arc;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::row::{Columns, Row};
use crate::source::{Progress, Source};
use crate::table::{ReadRows, Step};
use crate::words::Words;
use crate::{Cell, Error, Options, Result, delimiter};

pub(crate) struct Csv {
    source: Source,
    parser: Reader,
    record: Record,
    words: Words,
    columns: Arc<Columns>,
    /// By field: the column, unless it is ignored.
    fields: Vec<Option<usize>>,
    /// Whether the record that was parsed when opening is the first row.
    has_first_row: bool,
    /// Ends of lines between records, which the parser has not seen.
    skipped_lines: u64,
    max_bytes: usize,
}

/// What the parser wrote: fields one behind the other, and where each ends.
#[derive(Default)]
struct Record {
    line: u64,
    last_line: u64,
    text: Vec<u8>,
    ends: Vec<usize>,
    length: usize,
    fields: usize,
    fault: Option<String>,
}

impl Csv {
    pub(crate) fn open(source: Source, options: &Options) -> Result<Self> {
        let delimiter = match options.delimiter {
            Some(delimiter) => delimiter as u8, // Checked to be ASCII.
            None => delimiter::sniff(source.head(), source.is_all_head()),
        };
        let mut csv = Self {
            source,
            parser: ReaderBuilder::new().delimiter(delimiter).build(),
            record: Record { text: vec![0; 4096], ends: vec![0; 64], ..Record::default() },
            words: Words::new(options),
            columns: Arc::default(),
            fields: Vec::new(),
            has_first_row: !options.header,
            skipped_lines: 0,
            max_bytes: options.max_row_bytes,
        };
        csv.name_columns(options)?;
        Ok(csv)
    }

    fn name_columns(&mut self, options: &Options) -> Result<()> {
        let name = self.source.name.clone();
        let fault = |reason: String| Err(Error::content(&name, reason));
        let is_there = self.read_record(options.max_columns)?;
        let what = if options.header { "header" } else { "first row" };
        if let Some(reason) = self.record.fault.take() {
            return fault(format!("the {what} cannot be read: {reason}"));
        }
        if !is_there {
            return fault("the file is empty: a table needs at least the names of its columns".to_owned());
        }
        let count = self.record.fields;
        if count > options.max_columns {
            return fault(format!("the {what} has {count} columns: raise max_columns = {}", options.max_columns));
        }
        let mut columns = Columns::default();
        let mut all = Columns::default();
        let mut found = 0;
        for field in 0..count {
            let unnamed = format!("c{}", field + 1);
            let title = if options.header { self.record.field(field).unwrap_or_default().trim() } else { "" };
            let title = if title.is_empty() { &*unnamed } else { title };
            let mut title = title.to_owned();
            if let Some(first) = all.position(&title) {
                if !options.rename_duplicates {
                    return fault(format!(
                        "the header has two columns `{title}`, the fields {} and {}: rename one, say rename_duplicates = true \
                         to call it `{title}.2`, or header = false if the first line is data",
                        first + 1,
                        field + 1
                    ));
                }
                // A free name is found before all columns are tried.
                let free = (2..=count + 1).map(|i| format!("{title}.{i}")).find(|name| all.position(name).is_none());
                title = free.unwrap_or(unnamed);
            }
            let _ = all.add(&title);
            let is_ignored = options.ignore.contains(&title);
            found += usize::from(is_ignored);
            self.fields.push(if is_ignored { None } else { columns.add(&title).ok() });
        }
        if found < options.ignore.len() {
            check_ignored(options, |ignored| all.position(ignored).is_some(), &all)?;
        }
        self.columns = Arc::new(columns);
        Ok(())
    }

    /// Parses one record; false at the end. Of a record with more than `max_fields` fields only the number is kept.
    fn read_record(&mut self, max_fields: usize) -> Result<bool> {
        // Blank lines are no records. The parser would pass over them too, but the record would seem to start at the first.
        loop {
            let bytes = self.source.peek()?;
            let blank = bytes.iter().take_while(|&&byte| byte == b'\n' || byte == b'\r').count();
            let lines = bytes[..blank].iter().filter(|&&byte| byte == b'\n').count();
            let is_done = blank < bytes.len() || bytes.is_empty();
            self.source.consume(blank);
            self.skipped_lines += lines as u64;
            if is_done {
                break;
            }
        }
        let record = &mut self.record;
        record.line = self.parser.line() + self.skipped_lines;
        (record.length, record.fields, record.fault) = (0, 0, None);
        let mut kept_ends = 0;
        let mut raw_bytes = 0;
        let mut is_discarded = false;
        let mut ends_line = false;
        loop {
            let bytes = self.source.peek()?;
            let at_end = bytes.is_empty();
            // At the end of the file the parser would take a field whose quote is open to be whole. An end of line ends any
            // other record, but is text inside quotes.
            let bytes = if at_end && raw_bytes > 0 && record.fault.is_none() { b"\n" } else { bytes };
            let (result, read, written, ended) =
                self.parser.read_record(bytes, &mut record.text[record.length..], &mut record.ends[kept_ends..]);
            ends_line = bytes[..read].last().map_or(ends_line, |&byte| byte == b'\n');
            if at_end && read > 0 && matches!(result, ReadRecordResult::InputEmpty) {
                record.fault = Some("a quote is opened and never closed, up to the end of the file".to_owned());
            }
            if !at_end {
                self.source.consume(read);
            }
            raw_bytes += read;
            record.length += written;
            record.fields += ended;
            kept_ends += ended;
            if raw_bytes > self.max_bytes && !is_discarded {
                is_discarded = true;
                record.fault = Some(format!(
                    "the row has more than {} bytes (max_row_bytes), perhaps because a quote is never closed",
                    self.max_bytes
                ));
            }
            is_discarded |= record.fields > max_fields;
            if is_discarded {
                (record.length, kept_ends) = (0, 0);
            }
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => grow(&mut record.text, is_discarded),
                ReadRecordResult::OutputEndsFull => grow(&mut record.ends, is_discarded),
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Ok(false),
            }
        }
        record.last_line = self.parser.line() + self.skipped_lines - u64::from(ends_line);
        if record.fault.is_none() && !is_discarded {
            record.check_text();
        }
        Ok(true)
    }
}

/// Twice the room; where nothing is kept, what there is is enough, and is used again and again.
fn grow<T: Clone + Default>(buffer: &mut Vec<T>, is_discarded: bool) {
    if !is_discarded {
        buffer.resize(2 * buffer.len(), T::default());
    }
}

impl Record {
    fn field(&self, index: usize) -> Option<&str> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        str::from_utf8(&self.text[start..self.ends[index]]).ok()
    }

    /// Only text goes on. Fields are checked one by one, because two halves of a character may meet where fields do.
    fn check_text(&mut self) {
        let text = &self.text[..self.length];
        if text.is_ascii() && !text.contains(&0) {
            return;
        }
        for field in 0..self.fields {
            let start = if field == 0 { 0 } else { self.ends[field - 1] };
            let bytes = &self.text[start..self.ends[field]];
            let reason = if bytes.contains(&0) {
                "has a NUL byte: is this binary data?"
            } else if str::from_utf8(bytes).is_err() {
                "is not UTF-8: convert the file with `iconv -t UTF-8`"
            } else {
                continue;
            };
            self.fault = Some(format!("field {} {reason}", field + 1));
            return;
        }
    }
}

impl ReadRows for Csv {
    fn columns(&self) -> &Arc<Columns> {
        &self.columns
    }

    fn next(&mut self, row: &mut Row) -> Result<Step> {
        if self.has_first_row {
            self.has_first_row = false;
        } else if !self.read_record(self.fields.len())? {
            return Ok(Step::End);
        }
        let record = &mut self.record;
        row.line = record.line;
        if let Some(fault) = record.fault.take() {
            return Ok(Step::Malformed(fault));
        }
        let wanted = self.fields.len();
        if record.fields != wanted {
            let mut reason = format!("{} where there are {wanted} columns", count(record.fields));
            if record.last_line > record.line {
                reason += &format!(
                    "; quotes make one row of the lines {} to {}: is one missing?",
                    record.line, record.last_line
                );
            }
            return Ok(Step::Malformed(reason));
        }
        row.cells.resize(self.columns.names().len(), Cell::Missing);
        for (field, column) in self.fields.iter().enumerate() {
            let Some(column) = *column else { continue };
            // Checked to be text when it was parsed.
            self.words.read_field(record.field(field).unwrap_or_default(), &mut row.cells[column]);
        }
        Ok(Step::Row)
    }

    fn progress(&self) -> Progress {
        self.source.progress()
    }
}

fn count(fields: usize) -> String {
    if fields == 1 { "1 field".to_owned() } else { format!("{fields} fields") }
}

/// A name that no column has is a slip of the pen, and would go unnoticed.
pub(crate) fn check_ignored(options: &Options, is_known: impl Fn(&str) -> bool, columns: &Columns) -> Result<()> {
    let Some(unknown) = options.ignore.iter().find(|ignored| !is_known(ignored)) else { return Ok(()) };
    let names: Vec<&str> = columns.names().iter().take(20).map(AsRef::as_ref).collect();
    let more = if columns.names().len() > 20 { " and more" } else { "" };
    Err(Error::Option {
        field: "ignore",
        value: format!("{unknown:?}"),
        remedy: format!("there is no such column; there are {}{more}", names.join(", ")),
    })
}
