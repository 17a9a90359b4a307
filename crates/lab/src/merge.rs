//! Parts of an experiment put together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::record::Record;
use crate::store::{Directory, Warnings, fingerprint};

/// Puts the finished runs of several directories into a new one, `out`, and opens that.
///
/// # Errors
/// If a directory holds no results, results of another experiment, or a run that another one has with another outcome; or
/// if `out` is one of them or cannot be written.
pub fn merge(parts: &[PathBuf], out: &Path) -> Result<(Outcome, Directory, Warnings)> {
    let mut warnings = Warnings::new();
    let mut loaded: Vec<(&Path, Outcome)> = Vec::new();
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
    let Some((_, first)) = loaded.first() else { return Err(Error::input("give the directories of the parts")) };
    let experiment = first.experiment.clone();
    // Parts that contradict each other leave no directory behind.
    gather(&loaded)?;
    let directory = Directory::open(out, &experiment)?;
    // What is there already must agree as well.
    loaded.push((out, directory.outcome()?));
    let records = gather(&loaded)?;
    for ((fingerprint, run), (_, record)) in &records {
        if !directory.has(fingerprint, *run) {
            directory.keep(fingerprint, *run, record)?;
        }
    }
    let outcome = directory.outcome()?;
    let (done, total) = outcome.progress();
    if done < total {
        let remedy = "the summary is of those; run the experiment with this --out to add the rest";
        warnings.push(format!("{done} of {total} runs are there: {remedy}"));
    }
    Ok((outcome, directory, warnings))
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

type Gathered<'a> = BTreeMap<(String, usize), (&'a Path, &'a Record)>;

/// All runs; those that several parts have must agree in everything but time.
fn gather<'a>(loaded: &'a [(&'a Path, Outcome)]) -> Result<Gathered<'a>> {
    let mut records = Gathered::new();
    for (path, outcome) in loaded {
        for cell in &outcome.cells {
            for lane in &cell.lanes {
                let print = fingerprint(&outcome.experiment, &cell.environment, &lane.contender);
                for (run, record) in &lane.runs {
                    let (there, known) = *records.entry((print.clone(), *run)).or_insert((*path, record));
                    if !known.is_same_outcome(record) {
                        let label = &lane.contender.label;
                        let places = format!("{} and {}", there.display(), path.display());
                        let what =
                            format!("{places} differ in run {run} of \"{label}\": one of them is not what it says");
                        return Err(Error::input(what));
                    }
                }
            }
        }
    }
    Ok(records)
}
