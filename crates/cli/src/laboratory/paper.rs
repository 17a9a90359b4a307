//! `optimist paper`: the paper in one command.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use optimist_lab::report::{count, duration};
use optimist_paper::{Extent, Reproduced, Reproduction, Study, StudyOptions, reproduce};

use super::at_least_one;
use super::bar::{Bar, catch_interrupts};
use super::columns;
use super::finished::FinishedArgs;
use crate::failure::Result;
use crate::files::write_stdout;

/// What `optimist paper` is given.
#[derive(Args)]
pub(crate) struct PaperArgs {
    /// Directory of the report. Finished runs of this build found there are not run again
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
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,
    /// Runs at a time; one per core if absent
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    finished: FinishedArgs,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If the directory cannot be written or holds something else, or the user stops it.
pub(crate) fn run(args: &PaperArgs) -> Result<Vec<String>> {
    catch_interrupts()?;
    let reproduction = Reproduction {
        out: args.out.clone(),
        studies: studies(&args.only),
        options: options(args),
        jobs: args.jobs,
        keep: args.finished.keep.clone(),
        rerun: args.finished.rerun.clone(),
        command: command(args),
    };
    let reproduced = reproduce(&reproduction, &Bar::new("paper")).map_err(|error| args.finished.failure(error))?;
    let Reproduced { report, rounds, costs, seconds, warnings } = reproduced;
    let (rounds, time, cost) = (count(rounds as u64), duration(seconds), columns::costs(&costs));
    write_stdout(format!("{cost}\n{rounds} rounds in {time}\n{}\n", report.display()).as_bytes())?;
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

fn options(args: &PaperArgs) -> StudyOptions {
    let extent = match (args.quick, args.full) {
        (true, _) => Extent::Quick,
        (_, true) => Extent::Full,
        _ => Extent::Standard,
    };
    StudyOptions { extent, runs: args.runs.map(NonZero::get), horizon: args.horizon.map(NonZero::get), seed: args.seed }
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
