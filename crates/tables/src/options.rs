//! How a table is read.

use serde::{Deserialize, Serialize};

use crate::{Error, Format, Result};

/// How a table is read. The default finds everything out by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The format; found out from the first bytes, never from the name, if not given. Gzip is found out in any case.
    pub format: Option<Format>,
    /// What separates the fields of CSV; found out from the first lines among `,` `;` tab and `|` if not given.
    pub delimiter: Option<char>,
    /// Whether the first line of CSV names the columns. Otherwise they are called `c1`, `c2` and so on.
    pub header: bool,
    /// Whether the second column `x` of a CSV header is called `x.2`, the third `x.3`. Otherwise it is an error, because who
    /// asks for `x` should know which.
    pub rename_duplicates: bool,
    /// Texts that mean "no value", in any case of letters and in all formats.
    pub missing: Vec<String>,
    /// Whether CSV writes one and a half as `1,5`. Otherwise `1,5` is text, and `1.5` is a number either way.
    pub decimal_comma: bool,
    /// Whether the first malformed row is an error. Otherwise such rows are left out and counted.
    pub strict: bool,
    /// Columns that are not read.
    pub ignore: Vec<String>,
    /// The most bytes of one row of CSV or one line of JSON; a longer one is malformed. This bounds the memory.
    pub max_row_bytes: usize,
    /// The most columns; a header with more is an error, a JSON line that brings more is malformed.
    pub max_columns: usize,
    /// How many lines of JSON are looked at for [`Table::columns`](crate::Table::columns) before the first row.
    pub look_ahead: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            delimiter: None,
            header: true,
            rename_duplicates: false,
            missing: ["", "NA", "N/A", "NaN", "null", "?"].map(str::to_owned).to_vec(),
            decimal_comma: false,
            strict: false,
            ignore: Vec::new(),
            max_row_bytes: 16 << 20,
            max_columns: 10_000,
            look_ahead: 1000,
        }
    }
}

impl Options {
    /// Checks every value by itself.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] names the field, its value and what is allowed.
    pub fn validate(&self) -> Result<()> {
        let fault = |field, value: String, remedy: &str| Err(Error::Option { field, value, remedy: remedy.to_owned() });
        if let Some(delimiter) = self.delimiter
            && (!delimiter.is_ascii() || matches!(delimiter, '"' | '\r' | '\n' | '\0'))
        {
            let remedy = "give one ASCII character that is no quote and no end of line, such as ',' or ';'";
            return fault("delimiter", format!("{delimiter:?}"), remedy);
        }
        if self.max_row_bytes == 0 {
            return fault("max_row_bytes", "0".to_owned(), "give at least 1; the default is 16777216");
        }
        if self.max_columns == 0 {
            return fault("max_columns", "0".to_owned(), "give at least 1; the default is 10000");
        }
        Ok(())
    }
}
