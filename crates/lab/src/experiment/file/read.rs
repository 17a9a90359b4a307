//! The whole file.

use std::path::Path as FilePath;

use super::check::check;
use super::document::Document;
use super::table::Table;
use super::{environment, policies};
use crate::error::Result;
use crate::experiment::{Experiment, log_spaced};
use crate::input::Path;

/// Checkpoints of a file that names none.
const CHECKPOINTS: usize = 10;

/// Reads an experiment file. Paths in it are relative to `directory`.
///
/// Everything that can be known before the first run is checked: every policy is built for every environment.
///
/// # Errors
/// If the text is not TOML, has an unknown key, lacks one, or has a value that cannot be; if a file of arms cannot be
/// read; if a policy refuses its options or an environment. The message is one line that names the key and the remedy.
pub fn read(text: &str, directory: &FilePath) -> Result<Experiment> {
    Document::of_toml(text)?.read(directory)
}

/// Reads an experiment from the keys of a file.
pub(super) fn read_table(document: &toml::Table, directory: &FilePath) -> Result<Experiment> {
    let top = Table::new("", &Path::Root, document, &[])?;
    let horizon = top.need("horizon")?.size()?;
    let experiment = Experiment {
        name: top.need("name")?.text()?,
        seed: top.need("seed")?.whole()?,
        runs: top.need("runs")?.size()?,
        horizon,
        delta: top.need("delta")?.number()?,
        checkpoints: checkpoints(&top, horizon)?,
        coverage: top.need("coverage")?.word()?,
        environments: environment::read_all(&top.need("environment")?, directory)?,
        policies: policies::read_all(&top.need("policy")?)?,
    };
    check(&experiment)?;
    Ok(experiment)
}

/// The checkpoints, ascending, each once, the horizon last.
fn checkpoints(top: &Table<'_, '_>, horizon: usize) -> Result<Vec<usize>> {
    let Some(field) = top.get("checkpoints")? else { return Ok(log_spaced(horizon, CHECKPOINTS)) };
    let given = field.wholes()?;
    if let Some(late) = given.iter().find(|round| **round > horizon as u64) {
        return Err(field.refuse(format_args!("has {late}: no round is after the horizon, which is {horizon}")));
    }
    let mut rounds: Vec<usize> = given.iter().map(|round| *round as usize).chain([horizon]).collect();
    rounds.sort_unstable();
    rounds.dedup();
    Ok(rounds)
}
