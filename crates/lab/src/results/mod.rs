//! Results as tables, for other tools: one row an environment, policy, run and checkpoint.

mod csv;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;

pub use self::csv::write_csv;
#[cfg(feature = "parquet")]
pub use self::parquet::write_parquet;

use std::io;
use std::path::Path;

use crate::error::Error;

/// A failure to write; whoever opened the file knows its name.
fn cannot_write(error: &io::Error) -> Error {
    Error::file(Path::new("the table of results"), "written", error)
}
