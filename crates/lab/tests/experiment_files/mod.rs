//! Experiment files: what is read, what is refused and in which words, and that documents and schema keep in step.

mod dense_curves;
mod documents;
mod environment_refusals;
mod labels;
mod mutations;
mod own_contexts;
mod reading;
mod refusals;
mod suggestions;
mod sweeps;
mod validator;

use std::fs;
use std::path::{Path, PathBuf};

use optimist_lab::Experiment;
use optimist_lab::experiment::read;

/// The top of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All example files, with their names.
fn examples() -> Vec<(String, String)> {
    let paths = fs::read_dir(workspace().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.extension().is_some_and(|end| end == "toml"));
    files.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap())).collect()
}

/// A small file with a part replaced.
fn file(top: &str, environment: &str, policies: &str) -> String {
    format!("name = \"test\"\nruns = 2\nhorizon = 100\n{top}\n[environment]\n{environment}\n{policies}\n")
}

/// An environment that is right.
const ENVIRONMENT: &str = "dimension = 2\narms = { kind = \"ball-sample\", count = 4 }\nkappa = 50";

/// A policy that is right.
const POLICY: &str = "[[policy]]\nname = \"optimist\"";

/// Reads a text that is right.
fn accepted(text: &str) -> Experiment {
    read(text, Path::new("")).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The message for a text that is wrong.
fn refused(text: &str) -> String {
    match read(text, Path::new("")) {
        Ok(experiment) => panic!("was read: {experiment:?}\n{text}"),
        Err(e) => e.to_string(),
    }
}
