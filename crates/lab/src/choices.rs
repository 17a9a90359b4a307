//! Every choice of a run, as a table of its own.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::simulation::{Fate, Log, Round};
use crate::store::write_whole;

/// Where the choices of a policy go, below the directory of results.
pub fn choices_path(cell: usize, label: &str) -> PathBuf {
    Path::new("choices").join(format!("{}-{}", cell + 1, slug(label)))
}

/// A name for a file: letters, digits and single dashes.
pub fn slug(text: &str) -> String {
    let dashed: String = text.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    dashed.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// The choices of one run: t, arm, probability, best_probability, reward, delay (empty if the reward is lost), x1, x2, ...
pub struct ChoiceFile {
    path: PathBuf,
    writer: csv::Writer<Vec<u8>>,
    fields: Vec<String>,
    has_header: bool,
}

impl ChoiceFile {
    /// The file of a run in a directory of choices.
    pub fn path(directory: &Path, run: usize) -> PathBuf {
        directory.join(format!("run-{run}.csv"))
    }

    /// A table that appears in `directory` when it is finished.
    ///
    /// # Errors
    /// None so far; writing may fail at the end.
    pub fn new(directory: &Path, run: usize) -> Result<Self> {
        let (path, writer) = (Self::path(directory, run), csv::Writer::from_writer(Vec::new()));
        Ok(Self { path, writer, fields: Vec::new(), has_header: false })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<()> {
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

impl Log for ChoiceFile {
    fn round(&mut self, round: &Round<'_>) -> Result<()> {
        if !self.has_header {
            self.write_header(round.features.len())?;
        }
        let delay = match round.fate {
            Fate::Late(late) => late.to_string(),
            Fate::Lost => String::new(),
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
