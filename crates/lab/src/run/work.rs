//! The runs that are still to do, done on all cores.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::options::RunOptions;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::simulation::{Progress, RoundLog, Setting, World, play};
use crate::store::{ChoiceFile, Outcome, RunStore, choices_path, fingerprint};

/// An experiment that can be run: every policy has played a round in every environment.
#[derive(Debug)]
pub struct Work<'a> {
    experiment: &'a Experiment,
    options: RunOptions,
    policies: Vec<PolicyWork<'a>>,
}

/// What the runs of one policy in one environment need.
#[derive(Debug)]
struct PolicyWork<'a> {
    setting: Setting<'a>,
    fingerprint: String,
    /// Where choices go, below the directory of results.
    choices: PathBuf,
}

impl<'a> Work<'a> {
    /// Checks that an experiment can be run in this way, so that nothing is begun that cannot be ended.
    ///
    /// # Errors
    /// If a policy refuses its options, the problem or the arms, or there are more parts than runs.
    pub fn new(experiment: &'a Experiment, options: &RunOptions) -> Result<Self> {
        if let Some(shard) = options.shard.filter(|shard| shard.parts() > experiment.runs) {
            let what = format!("shard is {shard}: there are only {} runs, give at most as many parts", experiment.runs);
            return Err(Error::input(what));
        }
        let mut policies = Vec::new();
        for environment in &experiment.environments {
            let world = World::new(environment, experiment.seed, 0)?;
            for spec in &experiment.policies {
                let setting = Setting::new(experiment, environment, spec);
                setting.check(&world)?;
                let fingerprint = fingerprint(experiment, environment, spec);
                let choices = choices_path(environment, &spec.label, &fingerprint);
                policies.push(PolicyWork { setting, fingerprint, choices });
            }
        }
        Ok(Self { experiment, options: *options, policies })
    }

    /// What is left to do, given what the store has.
    ///
    /// # Errors
    /// If choices are to be written down and the store has no directory.
    pub fn remaining<'w>(&'w self, store: &'w dyn RunStore) -> Result<Remaining<'w>> {
        if self.options.choices && store.directory().is_none() {
            return Err(Error::input("choices cannot be written down: these runs are kept without a directory"));
        }
        let mut remaining = Remaining { work: self, store, tasks: Vec::new(), finished: 0 };
        remaining.assign();
        Ok(remaining)
    }

    /// Does what is left to do.
    ///
    /// # Errors
    /// As [`Work::remaining`] and [`Remaining::run`].
    pub fn run(&self, store: &dyn RunStore, progress: &dyn Progress) -> Result<Outcome> {
        let remaining = self.remaining(store)?;
        progress.expect(remaining.rounds());
        remaining.run(progress)
    }
}

/// The runs of an experiment that are still to do.
pub struct Remaining<'w> {
    work: &'w Work<'w>,
    store: &'w dyn RunStore,
    tasks: Vec<Task>,
    finished: usize,
}

#[derive(Clone, Copy)]
struct Task {
    policy: usize,
    run: usize,
}

impl Remaining<'_> {
    /// Run by run, so that what is finished when somebody loses patience treats all policies alike.
    fn assign(&mut self) {
        let shard = self.work.options.shard;
        for run in (0..self.work.experiment.runs).filter(|run| shard.is_none_or(|shard| shard.has(*run))) {
            for policy in 0..self.work.policies.len() {
                let task = Task { policy, run };
                if self.is_finished(task) { self.finished += 1 } else { self.tasks.push(task) }
            }
        }
    }

    fn is_finished(&self, task: Task) -> bool {
        let policy = &self.work.policies[task.policy];
        let is_logged = self.choices(policy).is_none_or(|path| ChoiceFile::path(&path, task.run).exists());
        is_logged && self.store.has(&policy.fingerprint, task.run)
    }

    /// Where the choices of a policy go, if they are written down.
    fn choices(&self, policy: &PolicyWork<'_>) -> Option<PathBuf> {
        let directory = self.store.directory().filter(|_| self.work.options.choices)?;
        Some(directory.join(&policy.choices))
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
        self.tasks.len() * self.work.experiment.horizon
    }

    /// Does them. Every finished run is kept at once.
    ///
    /// # Errors
    /// If a policy refuses something, a run cannot be kept, or `progress` stopped the work. What is finished stays.
    pub fn run(&self, progress: &dyn Progress) -> Result<Outcome> {
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (done, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let guard = Guard { progress, failed: &failed };
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
            (0..self.work.options.threads().min(self.tasks.len())).for_each(|_| {
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
        self.store.outcome(self.work.experiment)
    }

    /// Plays and keeps a run; false if it was stopped.
    fn perform(&self, task: Task, progress: &dyn Progress) -> Result<bool> {
        if progress.is_stopped() {
            return Ok(false);
        }
        let policy = &self.work.policies[task.policy];
        let mut file = self.choices(policy).map(|path| ChoiceFile::new(&path, task.run));
        let log = file.as_mut().map(|file| file as &mut dyn RoundLog);
        let Some(record) = play(&policy.setting, task.run, progress, log)? else { return Ok(false) };
        if let Some(file) = file {
            file.finish()?;
        }
        if !self.store.has(&policy.fingerprint, task.run) {
            self.store.keep(&policy.fingerprint, task.run, record)?;
        }
        Ok(true)
    }
}

/// The caller's progress, which also stops when another thread has failed.
struct Guard<'a> {
    progress: &'a dyn Progress,
    failed: &'a AtomicBool,
}

impl Progress for Guard<'_> {
    fn played(&self, rounds: usize) {
        self.progress.played(rounds);
    }

    fn is_stopped(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.progress.is_stopped()
    }
}
