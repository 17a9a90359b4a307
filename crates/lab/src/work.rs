//! The runs that are still to do, done on all cores.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::choices::{ChoiceFile, choices_path};
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::outcome::Outcome;
use crate::shard::Shard;
use crate::simulation::{Log, Setting, Watch, play};
use crate::store::{Directory, fingerprint};

/// How the work is to be done; nothing of this changes a result.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// Runs at a time; none for one a core.
    pub jobs: Option<NonZero<usize>>,
    /// The part to do; none for all.
    pub shard: Option<Shard>,
    /// Whether every choice is written down.
    pub choices: bool,
}

/// The policies in the environments, and the runs of them that are to do.
pub struct Work<'a> {
    experiment: &'a Experiment,
    directory: &'a Directory,
    lanes: Vec<LanePlan<'a>>,
    tasks: Vec<Task>,
    jobs: usize,
    finished: usize,
}

struct LanePlan<'a> {
    setting: Setting<'a>,
    fingerprint: String,
    /// Where choices go, if they are written down.
    choices: Option<PathBuf>,
}

#[derive(Clone, Copy)]
struct Task {
    lane: usize,
    run: usize,
}

/// Checks that an experiment can be run in this manner, so that nothing is begun that cannot be ended.
///
/// # Errors
/// If a policy refuses its options, the problem or the arms, or there are more parts than runs.
pub fn check(experiment: &Experiment, manner: &Manner) -> Result<()> {
    if let Some(shard) = manner.shard.filter(|shard| shard.parts() > experiment.runs) {
        let what = format!("shard is {shard}: there are only {} runs, give at most as many parts", experiment.runs);
        return Err(Error::input(what));
    }
    for environment in &experiment.environments {
        for contender in &experiment.policies {
            Setting::new(experiment, environment, contender).check()?;
        }
    }
    Ok(())
}

impl<'a> Work<'a> {
    /// What is left to do of an experiment.
    ///
    /// # Errors
    /// As [`check`].
    pub fn new(experiment: &'a Experiment, directory: &'a Directory, manner: &Manner) -> Result<Self> {
        check(experiment, manner)?;
        let mut lanes = Vec::new();
        for environment in &experiment.environments {
            for contender in &experiment.policies {
                let setting = Setting::new(experiment, environment, contender);
                let fingerprint = fingerprint(experiment, environment, contender);
                let choices = choices_path(environment, &contender.label, &fingerprint);
                let choices = manner.choices.then(|| directory.path().join(choices));
                lanes.push(LanePlan { setting, fingerprint, choices });
            }
        }
        let mut work = Self { experiment, directory, lanes, tasks: Vec::new(), jobs: jobs(manner), finished: 0 };
        work.assign(manner.shard);
        Ok(work)
    }

    /// Run by run, so that what is finished when somebody loses patience treats all policies alike.
    fn assign(&mut self, shard: Option<Shard>) {
        for run in (0..self.experiment.runs).filter(|run| shard.is_none_or(|shard| shard.has(*run))) {
            for lane in 0..self.lanes.len() {
                if self.is_finished(lane, run) { self.finished += 1 } else { self.tasks.push(Task { lane, run }) }
            }
        }
    }

    fn is_finished(&self, lane: usize, run: usize) -> bool {
        let plan = &self.lanes[lane];
        let is_logged = plan.choices.as_ref().is_none_or(|path| ChoiceFile::path(path, run).exists());
        is_logged && self.directory.has(&plan.fingerprint, run)
    }

    /// Runs that were finished before.
    pub fn finished(&self) -> usize {
        self.finished
    }

    /// Runs to do.
    pub fn runs(&self) -> usize {
        self.tasks.len()
    }

    /// Rounds to do.
    pub fn rounds(&self) -> usize {
        self.tasks.len() * self.experiment.horizon
    }

    /// Does it. Every finished run is kept at once.
    ///
    /// # Errors
    /// If a policy refuses something, a run cannot be kept, or the watch stopped the work. What is finished stays.
    pub fn run(&self, watch: &dyn Watch) -> Result<Outcome> {
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (done, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let guard = Guard { watch, failed: &failed };
        let worker = || {
            while let Some(task) = self.tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                match self.perform(*task, &guard) {
                    Ok(true) => _ = done.fetch_add(1, Ordering::Relaxed),
                    Ok(false) => break,
                    Err(e) => {
                        failed.store(true, Ordering::Relaxed);
                        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                    }
                }
            }
        };
        thread::scope(|scope| {
            (0..self.jobs.min(self.tasks.len())).for_each(|_| {
                scope.spawn(worker);
            });
        });
        if let Some(failure) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(failure);
        }
        let done = done.into_inner();
        if done < self.tasks.len() {
            return Err(Error::Interrupted { done: self.finished + done, total: self.finished + self.tasks.len() });
        }
        self.directory.outcome()
    }

    /// Plays and keeps a run; false if it was stopped.
    fn perform(&self, task: Task, watch: &dyn Watch) -> Result<bool> {
        if watch.is_stopped() {
            return Ok(false);
        }
        let plan = &self.lanes[task.lane];
        let mut file = plan.choices.as_ref().map(|path| ChoiceFile::new(path, task.run));
        let log = file.as_mut().map(|file| file as &mut dyn Log);
        let Some(record) = play(&plan.setting, task.run, watch, log)? else { return Ok(false) };
        if let Some(file) = file {
            file.finish()?;
        }
        if !self.directory.has(&plan.fingerprint, task.run) {
            self.directory.keep(&plan.fingerprint, task.run, &record)?;
        }
        Ok(true)
    }
}

fn jobs(manner: &Manner) -> usize {
    manner.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
}

/// The caller's watch, which also stops when another thread has failed.
struct Guard<'a> {
    watch: &'a dyn Watch,
    failed: &'a AtomicBool,
}

impl Watch for Guard<'_> {
    fn played(&self, rounds: usize) {
        self.watch.played(rounds);
    }

    fn is_stopped(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.watch.is_stopped()
    }
}
