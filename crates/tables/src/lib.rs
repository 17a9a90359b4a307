//! Tables read as a stream: CSV, JSON lines, dsjson, each with or without gzip, and Parquet. One row is in memory at a time
//! (of Parquet a thousand), rows that cannot be read are counted and never dropped in silence, and what the columns are can
//! be guessed.
//!
//! ```
//! use optimist_tables::{Cell, Options, Row, Table};
//!
//! let csv = "age,city,clicked\n31,Berlin,true\n?,Hamburg,false\n40,Kiel\n";
//! let mut table = Table::from_reader("visits.csv", csv.as_bytes(), &Options::default())?;
//! assert_eq!(table.columns().len(), 3);
//!
//! let mut row = Row::new();
//! let mut clicks = 0;
//! while table.read(&mut row)? {
//!     clicks += usize::from(row.get("clicked") == Some(&Cell::Bool(true)));
//! }
//! assert_eq!(clicks, 1);
//! assert_eq!(table.malformed().first, [(4, "2 fields where there are 3 columns".to_owned())]);
//! # Ok::<(), optimist_tables::Error>(())
//! ```
//!
//! [`Table::open`] opens a file, or standard input as `-`; [`Table::from_reader`] takes anything that can be read,
//! [`Table::from_columns`] what is in memory already.
//! [`DecisionLog`] reads dsjson as decisions, and [`guess`] says what the columns are.
//!
//! # What is found out, and from what
//!
//! The format comes from the first bytes, never from the name: gzip and Parquet have marks, a `{` starts JSON lines, and all
//! else is CSV. Zip, zstd, bzip2, xz, UTF-16, Arrow, SQLite and JSON arrays are recognised to say what to do about them. The
//! delimiter of CSV is that of `,` `;` tab and `|` with which the first rows are as wide as the header.
//!
//! # What becomes of values
//!
//! | In the file | Cell |
//! |---|---|
//! | a word of [`Options::missing`] (empty, `NA`, `N/A`, `NaN`, `null`, `?`; in any case of letters) | missing, in all formats |
//! | JSON `null`, Parquet null and NaN | missing |
//! | `true`, `True`, `TRUE`, `false`, `False`, `FALSE` in CSV | boolean |
//! | `5`, `-0.5`, `+5`, `.5`, `1e-3` in CSV, quoted or not | number |
//! | `1,5` in CSV | text; a number with [`Options::decimal_comma`] |
//! | `007` in CSV | text: leading zeros make a code |
//! | `1e400`, `inf`; in Parquet infinity | text, in JSON lines malformed: numbers are finite |
//! | whole numbers that an `f64` would change | text; in JSON only up to 20 digits, longer ones are rounded |
//! | white space around a field of CSV | left out, also inside quotes |
//! | `{"a": {"b": 1}}` in JSON, a struct in Parquet | a column `a.b`; an empty object is no column |
//! | a list of numbers in JSON or Parquet | vector |
//! | any other list | its JSON as text |
//! | a map in Parquet | two lists, `m.key` and `m.value` |
//! | a timestamp, date or time of day in Parquet | text as of RFC 3339 |
//! | a decimal in Parquet | number; single precision as its shortest decimal |
//! | bytes in Parquet | text if UTF-8, otherwise malformed; of fixed length: hexadecimal digits |
//! | lists of lists and Variant in Parquet | an error when opening that says how to leave the column out |
//!
//! # What becomes of bad input
//!
//! A row is **malformed**, left out and counted ([`Table::malformed`]) if it has too many or too few fields, a NUL byte, text
//! that is not UTF-8, a quote that is never closed, more than [`Options::max_row_bytes`], two values for one key, or is no
//! JSON object. With [`Options::strict`] the first such row is an error. Blank lines are no rows. A byte-order mark is passed
//! over, and lines end with LF, CRLF or (in CSV) CR.
//!
//! The file as a whole is an **error** if it is empty, cut off in the middle of gzip or Parquet, or its header has two columns
//! of one name (unless [`Options::rename_duplicates`] is set). A header without rows is a table without rows. A column without
//! a name is called `c` and its number. Text behind a closing quote (`"a"b`) belongs to the field, so a quote that is
//! closed lines later makes one long field and is noticed only if the row gets too wide or too narrow.

mod cell;
mod csv;
mod delimiter;
mod dsjson;
mod error;
mod format;
mod guess;
mod held;
mod json;
mod json_lines;
mod lines;
mod malformed;
mod options;
mod parquet_column;
mod parquet_file;
mod parquet_schema;
mod row;
mod source;
mod table;
mod words;

pub use cell::Cell;
pub use dsjson::{Decision, DecisionLog, Features};
pub use error::{Error, Result};
pub use format::Format;
pub use guess::{Distinct, Guess, GuessOptions, Guesser, Kind, TimeForm, guess};
pub use malformed::Malformed;
pub use options::Options;
pub use row::Row;
pub use source::Progress;
pub use table::Table;
