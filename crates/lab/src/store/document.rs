//! `experiment.json`: whose results a directory holds.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use super::files::write_whole;
use crate::error::{Error, Result};
use crate::experiment::Experiment;

/// The name of the file.
pub(super) const EXPERIMENT: &str = "experiment.json";
const FORMAT: &str = "optimist-experiment";

/// The experiment as it is stored.
#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    /// Of the program that wrote it.
    version: String,
    experiment: Experiment,
    /// The builds whose runs are part of the results, by the labels of policies. Files of earlier versions have none.
    #[serde(default)]
    builds: Counted,
}

/// What is stored beside the runs.
pub(super) struct Stored {
    pub(super) experiment: Experiment,
    pub(super) counted: Counted,
}

/// The experiment that is stored in a directory, if there is one, with the builds that count.
pub(super) fn read_experiment(path: &Path) -> Result<Option<Stored>> {
    let name = path.join(EXPERIMENT);
    let text = match fs::read(&name) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(e) => return Err(Error::file(&name, "read", &e)),
        Ok(text) => text,
    };
    let document: Document = serde_json::from_slice(&text).map_err(|e| {
        let remedy = "it is damaged or from another version; remove it to run the experiment afresh (finished runs that \
                      fit are still used)";
        Error::input(format!("{}: {e}: {remedy}", name.display()))
    })?;
    if document.format != FORMAT {
        return Err(Error::input(format!("{}: \"format\" must be \"{FORMAT}\"", name.display())));
    }
    Ok(Some(Stored { experiment: document.experiment, counted: document.builds }))
}

pub(super) fn write_experiment(path: &Path, experiment: &Experiment, counted: &Counted) -> Result<()> {
    let document = Document {
        format: FORMAT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        experiment: experiment.clone(),
        builds: counted.clone(),
    };
    let text = serde_json::to_string_pretty(&document).map_err(|e| Error::input(e.to_string()))?;
    write_whole(&path.join(EXPERIMENT), (text + "\n").as_bytes())
}

/// A directory that holds another experiment is left alone. Policies, environments and runs may be added or left out.
pub(super) fn check_same(path: &Path, stored: &Experiment, asked: &Experiment) -> Result<()> {
    let differs = |key: &str, stored: String, asked: String| {
        let what = format!("{} holds another experiment: {key} is {stored} there and {asked} here", path.display());
        Err(Error::input(format!("{what}; give another --out")))
    };
    if stored.name != asked.name {
        return differs("name", format!("\"{}\"", stored.name), format!("\"{}\"", asked.name));
    }
    if stored.seed != asked.seed {
        return differs("seed", stored.seed.to_string(), asked.seed.to_string());
    }
    if stored.horizon != asked.horizon {
        return differs("horizon", stored.horizon.to_string(), asked.horizon.to_string());
    }
    if stored.delta.to_bits() != asked.delta.to_bits() {
        return differs("delta", stored.delta.to_string(), asked.delta.to_string());
    }
    Ok(())
}
