//! `optimist plan`: reads a problem, solves every arm exactly, prints what is known and what to choose.

use std::path::PathBuf;

use clap::Args;
use optimist_lab::planning::{PlanInput, solve};

use crate::failure::{Failure, Result};
use crate::files::{self, Destination};
use crate::progress::Progress;

/// What `optimist plan` is given.
#[derive(Args)]
pub(crate) struct PlanArgs {
    /// The problem, a JSON file; - reads standard input
    problem: PathBuf,
    /// Indent the JSON
    #[arg(long, conflicts_with = "csv")]
    pretty: bool,
    /// Print the arms as a CSV table instead of JSON
    #[arg(long)]
    csv: bool,
    /// Write to FILE, complete or not at all, instead of standard output; not to the problem itself
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs the command and returns the warnings to print.
///
/// # Errors
/// If the problem is at fault, or the answer cannot be written.
pub(crate) fn run(args: &PlanArgs) -> Result<Vec<String>> {
    let name = files::name_of(&args.problem);
    files::check_distinct(&args.problem, args.out.as_deref()).map_err(|e| e.in_file(&name))?;
    let problem = files::read(&args.problem, &files::PROBLEM)
        .and_then(|text| Ok(PlanInput::read(&text)?))
        .map_err(|e| e.in_file(&name))?;
    let destination = Destination::open(args.out.as_deref())?;
    let mut progress = Progress::new(problem.arms());
    let mut tell = |done| {
        progress.update(done);
        true
    };
    let (plan, warnings) = solve(problem, &mut tell)?;
    drop(progress);
    let bytes = if args.csv { plan.to_csv() } else { plan.to_json(args.pretty) };
    destination.write(&bytes.map_err(Failure::Internal)?)?;
    Ok(warnings)
}
