//! Parts of an experiment put together.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::choices::{ChoiceFile, choices_path};
use super::counted::Counted;
use super::directory::{Directory, Warnings};
use super::files::write_whole;
use super::fingerprint::fingerprint;
use super::outcome::Outcome;
use super::run_store::{RunKey, RunStore};
use crate::build::Build;
use crate::error::{Error, Result};
use crate::experiment::check_names;
use crate::simulation::Record;

/// Puts the finished runs of several directories into a new one, `out`, with the choices that were written down, and opens
/// that.
///
/// Parts of several builds are put together, with a warning: machines of different kinds need different binaries of the same
/// source. There is none for policies in `keep`, by name or label or as "all".
///
/// # Errors
/// If a directory holds no results, results of another experiment, or a run that another one has with another outcome; if
/// `out` is one of them or cannot be written; or if a name in `keep` is not that of a policy.
pub fn merge(parts: &[PathBuf], out: &Path, keep: &[String]) -> Result<(Outcome, Directory, Warnings)> {
    let (parts, mut warnings) = load(parts, out)?;
    let Some((_, first)) = parts.first() else { return Err(Error::input("give the directories of the parts")) };
    let experiment = &first.experiment;
    check_names("--keep", keep, &[experiment])?;
    // Parts that contradict each other leave no directory behind.
    let mut gathered = Gathered::default();
    parts.iter().try_for_each(|(path, outcome)| gathered.add(path, outcome))?;
    let directory = Directory::open(out, experiment)?;
    // What is there already must agree as well.
    let before = directory.outcome(experiment)?;
    gathered.add(out, &before)?;
    gathered.keep(&directory)?;
    parts.iter().try_for_each(|(path, outcome)| copy_choices(path, outcome, out))?;
    let outcome = directory.outcome(experiment)?;
    warnings.extend(outcome.mixed_builds(keep)?);
    let (done, total) = outcome.progress();
    if done < total {
        let remedy = "the summary is of those; run the experiment with this --out to add the rest";
        warnings.push(format!("{done} of {total} runs are there: {remedy}"));
    }
    Ok((outcome, directory, warnings))
}

/// Puts the finished runs of an outcome into a directory, a new one or one of the same experiment, and opens that.
///
/// # Errors
/// If the directory cannot be written or holds something else, or a run that comes out otherwise.
pub fn save(outcome: &Outcome, out: &Path) -> Result<Directory> {
    let directory = Directory::open(out, &outcome.experiment)?;
    let before = directory.outcome(&outcome.experiment)?;
    let mut gathered = Gathered::default();
    gathered.add(Path::new("what is to be saved"), outcome)?;
    gathered.add(out, &before)?;
    gathered.keep(&directory)?;
    Ok(directory)
}

/// A directory with what is in it.
type Part<'a> = (&'a Path, Outcome);

/// All parts, which must be of the same experiment.
fn load<'a>(parts: &'a [PathBuf], out: &Path) -> Result<(Vec<Part<'a>>, Warnings)> {
    let mut warnings = Warnings::new();
    let mut loaded: Vec<Part<'a>> = Vec::new();
    for path in parts {
        if is_same_place(path, out) {
            return Err(Error::input(format!("--out {} is one of the parts: give a new directory", out.display())));
        }
        let (outcome, more) = Directory::load(path)?;
        warnings.extend(more);
        if let Some((first, reference)) = loaded.first() {
            check_fits(first, reference, path, &outcome)?;
        }
        loaded.push((path, outcome));
    }
    Ok((loaded, warnings))
}

fn is_same_place(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Keys of an experiment by how much they say about it: what follows from another key comes after it.
const KEYS: [&str; 9] =
    ["name", "seed", "horizon", "runs", "delta", "policies", "environments", "coverage", "checkpoints"];

/// Names the first key in which two experiments differ.
fn check_fits(a: &Path, reference: &Outcome, b: &Path, other: &Outcome) -> Result<()> {
    if reference.experiment == other.experiment {
        return Ok(());
    }
    let keys = |outcome: &Outcome| serde_json::to_value(&outcome.experiment).unwrap_or_default();
    let (left, right) = (keys(reference), keys(other));
    let key = KEYS.into_iter().find(|key| left.get(key) != right.get(key)).unwrap_or("something");
    let what = format!("{} and {} do not fit: their experiments differ in \"{key}\"", a.display(), b.display());
    Err(Error::input(what))
}

/// A run with the directory from which it is.
#[derive(Clone, Copy)]
struct Found<'a> {
    path: &'a Path,
    build: &'a Build,
    record: &'a Record,
}

/// Runs by what they are of, and the builds that made them.
#[derive(Default)]
struct Gathered<'a> {
    runs: BTreeMap<RunKey, Found<'a>>,
    counted: Counted,
}

impl<'a> Gathered<'a> {
    /// Adds the runs of a directory; those that another one has too must agree in everything but time.
    fn add(&mut self, path: &'a Path, outcome: &'a Outcome) -> Result<()> {
        for environment_runs in &outcome.environments {
            for policy_runs in &environment_runs.policies {
                let print = fingerprint(&outcome.experiment, &environment_runs.environment, &policy_runs.spec);
                for (run, record) in &policy_runs.runs {
                    let Some(build) = &record.build else { continue };
                    let found = Found { path, build, record };
                    let known = *self.runs.entry((print.clone(), *run)).or_insert(found);
                    known.check_agrees(&found, *run, &policy_runs.spec.label)?;
                    self.counted.add(&policy_runs.spec.label, known.build);
                }
            }
        }
        Ok(())
    }

    /// Puts everything into a directory, which counts these runs and no others.
    fn keep(&self, directory: &Directory) -> Result<()> {
        for ((fingerprint, run), Found { build, record, .. }) in &self.runs {
            if !directory.has(fingerprint, *run, build) {
                directory.keep(fingerprint, *run, build, (*record).clone())?;
            }
        }
        directory.count(self.counted.clone())
    }
}

impl Found<'_> {
    fn check_agrees(&self, other: &Self, run: usize, label: &str) -> Result<()> {
        if self.record.is_same_outcome(other.record) {
            return Ok(());
        }
        let what = format!("{} and {} differ in run {run} of \"{label}\"", self.path.display(), other.path.display());
        Err(Error::input(if self.build == other.build {
            format!("{what}: one of them is not what it says")
        } else {
            let (a, b) = (self.build, other.build);
            format!("{what}, made by the builds {a} and {b}: leave out the part whose code is out of date")
        }))
    }
}

/// Copies the tables of choices of a part's finished runs, where there are any and `out` has none.
fn copy_choices(part: &Path, outcome: &Outcome, out: &Path) -> Result<()> {
    for environment_runs in &outcome.environments {
        let environment = &environment_runs.environment;
        for policy_runs in &environment_runs.policies {
            let print = fingerprint(&outcome.experiment, environment, &policy_runs.spec);
            for (run, record) in &policy_runs.runs {
                let Some(build) = &record.build else { continue };
                let choices = choices_path(environment, &policy_runs.spec.label, &print, build);
                let (from, to) = (part.join(&choices), out.join(&choices));
                copy_if_new(&ChoiceFile::path(&from, *run), &ChoiceFile::path(&to, *run))?;
            }
        }
    }
    Ok(())
}

fn copy_if_new(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        return Ok(());
    }
    match fs::read(from) {
        Ok(bytes) => write_whole(to, &bytes),
        // Choices are written down only where somebody asked for them.
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        Err(e) => Err(Error::file(from, "read", &e)),
    }
}
