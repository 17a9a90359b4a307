//! The directory itself: whose results it holds, who may write it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::counted::Counted;
use super::document::{EXPERIMENT, Stored, check_same, read_experiment, write_experiment};
use super::files::{write_whole, write_whole_by};
use super::outcome::Outcome;
use super::run_log::{self, Contents, RunLog};
use super::run_store::{RunKey, RunStore};
use super::runs::Runs;
use crate::build::Build;
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
    experiment: Experiment,
    kept: Mutex<Kept>,
    warnings: Warnings,
    /// Held until the end.
    lock: File,
}

/// The finished runs, those that count, and the file in which they are.
#[derive(Debug)]
struct Kept {
    runs: Runs,
    counted: Counted,
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
        let is_stored = stored.as_ref().is_some_and(|stored| stored.experiment == *experiment);
        let counted = stored.map(|stored| stored.counted).unwrap_or_default();
        let contents = read_runs(path)?;
        let warnings = losses(path, &contents, &contents.runs.outcome(experiment, &counted), "run again");
        if !is_stored {
            write_experiment(path, experiment, &counted)?;
        }
        let name = path.join(RUNS);
        let log = RunLog::open(&name).map_err(|e| Error::file(&name, "written", &e))?;
        let kept = Mutex::new(Kept { runs: contents.runs, counted, log });
        Ok(Self { path: path.to_owned(), experiment: experiment.clone(), kept, warnings, lock })
    }

    /// The finished runs of a directory that is not to be changed.
    ///
    /// # Errors
    /// If it holds no results, or they cannot be read.
    pub fn load(path: &Path) -> Result<(Outcome, Warnings)> {
        let missing = || Error::input(format!("{} holds no results: there is no {EXPERIMENT} in it", path.display()));
        let Stored { experiment, counted } = read_experiment(path)?.ok_or_else(missing)?;
        let contents = read_runs(path)?;
        let outcome = contents.runs.outcome(&experiment, &counted);
        let warnings = losses(path, &contents, &outcome, "missing until the experiment is run again");
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

    /// Writes a file of this directory that appears whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        write_whole(&self.path.join(name), bytes)
    }

    /// The same for what is written piece by piece, so that it need not be in memory.
    ///
    /// # Errors
    /// If it cannot be written, or `write` fails.
    pub fn write_by(&self, name: &str, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
        write_whole_by(&self.path.join(name), write)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unwritten(&self, error: &io::Error) -> Error {
        Error::file(&self.path.join(RUNS), "written", error)
    }
}

/// A process that was forked meanwhile, such as a worker of a pool, holds the same lock: closing our end would not release it.
impl Drop for Directory {
    fn drop(&mut self) {
        // If this fails, the lock goes with the last process that has it.
        let _ = self.lock.unlock();
    }
}

impl RunStore for Directory {
    fn has(&self, fingerprint: &str, run: usize, build: &Build) -> bool {
        self.kept().runs.has(fingerprint, run, build)
    }

    fn builds(&self) -> Vec<Build> {
        self.kept().runs.builds()
    }

    /// The run is in the file when this returns.
    fn keep(&self, fingerprint: &str, run: usize, build: &Build, record: Record) -> Result<()> {
        let (mut kept, record) = (self.kept(), record.made_by(build));
        kept.log.append(fingerprint, run, &record).map_err(|e| self.unwritten(&e))?;
        kept.runs.insert(fingerprint, run, build, record);
        Ok(())
    }

    /// The runs are no longer in the file when this returns.
    fn withdraw(&self, build: &Build, runs: &[RunKey]) -> Result<()> {
        if runs.is_empty() {
            return Ok(());
        }
        let mut kept = self.kept();
        kept.log.withdraw(&self.path.join(RUNS), build, runs).map_err(|e| self.unwritten(&e))?;
        kept.runs.withdraw(build, runs);
        Ok(())
    }

    /// Written beside the experiment, so that whoever looks at the directory later sees the same runs.
    fn count(&self, counted: Counted) -> Result<()> {
        let mut kept = self.kept();
        if kept.counted != counted {
            write_experiment(&self.path, &self.experiment, &counted)?;
            kept.counted = counted;
        }
        Ok(())
    }

    /// The runs are on the disk when this returns.
    fn outcome(&self, experiment: &Experiment) -> Result<Outcome> {
        let kept = self.kept();
        kept.log.sync().map_err(|e| self.unwritten(&e))?;
        Ok(kept.runs.outcome(experiment, &kept.counted))
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

/// What the user should know of lines that cannot be used: nothing if all runs are there in spite of them.
fn losses(path: &Path, contents: &Contents, outcome: &Outcome, fate: &str) -> Warnings {
    let (done, total) = outcome.progress();
    let Contents { damaged, nameless, .. } = *contents;
    let some = |n: usize, one: &str, many: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {many}") };
    let lines = (damaged > 0).then(|| some(damaged, "damaged line", "damaged lines") + " skipped; those runs are");
    let runs = (nameless > 0).then(|| {
        let runs = some(nameless, "run", "runs");
        runs + " of an earlier version, which did not write down which build made them, so that nobody knows whether the \
                code has changed since; they are"
    });
    let name = path.join(RUNS);
    let told = [lines, runs].into_iter().flatten().filter(|_| done < total);
    told.map(|what| format!("{}: {what} {fate}", name.display())).collect()
}

/// The experiment that is stored, after a check that this one may be put there.
fn examine(path: &Path, asked: &Experiment) -> Result<Option<Stored>> {
    let stored = read_experiment(path)?;
    match &stored {
        Some(stored) => check_same(path, &stored.experiment, asked)?,
        None => check_free(path)?,
    }
    Ok(stored)
}

fn read_runs(path: &Path) -> Result<Contents> {
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
        let Contents { runs, nameless, .. } = read_runs(path)?;
        if !runs.is_empty() || nameless > 0 {
            return Ok(());
        }
        let (path, name) = (path.display(), name.to_string_lossy());
        return Err(Error::input(format!("{path} holds something else (\"{name}\"): give another --out")));
    }
    Ok(())
}
