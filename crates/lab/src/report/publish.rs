//! The files of a directory of results: summary, tables, figures, report.

use serde::Serialize;

use super::figures::publish_page;
use super::run::run_report;
use crate::error::{Error, Result};
use crate::figure::Style;
use crate::results;
#[cfg(feature = "parquet")]
use crate::results::write_parquet;
use crate::results::{FinalTable, Summary, TableRequest};
use crate::store::Directory;
use crate::store::Outcome;
use crate::theory::comparison::compare_all;

/// Writes what [`publish_data`] writes, `theory.json`, `figures/` and `report.html`.
///
/// # Errors
/// If a file cannot be written; finished runs are not touched.
pub fn publish(directory: &Directory, outcome: &Outcome, parquet: bool) -> Result<()> {
    publish_data(directory, outcome, parquet)?;
    let drawable = outcome.drawable();
    let theory = compare_all(&drawable)?;
    directory.write("theory.json", json_text(&theory)?.as_bytes())?;
    publish_page(directory.path(), &run_report(&drawable, &theory, &Style::default())?)
}

/// Writes what [`publish_data`] writes and `report.html`, of the runs that are finished so far: what theory says, and figures as
/// files, come at the end. Browsers reload the page every so many seconds, if any are given.
///
/// # Errors
/// If a file cannot be written; finished runs are not touched.
pub fn publish_unfinished(directory: &Directory, outcome: &Outcome, parquet: bool, reload: Option<u64>) -> Result<()> {
    publish_data(directory, outcome, parquet)?;
    let page = run_report(&outcome.drawable(), &[], &Style::default())?;
    directory.write("report.html", page.unfinished_html(reload).as_bytes())
}

/// Writes `summary.json`, `results.csv`, `differences.csv`, `tables/`, and `results.parquet` if asked for or there already: it must not tell of other
/// runs than the rest.
///
/// # Errors
/// If a file cannot be written; finished runs are not touched.
pub fn publish_data(directory: &Directory, outcome: &Outcome, parquet: bool) -> Result<()> {
    directory.write("summary.json", summary_json(outcome)?.as_bytes())?;
    directory.write_by("results.csv", |out| results::write_csv(outcome, out))?;
    directory.write_by("differences.csv", |out| results::write_differences(outcome, out))?;
    let table = FinalTable::of(outcome, &TableRequest::default())?;
    directory.write("tables/final.tex", table.latex().as_bytes())?;
    directory.write("tables/final.md", table.markdown().as_bytes())?;
    if parquet || directory.path().join("results.parquet").exists() {
        directory.write_by("results.parquet", |out| write_parquet(outcome, out))?;
    }
    Ok(())
}

/// The summary as it is written.
///
/// # Errors
/// If a figure cannot be written as JSON, which would be a bug.
pub fn summary_json(outcome: &Outcome) -> Result<String> {
    json_text(&Summary::of(outcome))
}

fn json_text(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::input(e.to_string()))?;
    Ok(text + "\n")
}

#[cfg(not(feature = "parquet"))]
fn write_parquet(_: &Outcome, _: impl std::io::Write + Send) -> Result<()> {
    Err(Error::input("--parquet: this program was built without it; build with the feature \"parquet\""))
}
