//! The files of a directory of results: summary, tables, figures, report.

use serde::Serialize;

use super::figures::publish_page;
use super::run::run_report;
use crate::error::{Error, Result};
use crate::figure::Style;
use crate::results;
use crate::results::Summary;
use crate::store::Directory;
use crate::store::Outcome;
use crate::theory::comparison::compare_all;

/// Writes what [`publish_data`] writes, `theory.json`, `figures/` and `report.html`.
///
/// # Errors
/// If a file cannot be written; finished runs are not touched.
pub fn publish(directory: &Directory, outcome: &Outcome, parquet: bool) -> Result<()> {
    publish_data(directory, outcome, parquet)?;
    let theory = compare_all(outcome)?;
    directory.write("theory.json", json_text(&theory)?.as_bytes())?;
    publish_page(directory.path(), &run_report(outcome, &theory, &Style::default())?)
}

/// Writes `summary.json`, `results.csv`, and `results.parquet` if asked for or there already: it must not tell of other
/// runs than the rest.
///
/// # Errors
/// If a file cannot be written; finished runs are not touched.
pub fn publish_data(directory: &Directory, outcome: &Outcome, parquet: bool) -> Result<()> {
    directory.write("summary.json", summary_json(outcome)?.as_bytes())?;
    let mut table = Vec::new();
    results::write_csv(outcome, &mut table)?;
    directory.write("results.csv", &table)?;
    if parquet || directory.path().join("results.parquet").exists() {
        directory.write("results.parquet", &parquet_bytes(outcome)?)?;
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

#[cfg(feature = "parquet")]
fn parquet_bytes(outcome: &Outcome) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    results::write_parquet(outcome, &mut bytes)?;
    Ok(bytes)
}

#[cfg(not(feature = "parquet"))]
fn parquet_bytes(_: &Outcome) -> Result<Vec<u8>> {
    Err(Error::input("--parquet: this program was built without it; build with the feature \"parquet\""))
}
