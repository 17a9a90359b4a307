//! The whole of it: the studies are run, and become a page with its figures.

use std::fs::create_dir_all;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use optimist_lab::report::{forecast, publish, publish_data, publish_page, rough_duration};
use optimist_lab::results::PolicyCost;
use optimist_lab::run::{Estimate, Remaining, Reuse, RunOptions, Work, estimate};
use optimist_lab::simulation::Progress;
use optimist_lab::store::{Directory, Memory, Warnings, check_free, slug};
use optimist_lab::{Error, Experiment, Outcome, Result};

use super::options::{Extent, StudyOptions};
use super::page::page;
use super::study::{Finished, Study};

/// Time for the trials from which it is estimated how long the work takes.
const TRIAL: Duration = Duration::from_secs(1);

/// Work that takes fewer seconds is done before anybody has read how long it takes.
const WORTH_A_LINE: f64 = 60.0;

/// What is to be reproduced, and where to.
#[derive(Debug, Clone)]
pub struct Reproduction {
    /// The directory of the report. Finished runs of this build found there are not run again.
    pub out: PathBuf,
    /// The studies to run, each once, in the order of the report.
    pub studies: Vec<Study>,
    /// How much is run.
    pub options: StudyOptions,
    /// Runs at a time; none for one per core.
    pub jobs: Option<NonZero<usize>>,
    /// Policies of which runs of other builds are kept, as in [`RunOptions`].
    pub keep: Vec<String>,
    /// Policies that are run again, as in [`RunOptions`].
    pub rerun: Vec<String>,
    /// The command as a reader of the report would type it.
    pub command: String,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Reproduced {
    /// The page.
    pub report: PathBuf,
    /// Rounds of all runs on it.
    pub rounds: usize,
    /// What its policies cost, the dearest first.
    pub costs: Vec<PolicyCost>,
    /// How long it took.
    pub seconds: f64,
    /// What the user should know beside it.
    pub warnings: Warnings,
}

/// An experiment and the study to which it belongs.
type Task = (Study, Experiment);

/// Runs the studies and writes `report.html`, `figures/`, and `data/` with the results of every experiment.
///
/// # Errors
/// If the directory cannot be written or holds something else, `progress` stops the work, or no study has a policy that is to
/// be kept or run again.
pub fn reproduce(reproduction: &Reproduction, progress: &dyn Progress) -> Result<Reproduced> {
    let Reproduction { out, studies, options, command, .. } = reproduction;
    let (start, data) = (Instant::now(), out.join("data"));
    let tasks = tasks(studies, options)?;
    // Before anything is put there.
    run_options(reproduction).check_policies(&tasks.iter().map(|(_, experiment)| experiment).collect::<Vec<_>>())?;
    if out.exists() && !data.exists() {
        check_free(out)?;
    }
    // By this directory the next call knows whose report it is, even if there is nothing to put there.
    create_dir_all(&data).map_err(|e| Error::file(&data, "created", &e))?;
    let (outcomes, warnings) = run_all(&tasks, &data, reproduction, progress)?;
    let rounds = outcomes.iter().map(|outcome| outcome.progress().0 * outcome.experiment.horizon).sum();
    let costs = PolicyCost::of(&outcomes.iter().collect::<Vec<_>>());
    let finished = by_study(studies, &tasks, outcomes);
    publish_page(out, &page(options, &finished, command, start.elapsed().as_secs_f64())?)?;
    Ok(Reproduced { report: out.join("report.html"), rounds, costs, seconds: start.elapsed().as_secs_f64(), warnings })
}

fn run_options(reproduction: &Reproduction) -> RunOptions {
    let Reproduction { jobs, keep, rerun, .. } = reproduction;
    RunOptions { jobs: *jobs, keep: keep.clone(), rerun: rerun.clone(), ..RunOptions::default() }
}

fn tasks(studies: &[Study], options: &StudyOptions) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for study in studies {
        tasks.extend(study.experiments(options)?.into_iter().map(|experiment| (*study, experiment)));
    }
    Ok(tasks)
}

fn by_study(studies: &[Study], tasks: &[Task], outcomes: Vec<Outcome>) -> Vec<Finished> {
    let mut finished: Vec<Finished> =
        studies.iter().map(|study| Finished { study: *study, outcomes: Vec::new() }).collect();
    for ((study, _), outcome) in tasks.iter().zip(outcomes) {
        if let Some(finished) = finished.iter_mut().find(|finished| finished.study == *study) {
            finished.outcomes.push(outcome);
        }
    }
    finished
}

