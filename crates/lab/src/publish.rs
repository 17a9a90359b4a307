//! The files of a directory of results: summary, tables, figures, report.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::figure::{Figure, Style};
use crate::outcome::Outcome;
use crate::report::{Page, run_report};
use crate::results;
use crate::store::{Directory, write_whole};
use crate::summary::Summary;
use crate::theory::beside::beside_all;

/// Pixels a unit of length of a figure: enough for print.
const PNG_SCALE: f64 = 2.0;

/// Writes what [`publish_data`] writes, `theory.json`, `figures/` and `report.html`.
///
/// # Errors
/// If a file cannot be written; finished runs are not touched.
pub fn publish(directory: &Directory, outcome: &Outcome, parquet: bool) -> Result<()> {
    publish_data(directory, outcome, parquet)?;
    let theory = beside_all(outcome)?;
    directory.write("theory.json", json_text(&theory)?.as_bytes())?;
    publish_page(directory, &run_report(outcome, &theory, &Style::default())?)
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

/// Writes a page as `report.html` and its figures as SVG and PNG.
///
/// # Errors
/// If a file cannot be written.
pub fn publish_page(directory: &Directory, page: &Page) -> Result<()> {
    write_figures(&directory.path().join("figures"), page.figures())?;
    directory.write("report.html", page.html().as_bytes())
}

/// Writes figures by name as SVG and PNG, and says where.
///
/// # Errors
/// If a file cannot be written.
pub fn write_figures<'a>(
    directory: &Path,
    figures: impl Iterator<Item = (&'a str, &'a Figure)>,
) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for (name, figure) in figures {
        let (svg, png) = (directory.join(format!("{name}.svg")), directory.join(format!("{name}.png")));
        write_whole(&svg, figure.standalone().as_bytes())?;
        write_whole(&png, &figure.png(PNG_SCALE)?)?;
        paths.extend([svg, png]);
    }
    Ok(paths)
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
