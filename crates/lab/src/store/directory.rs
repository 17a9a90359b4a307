//! The directory itself: whose results it holds, who may write it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::document::{EXPERIMENT, check_same, read_experiment, write_experiment};
use super::files::write_whole;
use super::outcome::Outcome;
use super::run_log::{self, RunLog};
use super::run_store::RunStore;
use super::runs::Runs;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::simulation::Record;

const RUNS: &str = "runs.log";
const LOCK: &str = ".lock";

/// What the user should know beside the results.
pub type Warnings = Vec<String>;

/// A directory of results that this process alone may write.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    kept: Mutex<Kept>,
    warnings: Warnings,
    /// Held until the end.
    _lock: File,
}

/// The finished runs, and the file in which they are.
#[derive(Debug)]
struct Kept {
    runs: Runs,
    log: RunLog,
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
        let warnings = damage(path, damaged, &runs, experiment, "those runs are run again");
        if stored.as_ref() != Some(experiment) {
            write_experiment(path, experiment)?;
        }
        let name = path.join(RUNS);
        let log = RunLog::open(&name).map_err(|e| Error::file(&name, "written", &e))?;
        Ok(Self { path: path.to_owned(), kept: Mutex::new(Kept { runs, log }), warnings, _lock: lock })
    }

    /// The finished runs of a directory that is not to be changed.
    ///
    /// # Errors
    /// If it holds no results, or they cannot be read.
    pub fn load(path: &Path) -> Result<(Outcome, Warnings)> {
        let missing = || Error::input(format!("{} holds no results: there is no {EXPERIMENT} in it", path.display()));
        let experiment = read_experiment(path)?.ok_or_else(missing)?;
        let (runs, damaged) = read_runs(path)?;
        let remedy = "run the experiment again to make up for them";
        let warnings = damage(path, damaged, &runs, &experiment, remedy);
        Ok((runs.outcome(&experiment), warnings))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was noticed on opening.
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    /// Writes a file of this directory that appears whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        write_whole(&self.path.join(name), bytes)
    }
}

impl RunStore for Directory {
    fn has(&self, fingerprint: &str, run: usize) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).runs.has(fingerprint, run)
    }

    /// The run is in the file when this returns.
    fn keep(&self, fingerprint: &str, run: usize, record: Record) -> Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let written = kept.log.append(fingerprint, run, &record);
        written.map_err(|e| Error::file(&self.path.join(RUNS), "written", &e))?;
        kept.runs.insert(fingerprint, run, record);
        Ok(())
    }

    /// The runs are on the disk when this returns.
    fn outcome(&self, experiment: &Experiment) -> Result<Outcome> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.log.sync().map_err(|e| Error::file(&self.path.join(RUNS), "written", &e))?;
        Ok(kept.runs.outcome(experiment))
    }

    fn directory(&self) -> Option<&Path> {
        Some(&self.path)
    }
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
fn damage(path: &Path, damaged: usize, runs: &Runs, experiment: &Experiment, remedy: &str) -> Warnings {
    if damaged == 0 {
        return Warnings::new();
    }
    let (done, total) = runs.outcome(experiment).progress();
    if done == total {
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

fn read_runs(path: &Path) -> Result<(Runs, usize)> {
    let name = path.join(RUNS);
    run_log::read(&name).map_err(|e| Error::file(&name, "read", &e))
}

/// A directory without an experiment must be empty, or somebody's files would be mixed with ours. What an interrupted
/// start leaves behind is no obstacle, and finished runs show that whatever else is there was made of them.
///
/// # Errors
/// If there is something else in it, or it cannot be read.
pub fn check_free(path: &Path) -> Result<()> {
    let entries = fs::read_dir(path).map_err(|e| Error::file(path, "read", &e))?;
    let is_ours = |name: &str| name == LOCK || name == RUNS || name.starts_with(".optimist-");
    for entry in entries {
        let name = entry.map_err(|e| Error::file(path, "read", &e))?.file_name();
        if is_ours(&name.to_string_lossy()) {
            continue;
        }
        if !read_runs(path)?.0.is_empty() {
            return Ok(());
        }
        let (path, name) = (path.display(), name.to_string_lossy());
        return Err(Error::input(format!("{path} holds something else (\"{name}\"): give another --out")));
    }
    Ok(())
}
