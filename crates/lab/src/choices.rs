//! Every choice of a run, as a table of its own.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::experiment::Environment;
use crate::simulation::{Fate, Log, Round};
use crate::store::write_whole;

/// Where the choices of a policy in an environment go, below the directory of results. The fingerprint of the runs is part
/// of the name, so that a table is never taken for that of another policy, environment or option.
pub fn choices_path(environment: &Environment, label: &str, fingerprint: &str) -> PathBuf {
    let (environment, label) = (slug(&environment.to_string()), slug(label));
    Path::new("choices").join(format!("{environment}-{label}-{fingerprint:.8}"))
}

/// The longest slug, in bytes: several of them make the name of a file, which may have 255.
const SLUG_MOST: usize = 80;

/// A part of a file's name: letters, digits and single dashes, never empty, never long. Different texts may have the same.
pub fn slug(text: &str) -> String {
    let dashed: String = text.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let mut slug = dashed.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    while slug.len() > SLUG_MOST || slug.ends_with('-') {
        slug.pop();
    }
    if slug.is_empty() { "unnamed".to_owned() } else { slug }
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
    pub fn new(directory: &Path, run: usize) -> Self {
        let (path, writer) = (Self::path(directory, run), csv::Writer::from_writer(Vec::new()));
        Self { path, writer, fields: Vec::new(), has_header: false }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_short_names_of_files() {
        assert_eq!(slug("d=2 ball-sample=40 kappa=50"), "d-2-ball-sample-40-kappa-50");
        assert_eq!(slug("../Größer than/ever\n"), "größer-than-ever");
        assert_eq!((slug("!!!").as_str(), slug("").as_str()), ("unnamed", "unnamed"));
        let long = slug(&"0.1234567;ö".repeat(60));
        assert!(long.len() <= SLUG_MOST && long.starts_with("0-1234567-ö0-") && !long.ends_with('-'), "{long}");
    }
}
