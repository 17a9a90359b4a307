//! The directory itself: whose results it holds, who may write it, files that appear whole or not at all.

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::fingerprint::fingerprint;
use super::log::{self, Log, Runs};
use crate::error::{Error, Result};
use crate::experiment::{Contender, Environment, Experiment};
use crate::outcome::{Cell, Lane, Outcome};
use crate::record::Record;

const EXPERIMENT: &str = "experiment.json";
const RUNS: &str = "runs.log";
const LOCK: &str = ".lock";
const FORMAT: &str = "optimist-experiment";

/// What the user should know beside the results.
pub type Warnings = Vec<String>;

/// The experiment as it is stored.
#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    /// Of the program that wrote it.
    version: String,
    experiment: Experiment,
}

/// A directory of results that this process alone may write.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    experiment: Experiment,
    runs: Runs,
    log: Mutex<Log>,
    warnings: Warnings,
    /// Held until the end.
    _lock: File,
}

impl Directory {
    /// Opens the directory for an experiment, or creates it.
    ///
    /// # Errors
    /// If it cannot be written, another process writes it, or it holds something else: another experiment, or files that
    /// are not results.
    pub fn open(path: &Path, experiment: &Experiment) -> Result<Self> {
        fs::create_dir_all(path).map_err(|e| Error::file(path, "created", &e))?;
        // Before the lock, which is a file, so that nothing is put into a directory that is not ours; and after it, because
        // another process may have been here in between.
        examine(path, experiment)?;
        let lock = lock(path)?;
        let stored = examine(path, experiment)?;
        let (runs, damaged) = read_runs(path)?;
        let warnings = damage(path, damaged, &collect(experiment, &runs), "those runs are run again");
        if stored.as_ref() != Some(experiment) {
            write_experiment(path, experiment)?;
        }
        let name = path.join(RUNS);
        let log = Mutex::new(Log::open(&name).map_err(|e| Error::file(&name, "written", &e))?);
        let (path, experiment) = (path.to_owned(), experiment.clone());
        Ok(Self { path, experiment, runs, log, warnings, _lock: lock })
    }

    /// The finished runs of a directory that is not to be changed.
    ///
    /// # Errors
    /// If it holds no results, or they cannot be read.
    pub fn load(path: &Path) -> Result<(Outcome, Warnings)> {
        let missing = || Error::input(format!("{} holds no results: there is no {EXPERIMENT} in it", path.display()));
        let experiment = read_experiment(path)?.ok_or_else(missing)?;
        let (runs, damaged) = read_runs(path)?;
        let outcome = collect(&experiment, &runs);
        let warnings = damage(path, damaged, &outcome, "run the experiment again to make up for them");
        Ok((outcome, warnings))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was noticed on opening.
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    /// Whether a run is finished.
    pub fn has(&self, fingerprint: &str, run: usize) -> bool {
        self.runs.contains_key(&(fingerprint.to_owned(), run))
    }

    /// Keeps a finished run: it is in the file when this returns.
    ///
    /// # Errors
    /// If it cannot be written; what was kept before is not lost.
    pub fn keep(&self, fingerprint: &str, run: usize, record: &Record) -> Result<()> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.append(fingerprint, run, record).map_err(|e| Error::file(&self.path.join(RUNS), "written", &e))
    }

    /// All finished runs of the experiment, those of earlier sessions included.
    ///
    /// # Errors
    /// If they cannot be brought to the disk or read back.
    pub fn outcome(&self) -> Result<Outcome> {
        let name = self.path.join(RUNS);
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.sync().map_err(|e| Error::file(&name, "written", &e))?;
        drop(log);
        let (runs, _) = read_runs(&self.path)?;
        Ok(collect(&self.experiment, &runs))
    }

    /// Writes a file of this directory that appears whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        write_whole(&self.path.join(name), bytes)
    }
}

/// Writes a file that appears whole or not at all, and the directories above it.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    try_write(path, bytes).map_err(|e| Error::file(path, "written", &e))
}

fn try_write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut temporary = temporary_in(directory)?;
    temporary.write_all(bytes)?;
    temporary.persist(path).map(drop).map_err(|e| e.error)
}

