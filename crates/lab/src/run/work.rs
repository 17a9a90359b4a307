//! The runs that are still to do, done on all cores.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::elsewhere::Place;
use super::options::{RunOptions, Treatment};
use super::reuse::{Reuse, Why};
use crate::build::{Build, running};
use crate::error::{Error, Result};
use crate::experiment::{Environment, Experiment, PolicySpec};
use crate::simulation::{Progress, RoundLog, Setting, World, play};
use crate::store::{ChoiceFile, Counted, Outcome, RunKey, RunStore, Warnings, choices_path, fingerprint};

/// An experiment that can be run: every policy has played a round in every environment.
#[derive(Debug)]
pub struct Work<'a> {
    experiment: &'a Experiment,
    options: RunOptions,
    build: Build,
    /// What is amiss with the build.
    warning: Option<&'static str>,
    policies: Vec<PolicyWork<'a>>,
}

/// What the runs of one policy in one environment need.
#[derive(Debug)]
struct PolicyWork<'a> {
    environment: &'a Environment,
    spec: &'a PolicySpec,
    setting: Setting<'a>,
    fingerprint: String,
    treatment: Treatment,
}

impl<'a> Work<'a> {
    /// Checks that an experiment can be run in this way, so that nothing is begun that cannot be ended.
    ///
    /// # Errors
    /// If a policy refuses its options, the problem or the arms, there are more parts than runs, or the options name policies
    /// that the experiment does not have.
    pub fn new(experiment: &'a Experiment, options: &RunOptions) -> Result<Self> {
        if let Some(shard) = options.shard.filter(|shard| shard.parts() > experiment.runs) {
            let what = format!("shard is {shard}: there are only {} runs, give at most as many parts", experiment.runs);
            return Err(Error::input(what));
        }
        options.check_policies(&[experiment])?;
        let mut policies = Vec::new();
        for environment in &experiment.environments {
            let world = World::new(environment, experiment.seed, 0)?;
            for spec in &experiment.policies {
                let setting = Setting::new(experiment, environment, spec);
                setting.check(&world)?;
                let (fingerprint, treatment) = (fingerprint(experiment, environment, spec), options.treatment(spec)?);
                policies.push(PolicyWork { environment, spec, setting, fingerprint, treatment });
            }
        }
        // Now and not when the first run is over: by then somebody may have compiled another program to the same place.
        let (build, warning) = match &options.build {
            Some(build) => (build, None),
            None => (&running().build, running().warning.as_deref()),
        };
        Ok(Self { experiment, options: options.clone(), build: build.clone(), warning, policies })
    }

    /// What is left to do, given what the store has.
    ///
    /// # Errors
    /// If choices are to be written down and the store has no directory.
    pub fn remaining<'w>(&'w self, store: &'w dyn RunStore) -> Result<Remaining<'w>> {
        if self.options.choices && store.directory().is_none() {
            return Err(Error::input("choices cannot be written down: these runs are kept without a directory"));
        }
        let reuse = Reuse::new(&self.build, self.warning, &self.options.keep);
        let builds = store.builds();
        let mut remaining =
            Remaining { work: self, store, builds, tasks: Vec::new(), finished: 0, withdrawn: Vec::new(), reuse };
        remaining.assign();
        Ok(remaining)
    }

    /// Does what is left to do.
    ///
    /// # Errors
    /// As [`Work::remaining`] and [`Remaining::run`].
    pub fn run(&self, store: &dyn RunStore, progress: &dyn Progress) -> Result<Outcome> {
        let remaining = self.remaining(store)?;
        remaining.announce(progress);
        remaining.run(progress)
    }
}

/// The runs of an experiment that are still to do.
pub struct Remaining<'w> {
    work: &'w Work<'w>,
    store: &'w dyn RunStore,
    /// The builds in the store, the latest first.
    builds: Vec<Build>,
    tasks: Vec<Task>,
    finished: usize,
    /// Runs of this build that are run again.
    withdrawn: Vec<Task>,
    reuse: Reuse,
}

#[derive(Clone, Copy)]
struct Task {
    policy: usize,
    run: usize,
    /// Whether the store has the run, and only its choices are to be written down.
    is_kept: bool,
}

