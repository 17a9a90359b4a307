//! The whole file.

use std::path::Path as FilePath;

use super::check::check;
use super::document::Document;
use super::table::{Field, Table};
use super::{environment, policies};
use crate::error::{Error, Result};
use crate::experiment::checkpoints::{CURVE_POINTS, Pattern};
use crate::experiment::{Experiment, log_spaced};
use crate::input::Path;

/// Checkpoints of a file that names none.
const CHECKPOINTS: usize = 10;

/// Rows that dense curves may have together: memory, `runs.log` and `results.csv` take some 250 bytes for each.
const ROWS_MOST: usize = 2_000_000;

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
    let checkpoints = read_checkpoints(&top, horizon)?;
    let experiment = Experiment {
        name: top.need("name")?.text()?,
        seed: top.need("seed")?.whole()?,
        runs: top.need("runs")?.size()?,
        horizon,
        delta: top.need("delta")?.number()?,
        checkpoints,
        coverage: top.need("coverage")?.word()?,
        environments: environment::read_all(&top.need("environment")?, directory)?,
        policies: policies::read_all(&top.need("policy")?)?,
    };
    check_rows(&experiment)?;
    check(&experiment)?;
    Ok(experiment)
}

/// The checkpoints, ascending, each once, the horizon last.
fn read_checkpoints(top: &Table<'_, '_>, horizon: usize) -> Result<Vec<usize>> {
    let Some(field) = top.get("checkpoints")? else { return Ok(log_spaced(horizon, CHECKPOINTS)) };
    let given = match field.text_or_wholes()? {
        Ok(text) => return read_pattern(&field, text, horizon),
        Err(rounds) => rounds,
    };
    if let Some(late) = given.iter().find(|round| **round > horizon as u64) {
        return Err(field.refuse(format_args!("has {late}: no round is after the horizon, which is {horizon}")));
    }
    let mut rounds: Vec<usize> = given.iter().map(|round| *round as usize).chain([horizon]).collect();
    rounds.sort_unstable();
    rounds.dedup();
    Ok(rounds)
}

fn read_pattern(field: &Field<'_, '_>, text: &str, horizon: usize) -> Result<Vec<usize>> {
    match Pattern::parse(text) {
        None => Err(field.wrong()),
        Some(Pattern::Every(step)) if step > horizon => {
            Err(field.refuse_value(format_args!("no round is after the horizon, which is {horizon}")))
        }
        // Before the rounds are written out: one run of them must fit.
        Some(pattern) if pattern.count(horizon) > ROWS_MOST => Err(too_many(pattern.count(horizon))),
        Some(pattern) => Ok(pattern.rounds(horizon)),
    }
}

/// Curves as dense as those that are recorded in any case cost nothing, however many runs there are.
fn check_rows(experiment: &Experiment) -> Result<()> {
    let Experiment { runs, checkpoints, environments, policies, .. } = experiment;
    let factors = [*runs, checkpoints.len(), environments.len(), policies.len()];
    let rows = factors.into_iter().fold(1_usize, usize::saturating_mul);
    if checkpoints.len() > CURVE_POINTS && rows > ROWS_MOST { Err(too_many(rows)) } else { Ok(()) }
}

fn too_many(rows: usize) -> Error {
    Error::input(format!(
        "checkpoints: there would be {rows} rows of results (environments x policies x runs x checkpoints), and dense \
         curves may have {ROWS_MOST}; take \"log 200\", or \"every N\" with a larger N"
    ))
}