/// A temporary file with the permissions of any other new file: by default it would be its owner's only.
///
/// # Errors
/// If it cannot be created there.
#[cfg(unix)]
pub fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new().prefix(".optimist-").permissions(Permissions::from_mode(0o666)).tempfile_in(directory)
}

/// A temporary file.
///
/// # Errors
/// If it cannot be created there.
#[cfg(not(unix))]
pub fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".optimist-").tempfile_in(directory)
}

fn lock(path: &Path) -> Result<File> {
    let name = path.join(LOCK);
    let unwritable = |e: &io::Error| Error::file(path, "written", e);
    let file = File::options().create(true).truncate(false).write(true).open(name).map_err(|e| unwritable(&e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let what = "is being written by another optimist: wait for it, or give another directory";
            Err(Error::input(format!("{} {what}", path.display())))
        }
        Err(TryLockError::Error(e)) => Err(unwritable(&e)),
    }
}

/// What the user should know of damaged lines: nothing if all runs are there in spite of them.
fn damage(path: &Path, damaged: usize, outcome: &Outcome, remedy: &str) -> Warnings {
    let (done, total) = outcome.progress();
    if damaged == 0 || done == total {
        return Warnings::new();
    }
    let lines = if damaged == 1 { "1 damaged line" } else { &format!("{damaged} damaged lines") };
    vec![format!("{}: {lines} skipped; {remedy}", path.join(RUNS).display())]
}

/// The experiment that is stored, after a check that this one may be put there.
fn examine(path: &Path, asked: &Experiment) -> Result<Option<Experiment>> {
    let stored = read_experiment(path)?;
    match &stored {
        Some(stored) => check_same(path, stored, asked)?,
        None => check_free(path)?,
    }
    Ok(stored)
}

fn read_experiment(path: &Path) -> Result<Option<Experiment>> {
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
    Ok(Some(document.experiment))
}

fn write_experiment(path: &Path, experiment: &Experiment) -> Result<()> {
    let document = Document {
        format: FORMAT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        experiment: experiment.clone(),
    };
    let text = serde_json::to_string_pretty(&document).map_err(|e| Error::input(e.to_string()))?;
    write_whole(&path.join(EXPERIMENT), (text + "\n").as_bytes())
}

fn read_runs(path: &Path) -> Result<(Runs, usize)> {
    let name = path.join(RUNS);
    log::read(&name).map_err(|e| Error::file(&name, "read", &e))
}

/// A directory that holds another experiment is left alone. Policies, environments and runs may be added or left out.
fn check_same(path: &Path, stored: &Experiment, asked: &Experiment) -> Result<()> {
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

/// A directory without an experiment must be empty, or somebody's files would be mixed with ours. What an interrupted
/// start leaves behind is no obstacle, and finished runs show that whatever else is there was made of them.
///
/// # Errors
/// If there is something else in it, or it cannot be read.
pub fn check_free(path: &Path) -> Result<()> {
    if path.is_dir() && !read_runs(path)?.0.is_empty() {
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(|e| Error::file(path, "read", &e))?;
    let is_ours = |name: &str| name == LOCK || name == RUNS || name.starts_with(".optimist-");
    for entry in entries {
        let name = entry.map_err(|e| Error::file(path, "read", &e))?.file_name();
        if !is_ours(&name.to_string_lossy()) {
            let (path, name) = (path.display(), name.to_string_lossy());
            let what = format!("{path} holds something else (\"{name}\"): give another --out");
            return Err(Error::input(what));
        }
    }
    Ok(())
}

/// The runs of the experiment, in its order.
fn collect(experiment: &Experiment, runs: &Runs) -> Outcome {
    let cell = |environment: &Environment| Cell {
        environment: environment.clone(),
        lanes: experiment.policies.iter().map(|contender| lane(experiment, environment, contender, runs)).collect(),
    };
    Outcome { experiment: experiment.clone(), cells: experiment.environments.iter().map(cell).collect() }
}

fn lane(experiment: &Experiment, environment: &Environment, contender: &Contender, runs: &Runs) -> Lane {
    let fingerprint = fingerprint(experiment, environment, contender);
    let finished = |run| runs.get(&(fingerprint.clone(), run)).map(|record| (run, record.clone()));
    Lane { contender: contender.clone(), runs: (0..experiment.runs).filter_map(finished).collect() }
}