/// Every experiment has a directory of its own for every seed and horizon, so that another extent does not meet the runs
/// of this one. `progress` is told of all of the work at once.
fn run_all(
    tasks: &[Task],
    data: &Path,
    reproduction: &Reproduction,
    progress: &dyn Progress,
) -> Result<(Vec<Outcome>, Warnings)> {
    let options = run_options(reproduction);
    let place = |e: &Experiment| data.join(format!("{}-seed-{}-rounds-{}", slug(&e.name), e.seed, e.horizon));
    let directories: Vec<Directory> =
        tasks.iter().map(|(_, e)| Directory::open(&place(e), e)).collect::<Result<_>>()?;
    let works: Vec<Work<'_>> = tasks.iter().map(|(_, e)| Work::new(e, &options.of(e))).collect::<Result<_>>()?;
    let both = works.iter().zip(&directories);
    let remaining: Vec<Remaining<'_>> =
        both.map(|(work, directory)| work.remaining(directory)).collect::<Result<_>>()?;
    let reuse = reuse(&remaining);
    if let Some(line) = reuse.as_ref().and_then(Reuse::line) {
        progress.note(&line);
    }
    if let Some(line) = expectation(&remaining, reproduction, progress)? {
        progress.note(&line);
    }
    progress.expect_runs(remaining.iter().map(Remaining::finished).sum(), remaining.iter().map(Remaining::runs).sum());
    progress.expect(remaining.iter().map(Remaining::rounds).sum());
    // Tables and figures of an experiment are drawn by one thread, while the others go on with the next.
    let outcomes: Vec<Outcome> = thread::scope(|scope| {
        let mut publications = Vec::with_capacity(tasks.len());
        for (i, ((study, _), directory)) in tasks.iter().zip(&directories).enumerate() {
            let outcome = remaining[i].run(progress).map_err(|error| of_all(&remaining, i, error))?;
            publications.push(scope.spawn(move || publish_study(*study, directory, outcome)));
        }
        publications
            .into_iter()
            .map(|publication| publication.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect::<Result<_>>()
    })?;
    let warnings = directories.iter().flat_map(|directory| directory.warnings().clone());
    Ok((outcomes, warnings.chain(reuse.iter().flat_map(Reuse::warnings)).collect()))
}

/// Writes the files of one experiment, and gives back what they were made of.
fn publish_study(study: Study, directory: &Directory, outcome: Outcome) -> Result<Outcome> {
    match study {
        Study::Kappas | Study::Policies => publish(directory, &outcome, false)?,
        // Many small experiments, which mean nothing one by one: a report of each would take longer than they do.
        Study::LowerBound | Study::Transitory => publish_data(directory, &outcome, false)?,
    }
    Ok(outcome)
}

/// How long it will take, and how long less would, if that is long.
fn expectation(
    remaining: &[Remaining<'_>],
    reproduction: &Reproduction,
    progress: &dyn Progress,
) -> Result<Option<String>> {
    let all: Vec<&Remaining<'_>> = remaining.iter().collect();
    let Some(all) = estimate(&all, TRIAL, progress)?.filter(|estimate| estimate.seconds >= WORTH_A_LINE) else {
        return Ok(None);
    };
    let StudyOptions { extent, .. } = reproduction.options;
    let quick = if extent == Extent::Quick { None } else { quick_estimate(reproduction, progress)? };
    let quick = quick.map(|quick| format!("; --quick: about {}", rough_duration(quick.seconds)));
    Ok(Some(format!("{}{}", forecast(&all), quick.unwrap_or_default())))
}

/// How long the same studies would take with `--quick`.
fn quick_estimate(reproduction: &Reproduction, progress: &dyn Progress) -> Result<Option<Estimate>> {
    let options = StudyOptions { extent: Extent::Quick, ..reproduction.options };
    let (tasks, run_options) = (tasks(&reproduction.studies, &options)?, run_options(reproduction));
    let works: Vec<Work<'_>> = tasks.iter().map(|(_, e)| Work::new(e, &run_options.of(e))).collect::<Result<_>>()?;
    let nothing = Memory::default();
    let remaining: Vec<Remaining<'_>> = works.iter().map(|work| work.remaining(&nothing)).collect::<Result<_>>()?;
    estimate(&remaining.iter().collect::<Vec<_>>(), TRIAL, progress)
}

/// What becomes of the finished runs of all experiments together.
fn reuse(remaining: &[Remaining<'_>]) -> Option<Reuse> {
    let mut all = remaining.iter().map(Remaining::reuse);
    let mut sum = all.next()?.clone();
    all.for_each(|reuse| sum.add(reuse));
    Some(sum)
}

/// Whoever stops the work, in experiment number `i`, wants to know about all of it.
fn of_all(remaining: &[Remaining<'_>], i: usize, error: Error) -> Error {
    let Error::Interrupted { done, .. } = error else { return error };
    let finished: usize = remaining.iter().map(Remaining::finished).sum();
    let total: usize = remaining.iter().map(Remaining::runs).sum();
    let before: usize = remaining[..i].iter().map(Remaining::runs).sum();
    Error::Interrupted { done: finished + before + done - remaining[i].finished(), total: finished + total }
}
