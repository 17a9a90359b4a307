//! `optimist run`: an experiment from a file.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use optimist_lab::experiment::{Experiment, read, schema};
use optimist_lab::report::{forecast, publish};
use optimist_lab::run::{RunOptions, Shard, Work, estimate};
use optimist_lab::simulation::Progress;
use optimist_lab::store::{Directory, slug};

use super::at_least_one;
use super::bar::{Bar, catch_interrupts};
use super::finished::FinishedArgs;
use super::live::{Refresh, run_refreshing};
use super::show::table;
use crate::failure::{Failure, Result};
use crate::files::{self, write_stdout};

/// Time for the trial from which it is estimated how long the work takes.
const TRIAL: Duration = Duration::from_secs(1);

/// Work that takes fewer seconds is done before anybody has read how long it takes.
const WORTH_A_LINE: f64 = 60.0;

/// What `optimist run` is given.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// The experiment, a TOML file; - reads standard input
    #[arg(required_unless_present = "schema")]
    experiment: Option<PathBuf>,
    /// Directory of the results; results/NAME if absent. Finished runs of this build found there are not run again
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Runs at a time; one per core if absent. Results do not depend on it
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    jobs: Option<NonZero<usize>>,
    /// Do only part I of N, on one machine of many; `optimist merge` puts the parts together
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Write results.parquet beside results.csv
    #[arg(long)]
    parquet: bool,
    /// Write every choice of every run to choices/
    #[arg(long)]
    choices: bool,
    /// Reload report.html in the browser while runs are finished, and refresh it every 3 seconds
    #[arg(long)]
    watch: bool,
    /// Seconds from one refresh of the results to the next while it runs; 30 if absent, 0 for none before the end
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    refresh: Option<u64>,
    #[command(flatten)]
    finished: FinishedArgs,
    /// Print the JSON schema of experiment files, for editors and other programs, and stop
    #[arg(long)]
    schema: bool,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If the file is at fault, the directory cannot be written or holds something else, or the user stops it.
pub(crate) fn run(args: &RunArgs) -> Result<Vec<String>> {
    let Some(path) = args.experiment.as_ref().filter(|_| !args.schema) else {
        let text = serde_json::to_string_pretty(&schema()).map_err(|e| Failure::Internal(e.to_string()))?;
        return write_stdout((text + "\n").as_bytes()).map(|()| Vec::new());
    };
    let experiment = read_file(path).map_err(|failure| failure.in_file(&files::name_of(path)))?;
    let out = args.out.clone().unwrap_or_else(|| Path::new("results").join(slug(&experiment.name)));
    perform(&experiment, &out, args)
}

fn options(args: &RunArgs) -> RunOptions {
    RunOptions {
        jobs: args.jobs,
        shard: args.shard,
        choices: args.choices,
        keep: args.finished.keep.clone(),
        rerun: args.finished.rerun.clone(),
        ..RunOptions::default()
    }
}

pub(super) fn read_file(path: &Path) -> Result<Experiment> {
    let text = files::read(path, &files::EXPERIMENT)?;
    let directory = if path == Path::new("-") { Path::new(".") } else { path.parent().unwrap_or(Path::new(".")) };
    Ok(read(&text, directory)?)
}

fn perform(experiment: &Experiment, out: &Path, args: &RunArgs) -> Result<Vec<String>> {
    // Before the directory, so that an experiment that cannot be run leaves nothing behind.
    let work = Work::new(experiment, &options(args))?;
    catch_interrupts()?;
    let directory = Directory::open(out, experiment)?;
    let (remaining, bar) = (work.remaining(&directory)?, Bar::new(&experiment.name));
    if let Some(estimate) = estimate(&[&remaining], TRIAL, &bar)?.filter(|estimate| estimate.seconds >= WORTH_A_LINE) {
        bar.note(&forecast(&estimate));
    }
    remaining.announce(&bar);
    let refresh = refresh(args);
    if refresh.watch && remaining.runs() > 0 {
        bar.note(&format!("open {} in a browser: it follows the runs", out.join("report.html").display()));
    }
    let (outcome, warning) = run_refreshing(&remaining, &bar, &directory, experiment, refresh);
    drop(bar);
    let outcome = outcome.map_err(|error| args.finished.failure(error))?;
    publish(&directory, &outcome, args.parquet)?;
    write_stdout(table(&outcome, out).as_bytes())?;
    Ok([directory.warnings().clone(), remaining.warnings(), Vec::from_iter(warning)].concat())
}

/// Whoever watches wants to see something happen.
fn refresh(args: &RunArgs) -> Refresh {
    let seconds = args.refresh.unwrap_or(if args.watch { 3 } else { 30 });
    // To watch what is never refreshed is to see the end.
    let every = (seconds > 0).then(|| Duration::from_secs(seconds));
    Refresh { every, watch: args.watch && every.is_some(), parquet: args.parquet }
}
