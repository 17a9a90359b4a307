//! Every choice of a run, as a table of its own.

use std::io;
use std::path::{Path, PathBuf};

use super::files::{slug, write_whole};
use crate::build::Build;
use crate::error::{Error, Result};
use crate::experiment::Environment;
use crate::simulation::{Arrival, PlayedRound, RoundLog};

/// Where the choices of a policy in an environment go, below the directory of results. The fingerprint of the runs and their
/// build are part of the name, so that a table is never taken for that of another policy, environment, option or program.
pub(crate) fn choices_path(environment: &Environment, label: &str, fingerprint: &str, build: &Build) -> PathBuf {
    let (environment, label, build) = (slug(&environment.settings()), slug(label), build.short());
    Path::new("choices").join(format!("{environment}-{label}-{fingerprint:.8}-{build}"))
}

/// The choices of one run: t, arm, probability, best_probability, reward, delay (empty if the reward is lost), x1, x2, ...
pub(crate) struct ChoiceFile {
    path: PathBuf,
    writer: csv::Writer<Vec<u8>>,
    fields: Vec<String>,
    has_header: bool,
}

impl ChoiceFile {
    /// The file of a run in a directory of choices.
    pub(crate) fn path(directory: &Path, run: usize) -> PathBuf {
        directory.join(format!("run-{run}.csv"))
    }

    /// A table that appears in `directory` when it is finished.
    pub(crate) fn new(directory: &Path, run: usize) -> Self {
        let (path, writer) = (Self::path(directory, run), csv::Writer::from_writer(Vec::new()));
        Self { path, writer, fields: Vec::new(), has_header: false }
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn finish(self) -> Result<()> {
        let bytes = self.writer.into_inner().map_err(|e| Error::file(&self.path, "written", e.error()))?;
        write_whole(&self.path, &bytes)
    }

    fn write(&mut self) -> Result<()> {
        let failure = |e: csv::Error| Error::file(&self.path, "written", &io::Error::from(e));
        self.writer.write_record(&self.fields).map_err(failure)
    }

    fn write_header(&mut self, dimension: usize) -> Result<()> {
        self.has_header = true;
        let names = ["t", "arm", "probability", "best_probability", "reward", "delay"].map(str::to_owned);
        self.fields = names.into_iter().chain((1..=dimension).map(|i| format!("x{i}"))).collect();
        self.write()
    }
}

impl RoundLog for ChoiceFile {
    fn round(&mut self, round: &PlayedRound<'_>) -> Result<()> {
        if !self.has_header {
            self.write_header(round.features.len())?;
        }
        let delay = match round.arrival {
            Arrival::Late(late) => late.to_string(),
            Arrival::Lost => String::new(),
        };
        self.fields.clear();
        self.fields.push(round.t.to_string());
        self.fields.push(round.arm.map(|arm| arm.to_string()).unwrap_or_default());
        self.fields.extend([round.play.mean, round.best_mean, round.reward].map(|v| v.to_string()));
        self.fields.push(delay);
        self.fields.extend(round.features.iter().map(f64::to_string));
        self.write()
    }
}
