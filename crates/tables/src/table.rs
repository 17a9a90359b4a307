//! A table of any format, row by row.

use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use crate::csv::Csv;
use crate::held::Held;
use crate::json_lines::JsonLines;
use crate::parquet_file::ParquetFile;
use crate::row::{Columns, Row};
use crate::source::{self, Progress, Source};
use crate::{Cell, Error, Format, Malformed, Options, Result, format};

/// What a reader came to.
pub(crate) enum Step {
    Row,
    /// The row at `row.line` cannot be read, for this reason.
    Malformed(String),
    End,
}

/// A format.
pub(crate) trait ReadRows {
    fn columns(&self) -> &Arc<Columns>;
    /// Reads into a row and sets its line in any case; its cells are as many as the columns.
    fn next(&mut self, row: &mut Row) -> Result<Step>;
    fn progress(&self) -> Progress;
}

/// A table that is read row by row, whatever its format. See the [crate] for what becomes of unclear values.
pub struct Table {
    name: String,
    format: Format,
    gzip: bool,
    reader: Box<dyn ReadRows + Send>,
    strict: bool,
    malformed: Malformed,
    is_done: bool,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("name", &self.name).field("format", &self.format).finish_non_exhaustive()
    }
}

impl Table {
    /// Opens a file, or standard input if the path is `-`.
    ///
    /// To know the format, up to 64 kB are read here; of JSON lines the first thousand.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] if an option cannot be; [`Error::File`] if the file cannot be opened; [`Error::Content`] if it is
    /// empty, of an unknown format, cut off or damaged where it was read, or its columns cannot be told apart.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self> {
        options.validate()?;
        let path = path.as_ref();
        if path == Path::new("-") {
            return Self::from_reader("standard input", std::io::stdin(), options);
        }
        let name = path.display().to_string();
        let (mut file, length) = source::open(path)?;
        let may_be_parquet = options.format.is_none_or(|format| format == Format::Parquet);
        if may_be_parquet && length.is_some() {
            let fault = |error| Error::reading(&name, &error, false);
            let mut magic = Vec::new();
            (&mut file).take(4).read_to_end(&mut magic).map_err(fault)?;
            if magic == format::PARQUET {
                return Self::new(&name, Format::Parquet, false, ParquetFile::open(&name, file, options)?, options);
            }
            file.rewind().map_err(fault)?;
        }
        Self::from_source(Source::new(&name, file, length)?, options)
    }

    /// Reads from anything; `name` is what messages call it. Parquet is refused, because its contents stand at its end.
    ///
    /// # Errors
    ///
    /// As of [`Table::open`].
    pub fn from_reader(name: &str, reader: impl Read + Send + 'static, options: &Options) -> Result<Self> {
        options.validate()?;
        Self::from_source(Source::new(name, reader, None)?, options)
    }

    /// Takes columns that are in memory, each with its name and as many cells as the others; `name` is what messages call them.
    /// Values know their types, as in JSON lines, and that is the format of which such a table says it is.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] if an option cannot be; [`Error::Content`] if two columns have one name or are not equally long, or one
    /// that is to be ignored is not there.
    pub fn from_columns(name: &str, columns: Vec<(String, Vec<Cell>)>, options: &Options) -> Result<Self> {
        options.validate()?;
        Self::new(name, Format::JsonLines, false, Held::new(name, columns, options)?, options)
    }

    fn from_source(source: Source, options: &Options) -> Result<Self> {
        let name = source.name.clone();
        let gzip = source.is_gzip();
        if source.head().starts_with(format::PARQUET)
            && !gzip
            && options.format.is_none_or(|format| format == Format::Parquet)
        {
            let reason = "is Parquet, whose table of contents stands at its end: save it as a file and give its path";
            return Err(Error::content(&name, reason));
        }
        let format = format::of_text(&name, source.head(), options.format)?;
        match format {
            Format::Csv => Self::new(&name, format, gzip, Csv::open(source, options)?, options),
            _ => Self::new(&name, format, gzip, JsonLines::open(source, options)?, options),
        }
    }

    fn new(
        name: &str,
        format: Format,
        gzip: bool,
        reader: impl ReadRows + Send + 'static,
        options: &Options,
    ) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            format,
            gzip,
            reader: Box::new(reader),
            strict: options.strict,
            malformed: Malformed::default(),
            is_done: false,
        })
    }

    /// The format, as given or found out.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the file is packed with gzip.
    pub fn is_gzip(&self) -> bool {
        self.gzip
    }

    /// The names of the columns.
    ///
    /// Of JSON lines these are all keys of the first thousand lines ([`Options::look_ahead`]), in the order in which they
    /// come. A later line may bring more: they are added at the end, and the row that brings one has it. In rows before it
    /// the cell counts as missing.
    pub fn columns(&self) -> &[Arc<str>] {
        self.reader.columns().names()
    }

    /// Reads the next row into `row`; false at the end. After an error there is nothing more to read.
    ///
    /// # Errors
    ///
    /// [`Error::File`] or [`Error::Content`] if the file cannot be read on, for example because it is cut off;
    /// [`Error::Row`] at a malformed row if [`Options::strict`] is set.
    pub fn read(&mut self, row: &mut Row) -> Result<bool> {
        while !self.is_done {
            match self.reader.next(row) {
                Ok(Step::Row) => {
                    row.columns = self.reader.columns().clone();
                    return Ok(true);
                }
                Ok(Step::End) => self.is_done = true,
                Ok(Step::Malformed(reason)) => {
                    self.malformed.add(row.line, reason.clone());
                    if self.strict {
                        self.is_done = true;
                        return Err(Error::Row { name: self.name.clone(), line: row.line, reason });
                    }
                }
                Err(error) => {
                    self.is_done = true;
                    return Err(error);
                }
            }
        }
        row.cells.clear();
        Ok(false)
    }

    /// The rows one by one, each with memory of its own. [`Table::read`] is faster.
    pub fn rows(&mut self) -> impl Iterator<Item = Result<Row>> + '_ {
        std::iter::from_fn(move || {
            let mut row = Row::new();
            self.read(&mut row).map(|is_row| is_row.then_some(row)).transpose()
        })
    }

    /// How far reading has come.
    pub fn progress(&self) -> Progress {
        self.reader.progress()
    }

    /// The rows that were left out so far.
    pub fn malformed(&self) -> &Malformed {
        &self.malformed
    }
}