impl Remaining<'_> {
    /// Run by run, so that what is finished when somebody loses patience treats all policies alike.
    fn assign(&mut self) {
        let shard = self.work.options.shard;
        for run in (0..self.work.experiment.runs).filter(|run| shard.is_none_or(|shard| shard.has(*run))) {
            for policy in 0..self.work.policies.len() {
                self.assign_run(policy, run);
            }
        }
    }

    fn assign_run(&mut self, number: usize, run: usize) {
        let work = self.work;
        let policy = &work.policies[number];
        let mut task = Task { policy: number, run, is_kept: false };
        if let Some(build) = self.kept(policy, run) {
            let (is_logged, is_own) = (self.is_logged(policy, run, &build), build == work.build);
            if is_logged || is_own {
                self.reuse.keep(&build);
            } else {
                self.reuse.run_again(&build, Why::NoTable);
            }
            if is_logged {
                self.finished += 1;
                return;
            }
            task.is_kept = is_own;
        } else if let Some(build) = self.latest(policy, run) {
            let why = if policy.treatment == Treatment::Rerun { Why::Asked } else { Why::Stale };
            self.reuse.run_again(&build, why);
            if build == work.build {
                self.withdrawn.push(task);
            }
        }
        self.tasks.push(task);
    }

    /// The build whose run is kept, if one is.
    fn kept(&self, policy: &PolicyWork<'_>, run: usize) -> Option<Build> {
        let counted = self.counted(policy).into_iter();
        counted.filter(|_| policy.treatment != Treatment::Rerun).find(|build| self.has(policy, run, build))
    }

    /// The build whose run would be thrown away: this one if it has one, otherwise the latest.
    fn latest(&self, policy: &PolicyWork<'_>, run: usize) -> Option<Build> {
        let mut all = std::iter::once(&self.work.build).chain(&self.builds);
        all.find(|build| self.has(policy, run, build)).cloned()
    }

    fn has(&self, policy: &PolicyWork<'_>, run: usize, build: &Build) -> bool {
        self.store.has(&policy.fingerprint, run, build)
    }

    /// The builds whose runs of a policy count.
    fn counted(&self, policy: &PolicyWork<'_>) -> Vec<Build> {
        let this = &self.work.build;
        let others = self.builds.iter().filter(|build| policy.treatment == Treatment::Keep && *build != this);
        std::iter::once(this).chain(others).cloned().collect()
    }

    /// Where the choices of a policy go, if they are written down.
    fn choices(&self, policy: &PolicyWork<'_>, build: &Build) -> Option<PathBuf> {
        let directory = self.store.directory().filter(|_| self.work.options.choices)?;
        Some(directory.join(choices_of(policy, build)))
    }

    /// Whether the choices of a run are written down, if they are to be.
    fn is_logged(&self, policy: &PolicyWork<'_>, run: usize, build: &Build) -> bool {
        self.choices(policy, build).is_none_or(|path| ChoiceFile::path(&path, run).exists())
    }

    /// What becomes of the runs that were finished before.
    pub fn reuse(&self) -> &Reuse {
        &self.reuse
    }

    /// What the user should know beside the results.
    pub fn warnings(&self) -> Warnings {
        self.reuse.warnings()
    }

    /// Tells of the work before it begins.
    pub fn announce(&self, progress: &dyn Progress) {
        if let Some(line) = self.reuse.line() {
            progress.note(&line);
        }
        progress.expect_runs(self.finished, self.runs());
        progress.expect(self.rounds());
    }

    pub(super) fn experiment(&self) -> &Experiment {
        self.work.experiment
    }

    /// Runs at a time.
    pub(super) fn threads(&self) -> usize {
        self.work.options.threads().min(self.tasks.len())
    }

    /// The runs to do, for whoever has them played elsewhere: [`Remaining::begin`], [`play_runs`](super::play_runs), and
    /// [`unpack`](crate::store::unpack) into the store.
    pub fn places(&self) -> Vec<Place> {
        let policies = self.work.experiment.policies.len();
        let place =
            |task: &Task| Place { environment: task.policy / policies, policy: task.policy % policies, run: task.run };
        self.tasks.iter().map(place).collect()
    }

    /// From now on only the runs that are kept, and those that are done here, are part of the outcome: who stops the work
    /// must not find runs among the results that were to be run again. [`Remaining::run`] begins by itself.
    ///
    /// # Errors
    /// If that cannot be written down.
    pub fn begin(&self) -> Result<()> {
        let mut counted = Counted::default();
        for policy in &self.work.policies {
            counted.insert(&policy.spec.label, self.counted(policy));
        }
        self.store.count(counted)?;
        let keys: Vec<RunKey> =
            self.withdrawn.iter().map(|task| (self.policy(*task).fingerprint.clone(), task.run)).collect();
        self.store.withdraw(&self.work.build, &keys)?;
        self.withdrawn.iter().try_for_each(|task| self.forget_choices(*task))
    }

    /// Removes the table of a run that was withdrawn, which would be taken for that of the next one.
    fn forget_choices(&self, task: Task) -> Result<()> {
        let Some(directory) = self.store.directory() else { return Ok(()) };
        let path = ChoiceFile::path(&directory.join(choices_of(self.policy(task), &self.work.build)), task.run);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::file(&path, "removed", &e)),
            _ => Ok(()),
        }
    }

    fn policy(&self, task: Task) -> &PolicyWork<'_> {
        &self.work.policies[task.policy]
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
        self.begin()?;
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (done, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let guard = Guard { progress, failed: &failed };
        let worker = || {
            while let Some(task) = self.tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                match self.perform(*task, &guard) {
                    Ok(true) => {
                        done.fetch_add(1, Ordering::Relaxed);
                        progress.finished();
                    }
                    Ok(false) => break,
                    Err(e) => {
                        failed.store(true, Ordering::Relaxed);
                        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                    }
                }
            }
        };
        thread::scope(|scope| {
            (0..self.threads()).for_each(|_| {
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
        let policy = self.policy(task);
        let mut file = self.choices(policy, &self.work.build).map(|path| ChoiceFile::new(&path, task.run));
        let log = file.as_mut().map(|file| file as &mut dyn RoundLog);
        let Some(record) = play(&policy.setting, task.run, progress, log)? else { return Ok(false) };
        if let Some(file) = file {
            file.finish()?;
        }
        if !task.is_kept {
            self.store.keep(&policy.fingerprint, task.run, &self.work.build, record)?;
        }
        Ok(true)
    }
}

/// Where the choices of a policy's runs by this build go, below the directory of results.
fn choices_of(policy: &PolicyWork<'_>, build: &Build) -> PathBuf {
    choices_path(policy.environment, &policy.spec.label, &policy.fingerprint, build)
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
