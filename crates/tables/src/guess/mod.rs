//! What the columns of a table are, from its first rows.

mod column;
mod names;
mod rules;
mod time;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Error, Result, Row, Table};
use column::Column;

/// How columns are guessed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GuessOptions {
    /// How many rows are looked at, the first ones.
    pub rows: usize,
    /// How many different values of a column are counted; more are "at least so many". This bounds the memory.
    pub max_distinct: usize,
}

impl Default for GuessOptions {
    fn default() -> Self {
        Self { rows: 10_000, max_distinct: 1000 }
    }
}

impl GuessOptions {
    /// Checks every value by itself.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] names the field, its value and what is allowed.
    pub fn validate(&self) -> Result<()> {
        for (field, value, least) in [("rows", self.rows, 1), ("max_distinct", self.max_distinct, 3)] {
            if value < least {
                return Err(Error::Option {
                    field,
                    value: value.to_string(),
                    remedy: format!("give at least {least}"),
                });
            }
        }
        Ok(())
    }
}

/// What a column seems to be. In words: `number`, `boolean` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A quantity.
    Number,
    /// One of two: true and false, 0 and 1, yes and no.
    Boolean,
    /// One of several.
    Category {
        /// How many there were; at least so many if they were too many to count.
        levels: usize,
    },
    /// A name of the row that tells nothing about it: different in nearly every row.
    Identifier,
    /// A point in time.
    Time(TimeForm),
    /// Several words.
    Text,
    /// So many numbers in each cell.
    Vector(usize),
    /// The same value in every row, or none.
    Constant,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Number => "number",
            Kind::Boolean => "boolean",
            Kind::Category { .. } => "category",
            Kind::Identifier => "identifier",
            Kind::Time(_) => "time",
            Kind::Text => "text",
            Kind::Vector(_) => "vector",
            Kind::Constant => "constant",
        })
    }
}

/// How a point in time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeForm {
    /// RFC 3339, such as `2021-02-04T16:31:29Z`; the offset may be missing, and a space may stand for the T.
    Rfc3339,
    /// A date alone, such as `2021-02-04`.
    Date,
    /// Seconds since 1970.
    UnixSeconds,
    /// Milliseconds since 1970.
    UnixMilliseconds,
}

/// How many different values there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distinct {
    /// So many.
    Exactly(usize),
    /// More than were counted.
    AtLeast(usize),
}

impl fmt::Display for Distinct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distinct::Exactly(count) => write!(f, "{count}"),
            Distinct::AtLeast(count) => write!(f, ">= {count}"),
        }
    }
}

/// What one column seems to be, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// Its name.
    pub column: Arc<str>,
    /// What it seems to be.
    pub kind: Kind,
    /// What was seen that makes it so: "has 812 different whole numbers and is named like a code".
    pub why: String,
    /// What else it may well be, in the words of [`Kind`]; nothing if there is hardly a doubt.
    pub otherwise: Option<&'static str>,
    /// How many different values it has.
    pub distinct: Distinct,
    /// In how many of the rows it has no value.
    pub missing: u64,
    /// The rows that were looked at.
    pub rows: u64,
    /// Its first value, cut off if it is long; nothing if it has none.
    pub example: Option<String>,
}

/// One sentence: "`zip` has 812 different whole numbers and is named like a code: read as category; say `--number zip`
/// otherwise".
impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}: read as {}", self.column, self.why, self.kind)?;
        if let Some(otherwise) = self.otherwise {
            write!(f, "; say `--{otherwise} {}` otherwise", self.column)?;
        }
        Ok(())
    }
}

/// Guesses from rows that are given one by one. Use it where a table can be read only once, such as standard input;
/// [`guess`] where it can be opened again.
#[derive(Debug)]
pub struct Guesser {
    options: GuessOptions,
    columns: Vec<Column>,
    rows: u64,
}

impl Guesser {
    /// Starts with no row.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] as of [`GuessOptions::validate`].
    pub fn new(options: &GuessOptions) -> Result<Self> {
        options.validate()?;
        Ok(Self { options: options.clone(), columns: Vec::new(), rows: 0 })
    }

    /// Looks at a row of a table; rows beyond [`GuessOptions::rows`] are not looked at. All must be of the same table.
    /// Says whether more are wanted.
    pub fn add(&mut self, row: &Row) -> bool {
        if self.rows >= self.options.rows as u64 {
            return false;
        }
        // Columns that come late were missing in the rows before.
        for name in &row.columns()[self.columns.len().min(row.columns().len())..] {
            self.columns.push(Column::new(name.clone(), self.rows));
        }
        self.rows += 1;
        for (index, column) in self.columns.iter_mut().enumerate() {
            match row.cells().get(index) {
                Some(cell) => column.add(cell, self.options.max_distinct),
                None => column.missing += 1,
            }
        }
        self.rows < self.options.rows as u64
    }

    /// The guesses, in the order of the columns.
    pub fn finish(&self) -> Vec<Guess> {
        self.columns.iter().map(|column| rules::decide(column, self.rows)).collect()
    }
}

/// Guesses what the columns of a table are, from its next rows, which are read.
///
/// The same rows give the same guesses. The rules, of which the first that fits decides:
///
/// 1. **constant**: no value, or one.
/// 2. **vector**: all values are vectors of one length.
/// 3. **boolean**: true and false, 0 and 1, yes and no, y and n, or t and f.
/// 4. **time**: text that is all RFC 3339 or dates; whole numbers that all lie between 2001 and 2100 as seconds or
///    milliseconds since 1970, unless the name is that of an identifier.
/// 5. Numbers: **identifier** if they count the rows, or are whole, nearly all different and named like an identifier;
///    **category** if they are whole and named like an identifier or a code (`zip`, `label`), or there are only two;
///    else **number**.
/// 6. Other values, text among numbers included: **text** if they have three words and more on average and there are more
///    than twenty; **identifier** if nearly all are different; else **category**.
///
/// "Nearly all different" is 95 in 100 of at least 20 values.
///
/// ```
/// use optimist_tables::{GuessOptions, Options, Table, guess};
///
/// let csv = "zip,clicked\n10115,1\n10117,0\n10115,0\n20095,1\n";
/// let mut table = Table::from_reader("example", csv.as_bytes(), &Options::default())?;
/// let guesses = guess(&mut table, &GuessOptions::default())?;
/// assert_eq!(
///     guesses[0].to_string(),
///     "`zip` has 3 different whole numbers and is named like a code: read as category; say `--number zip` otherwise"
/// );
/// # Ok::<(), optimist_tables::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Option`] if an option cannot be; otherwise those of [`Table::read`].
pub fn guess(table: &mut Table, options: &GuessOptions) -> Result<Vec<Guess>> {
    let mut guesser = Guesser::new(options)?;
    let mut row = Row::new();
    while table.read(&mut row)? && guesser.add(&row) {}
    // A table without rows has columns nevertheless.
    let names = table.columns();
    for name in names.get(guesser.columns.len()..).unwrap_or_default() {
        guesser.columns.push(Column::new(name.clone(), guesser.rows));
    }
    Ok(guesser.finish())
}
