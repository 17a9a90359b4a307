//! Experiments, from files, texts and dictionaries.

use std::path::PathBuf;

use optimist_lab::Experiment;
use optimist_lab::experiment::Document;
use pyo3::prelude::*;

use super::raised::explained;
use crate::errors::{Fault, Result};

/// Reads an experiment and returns it as JSON: everything written out, as other functions here take it.
///
/// ``text`` is TOML, or a JSON object with the same keys. ``policies``, a JSON list, stands in for those of the text.
#[pyfunction]
#[pyo3(signature = (text, is_json, directory, policies = None))]
pub(crate) fn read_experiment(
    py: Python<'_>,
    text: &str,
    is_json: bool,
    directory: PathBuf,
    policies: Option<&str>,
) -> Result<String> {
    // Policies written in Python are built while it is read, which takes the interpreter.
    let read = py.detach(|| -> optimist_lab::Result<Experiment> {
        let mut document = if is_json { Document::of_json(text)? } else { Document::of_toml(text)? };
        policies.map_or(Ok(()), |policies| document.set_policies(policies))?;
        document.read(&directory)
    });
    to_json(&read.map_err(|error| explained(py, error))?)
}

/// The experiment that [`read_experiment`] returned.
pub(super) fn of_json(text: &str) -> Result<Experiment> {
    serde_json::from_str(text).map_err(|e| Fault::input(format!("the experiment is damaged: {e}")))
}

pub(super) fn to_json(experiment: &Experiment) -> Result<String> {
    serde_json::to_string(experiment).map_err(|e| Fault::input(format!("the experiment cannot be written: {e}")))
}
