//! Parts of an experiment put together.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::choices::{ChoiceFile, choices_path};
use super::directory::{Directory, Warnings};
use super::files::write_whole;
use super::fingerprint::fingerprint;
use super::outcome::Outcome;
use super::run_store::RunStore;
use crate::error::{Error, Result};
use crate::simulation::Record;

/// Puts the finished runs of several directories into a new one, `out`, with the choices that were written down, and opens
/// that.
///
/// # Errors
/// If a directory holds no results, results of another experiment, or a run that another one has with another outcome; or
/// if `out` is one of them or cannot be written.
pub fn merge(parts: &[PathBuf], out: &Path) -> Result<(Outcome, Directory, Warnings)> {
    let (parts, mut warnings) = load(parts, out)?;
    let Some((_, first)) = parts.first() else { return Err(Error::input("give the directories of the parts")) };
    let experiment = &first.experiment;
    // Parts that contradict each other leave no directory behind.
    let mut gathered = Gathered::default();
    parts.iter().try_for_each(|(path, outcome)| gathered.add(path, outcome))?;
    let directory = Directory::open(out, experiment)?;
    // What is there already must agree as well.
    let before = directory.outcome(experiment)?;
    gathered.add(out, &before)?;
    for ((fingerprint, run), (_, record)) in &gathered.0 {
        if !directory.has(fingerprint, *run) {
            directory.keep(fingerprint, *run, (*record).clone())?;
        }
    }
    parts.iter().try_for_each(|(path, outcome)| copy_choices(path, outcome, out))?;
    let outcome = directory.outcome(experiment)?;
    let (done, total) = outcome.progress();
    if done < total {
        let remedy = "the summary is of those; run the experiment with this --out to add the rest";
        warnings.push(format!("{done} of {total} runs are there: {remedy}"));
    }
    Ok((outcome, directory, warnings))
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

/// Runs by fingerprint and number, each with the directory from which it is.
#[derive(Default)]
struct Gathered<'a>(BTreeMap<(String, usize), (&'a Path, &'a Record)>);

impl<'a> Gathered<'a> {
    /// Adds the runs of a directory; those that another one has too must agree in everything but time.
    fn add(&mut self, path: &'a Path, outcome: &'a Outcome) -> Result<()> {
        for environment_runs in &outcome.environments {
            for policy_runs in &environment_runs.policies {
                let print = fingerprint(&outcome.experiment, &environment_runs.environment, &policy_runs.spec);
                for (run, record) in &policy_runs.runs {
                    let (there, known) = *self.0.entry((print.clone(), *run)).or_insert((path, record));
                    if !known.is_same_outcome(record) {
                        let label = &policy_runs.spec.label;
                        let places = format!("{} and {}", there.display(), path.display());
                        let what =
                            format!("{places} differ in run {run} of \"{label}\": one of them is not what it says");
                        return Err(Error::input(what));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Copies the tables of choices of a part's finished runs, where there are any and `out` has none.
fn copy_choices(part: &Path, outcome: &Outcome, out: &Path) -> Result<()> {
    for environment_runs in &outcome.environments {
        let environment = &environment_runs.environment;
        for policy_runs in &environment_runs.policies {
            let print = fingerprint(&outcome.experiment, environment, &policy_runs.spec);
            let choices = choices_path(environment, &policy_runs.spec.label, &print);
            let (from, to) = (part.join(&choices), out.join(&choices));
            for (run, _) in &policy_runs.runs {
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
