//! `optimist paper`: the paper in one command.

use std::fs::create_dir_all;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use optimist_lab::choices::slug;
use optimist_lab::paper::{Extent, Finished, Plan, Study, page};
use optimist_lab::publish::{publish, publish_data, write_figures};
use optimist_lab::report::{count, duration};
use optimist_lab::store::{Directory, Warnings, check_free, write_whole};
use optimist_lab::work::{Manner, Work};
use optimist_lab::{Error, Experiment, Outcome};

use super::at_least_one;
use super::watch::{Bar, catch_interrupts};
use crate::failure::Result;
use crate::files::write_stdout;

/// What `optimist paper` is given.
#[derive(Args)]
pub(crate) struct PaperArgs {
    /// Directory of the report. Finished runs found there are not run again
    #[arg(long, value_name = "DIR", default_value = "paper-report")]
    out: PathBuf,
    /// The studies to run, all if absent; several with commas or by repeating this
    #[arg(long, value_name = "STUDY", value_delimiter = ',', value_parser = study())]
    only: Vec<Study>,
    /// Runs of each policy. If absent 50, and 5 with --quick; fewer in lower-bound (4, 3) and transitory (6, 2)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    runs: Option<NonZero<usize>>,
    /// Rounds of a run; the longest runs in lower-bound. If absent 20,000, 2,000 with --quick, 100,000 with --full;
    /// lower-bound 5,000, 1,000, 10,000; transitory 10,000, 1,000, 50,000
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    horizon: Option<NonZero<usize>>,
    /// A few seconds: to see that everything works
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// 100,000 rounds, with OFULog itself and LogUCB2 as well; more than an hour
    #[arg(long)]
    full: bool,
    /// Seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Runs at a time; one a core if absent
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    jobs: Option<NonZero<usize>>,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If the directory cannot be written or holds something else, or the user stops it.
pub(crate) fn run(args: &PaperArgs) -> Result<Vec<String>> {
    catch_interrupts()?;
    let (start, plan) = (Instant::now(), plan(args));
    let data = args.out.join("data");
    if args.out.exists() && !data.exists() {
        check_free(&args.out)?;
    }
    // By this directory the next call knows whose report it is, even if there is nothing to put there.
    create_dir_all(&data).map_err(|e| Error::file(&data, "created", &e))?;
    let studies = studies(&args.only);
    let tasks = tasks(&studies, &plan)?;
    let (outcomes, warnings) = run_all(&tasks, &data, args.jobs)?;
    let rounds: usize = outcomes.iter().map(|outcome| outcome.progress().0 * outcome.experiment.horizon).sum();
    let mut finished: Vec<Finished> =
        studies.into_iter().map(|study| Finished { study, outcomes: Vec::new() }).collect();
    for ((study, _), outcome) in tasks.iter().zip(outcomes) {
        if let Some(finished) = finished.iter_mut().find(|finished| finished.study == *study) {
            finished.outcomes.push(outcome);
        }
    }
    let page = page(&plan, &finished, &command(args), start.elapsed().as_secs_f64())?;
    write_figures(&args.out.join("figures"), page.figures())?;
    let report = args.out.join("report.html");
    write_whole(&report, page.html().as_bytes())?;
    let time = duration(start.elapsed().as_secs_f64());
    write_stdout(format!("{} rounds in {time}\n{}\n", count(rounds as u64), report.display()).as_bytes())?;
    Ok(warnings)
}

/// The names of the studies, which are refused in one line with the right ones if they are wrong.
fn study() -> impl TypedValueParser<Value = Study> {
    let by_name = |name: String| Study::ALL.into_iter().find(|study| study.name() == name).ok_or("no such study");
    PossibleValuesParser::new(Study::ALL.map(Study::name)).try_map(by_name)
}

/// Those that are asked for, each once, in the order of the report.
fn studies(only: &[Study]) -> Vec<Study> {
    Study::ALL.into_iter().filter(|study| only.is_empty() || only.contains(study)).collect()
}

/// An experiment and the study to which it belongs.
type Task = (Study, Experiment);

fn tasks(studies: &[Study], plan: &Plan) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for study in studies {
        tasks.extend(study.experiments(plan)?.into_iter().map(|experiment| (*study, experiment)));
    }
    Ok(tasks)
}

fn plan(args: &PaperArgs) -> Plan {
    let extent = match (args.quick, args.full) {
        (true, _) => Extent::Quick,
        (_, true) => Extent::Full,
        _ => Extent::Standard,
    };
    Plan { extent, runs: args.runs.map(NonZero::get), horizon: args.horizon.map(NonZero::get), seed: args.seed }
}

/// The command as a reader of the report would type it.
fn command(args: &PaperArgs) -> String {
    let mut words = vec!["optimist paper".to_owned()];
    if !args.only.is_empty() {
        let names: Vec<&str> = studies(&args.only).into_iter().map(Study::name).collect();
        words.push(format!("--only {}", names.join(",")));
    }
    words.extend(args.quick.then(|| "--quick".to_owned()));
    words.extend(args.full.then(|| "--full".to_owned()));
    words.extend(args.runs.map(|runs| format!("--runs {runs}")));
    words.extend(args.horizon.map(|horizon| format!("--horizon {horizon}")));
    words.extend((args.seed != 1).then(|| format!("--seed {}", args.seed)));
    words.join(" ")
}

/// One bar for all of the work. Every experiment has a directory of its own for every seed and horizon, so that another
/// extent does not meet the runs of this one.
fn run_all(tasks: &[Task], data: &Path, jobs: Option<NonZero<usize>>) -> Result<(Vec<Outcome>, Warnings)> {
    let place = |e: &Experiment| data.join(format!("{}-seed-{}-rounds-{}", slug(&e.name), e.seed, e.horizon));
    let open = |(_, e): &Task| Directory::open(&place(e), e);
    let directories: Vec<Directory> = tasks.iter().map(open).collect::<optimist_lab::Result<_>>()?;
    let manner = Manner { jobs, ..Manner::default() };
    let both = tasks.iter().zip(&directories);
    let works = both.map(|((_, e), directory)| Work::new(e, directory, &manner));
    let works: Vec<Work> = works.collect::<optimist_lab::Result<_>>()?;
    let bar = Bar::new(works.iter().map(Work::rounds).sum(), "paper");
    // Whoever stops the work wants to know about all of it.
    let (finished, total) = works.iter().fold((0, 0), |(a, b), work| (a + work.finished(), b + work.runs()));
    let all = |i: usize, error| match error {
        Error::Interrupted { done, .. } => {
            let before: usize = works[..i].iter().map(Work::runs).sum();
            Error::Interrupted { done: finished + before + done - works[i].finished(), total: finished + total }
        }
        other => other,
    };
    let mut outcomes = Vec::with_capacity(works.len());
    for (i, work) in works.iter().enumerate() {
        let outcome = work.run(&bar).map_err(|error| all(i, error))?;
        match tasks[i].0 {
            Study::Kappas | Study::Policies => publish(&directories[i], &outcome, false)?,
            // Many small experiments, which mean nothing one by one: a report of each would take longer than they do.
            Study::LowerBound | Study::Transitory => publish_data(&directories[i], &outcome, false)?,
        }
        outcomes.push(outcome);
    }
    Ok((outcomes, directories.iter().flat_map(|directory| directory.warnings().clone()).collect()))
}
