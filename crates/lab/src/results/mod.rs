//! What came of an experiment, in figures: statistics, the summary, and tables for other tools with one row an
//! environment, policy, run and checkpoint.

mod columns;
mod cost;
mod csv;
mod differences;
mod final_table;
mod markup;
mod paired;
#[cfg(feature = "parquet")]
mod parquet;
mod phase;
mod rows;
mod statistics;
mod summary;

pub use self::columns::{ColumnValues, Rounds, columns};
pub use self::cost::PolicyCost;
pub use self::csv::write_csv;
pub use self::differences::{ALPHA, Comparison, Difference, difference_rounds, differences, write_differences};
pub use self::final_table::{FinalCell, FinalTable, TableRequest, round_with_figures};
pub use self::paired::{PairedTest, holm};
#[cfg(feature = "parquet")]
pub use self::parquet::write_parquet;
pub use self::phase::transitory_end;
pub use self::statistics::{Statistics, quantile, ratio_of_means};
pub use self::summary::{EnvironmentResults, EnvironmentSummary, PolicySummary, Summary};

use std::io;
use std::path::Path;

use crate::error::Error;

/// A failure to write; whoever opened the file knows its name.
fn cannot_write(error: &io::Error) -> Error {
    Error::file(Path::new("the table of results"), "written", error)
}
