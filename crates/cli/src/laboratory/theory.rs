//! `optimist theory`: what theory says of an instance.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use optimist_lab::Experiment;
use optimist_lab::theory::{Asked, AskedArms, Effort, Statement, statements};
use serde_json::{Value, json};

use super::at_least_one;
use super::run::read_file;
use super::statement::shown;
use crate::failure::{Failure, Result};
use crate::files::{name_of, write_stdout};
use crate::progress::Waiting;

/// What `optimist theory` is given.
#[derive(Args)]
pub(crate) struct TheoryArgs {
    /// An experiment, as for `optimist run`, whose environments are asked about; - reads standard input
    #[arg(conflicts_with_all = ["theta", "arms", "ball", "sphere", "norm_bound"])]
    experiment: Option<PathBuf>,
    /// The parameter theta*, numbers separated by commas
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true, value_parser = number)]
    theta: Option<Vec<f64>>,
    /// The arms, a CSV file: one arm per line, one number per feature
    #[arg(long, value_name = "FILE", group = "set")]
    arms: Option<PathBuf>,
    /// The arms are the whole unit ball in D dimensions
    #[arg(long, value_name = "D", group = "set")]
    ball: Option<usize>,
    /// The arms are the whole unit sphere in D dimensions
    #[arg(long, value_name = "D", group = "set")]
    sphere: Option<usize>,
    /// The bound S on the norm of theta* that policies are told; the norm itself if absent
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    norm_bound: Option<f64>,
    /// Rounds for the bounds; 10,000 if absent, or the experiment's
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = at_least_one)]
    horizon: Option<NonZero<usize>>,
    /// The probability with which confidence sets may fail; 0.05 if absent, or the experiment's
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    delta: Option<f64>,
    /// The run of the experiment whose instance is shown, where theta* or arms are drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    run: usize,
    /// Compute the Graves-Lai constant however many arms there are; it is left out where it would take long
    #[arg(long, conflicts_with = "no_graves_lai")]
    graves_lai: bool,
    /// Leave out the Graves-Lai constant
    #[arg(long)]
    no_graves_lai: bool,
    /// Print everything as JSON, with full precision and all arms
    #[arg(long)]
    json: bool,
}

/// What to say to whoever asks about nothing.
const NOTHING: &str = "nothing to ask about: give --theta with --arms FILE, --ball D or --sphere D, or an experiment";

fn number(text: &str) -> std::result::Result<f64, String> {
    text.trim().parse().map_err(|_| "give numbers separated by commas, such as 3,1".to_owned())
}

/// Runs the command.
///
/// # Errors
/// If the file or an option is at fault.
pub(crate) fn run(args: &TheoryArgs) -> Result<()> {
    let mut experiment = match &args.experiment {
        Some(path) => read_file(path).map_err(|failure| failure.in_file(&name_of(path)))?,
        None if args.theta.is_some() => instance(args)?,
        None => return Err(Failure::Input(NOTHING.to_owned())),
    };
    experiment.horizon = args.horizon.map_or(experiment.horizon, NonZero::get);
    experiment.delta = args.delta.unwrap_or(experiment.delta);
    let effort = match (args.graves_lai, args.no_graves_lai) {
        (true, _) => Effort::Any,
        (_, true) => Effort::None,
        _ => Effort::Seconds,
    };
    let waiting = (effort != Effort::None).then(|| Waiting::for_what("the Graves-Lai constant"));
    let statements = statements(&experiment, args.run, effort)?;
    drop(waiting);
    let text = if args.json { as_json(&statements)? } else { shown(&statements) };
    write_stdout(text.as_bytes())
}

/// One object an environment; a list of them only if there are several.
fn as_json(statements: &[Statement]) -> Result<String> {
    let values: std::result::Result<Vec<Value>, _> = statements.iter().map(serde_json::to_value).collect();
    let mut values = values.map_err(|e| Failure::Internal(e.to_string()))?;
    let value = if values.len() == 1 { values.remove(0) } else { json!({ "environments": values }) };
    let text = serde_json::to_string_pretty(&value).map_err(|e| Failure::Internal(e.to_string()))?;
    Ok(text + "\n")
}

/// An experiment with the one instance that the options describe.
fn instance(args: &TheoryArgs) -> Result<Experiment> {
    let arms = match (&args.arms, args.ball, args.sphere) {
        (Some(path), ..) => AskedArms::File(path.clone()),
        (_, Some(ball), _) => AskedArms::Ball(ball),
        (.., Some(sphere)) => AskedArms::Sphere(sphere),
        _ => AskedArms::Missing,
    };
    Ok(Asked { theta: args.theta.clone().unwrap_or_default(), arms, norm_bound: args.norm_bound }.experiment()?)
}
