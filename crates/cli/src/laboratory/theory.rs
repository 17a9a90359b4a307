//! `optimist theory`: what theory says of an instance.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use optimist::FiniteArms;
use optimist::numerics::norm;
use optimist_lab::Experiment;
use optimist_lab::experiment::{Arms, Coverage, Drift, Environment, Feedback, NormBound, PolicySpec, Truth, read_arms};
use optimist_lab::theory::{Effort, Statement};
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
const HORIZON: usize = 10_000;
const DELTA: f64 = 0.05;

/// More rounds than this are not counted by doubles.
const HORIZON_MOST: usize = 1_000_000_000_000_000;

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
    check(&experiment, args.run)?;
    let effort = match (args.graves_lai, args.no_graves_lai) {
        (true, _) => Effort::Any,
        (_, true) => Effort::None,
        _ => Effort::Seconds,
    };
    let waiting = (effort != Effort::None).then(|| Waiting::for_what("the Graves-Lai constant"));
    let of = |environment| Statement::of(&experiment, environment, args.run, effort);
    let statements: Vec<Statement> =
        experiment.environments.iter().map(of).collect::<std::result::Result<_, optimist_lab::Error>>()?;
    drop(waiting);
    let text = if args.json { as_json(&statements)? } else { shown(&statements) };
    write_stdout(text.as_bytes())
}

fn check(experiment: &Experiment, run: usize) -> Result<()> {
    let Experiment { delta, horizon, runs, .. } = *experiment;
    let refuse = |text: String| Err(Failure::Input(text));
    if !(delta > 0.0 && delta < 1.0) {
        return refuse(format!("--delta is {delta}: give a number between 0 and 1, such as 0.05"));
    }
    if horizon > HORIZON_MOST {
        return refuse(format!("--horizon is {horizon}: give {HORIZON_MOST} at most"));
    }
    if run >= runs {
        return refuse(format!("--run is {run}: runs are numbered from 0, and there are {runs}"));
    }
    Ok(())
}

/// One object an environment; a list of them only if there are several.
fn as_json(statements: &[Statement]) -> Result<String> {
    let values: std::result::Result<Vec<Value>, _> = statements.iter().map(serde_json::to_value).collect();
    let mut values = values.map_err(|e| Failure::Internal(e.to_string()))?;
    let value = if values.len() == 1 { values.remove(0) } else { json!({ "environments": values }) };
    let text = serde_json::to_string_pretty(&value).map_err(|e| Failure::Internal(e.to_string()))?;
    Ok(text + "\n")
}

/// An experiment with the one instance that the options describe, and the policies whose regret the theory bounds.
fn instance(args: &TheoryArgs) -> Result<Experiment> {
    let theta = args.theta.clone().unwrap_or_default();
    check_theta(&theta, args.norm_bound)?;
    let arms = arms(args, theta.len())?;
    let environment = Environment {
        dimension: theta.len(),
        arms,
        norm_bound: args.norm_bound.map_or(NormBound::Exact, NormBound::Value),
        truth: Truth::Theta(theta),
        feedback: Feedback::default(),
        drift: Drift::None,
    };
    Ok(Experiment {
        name: "theory".to_owned(),
        seed: 1,
        runs: 1,
        horizon: HORIZON,
        delta: DELTA,
        checkpoints: vec![HORIZON],
        coverage: Coverage::Off,
        environments: vec![environment],
        policies: ["ofulog", "ofulog-r", "optimist"].map(PolicySpec::plain).to_vec(),
    })
}

fn check_theta(theta: &[f64], norm_bound: Option<f64>) -> Result<()> {
    if let Some(value) = theta.iter().find(|value| !value.is_finite()) {
        return Err(Failure::Input(format!("--theta has {value}: give finite numbers, such as 3,1")));
    }
    let length = norm(theta);
    match norm_bound {
        Some(bound) if !(bound.is_finite() && bound > 0.0) => {
            Err(Failure::Input(format!("--norm-bound is {bound}: give a finite number above 0")))
        }
        Some(bound) if bound * (1.0 + 1e-12) < length => {
            Err(Failure::Input(format!("--norm-bound is {bound}, below the norm {length} of theta: raise it")))
        }
        None if length == 0.0 => {
            Err(Failure::Input("--theta is zero: give --norm-bound as well, a bound on what it might be".to_owned()))
        }
        _ => Ok(()),
    }
}

fn arms(args: &TheoryArgs, dimension: usize) -> Result<Arms> {
    let checked = |option: &str, given: usize, arms| {
        if given == dimension {
            return Ok(arms);
        }
        let text = format!("--{option} is {given} and --theta has {dimension} numbers: give as many");
        Err(Failure::Input(text))
    };
    match (&args.arms, args.ball, args.sphere) {
        (Some(path), ..) => list(path, dimension),
        (_, Some(ball), _) => checked("ball", ball, Arms::Ball),
        (.., Some(sphere)) => checked("sphere", sphere, Arms::Sphere),
        _ => Err(Failure::Input("no arms: give --arms FILE, --ball D or --sphere D beside --theta".to_owned())),
    }
}

fn list(path: &Path, dimension: usize) -> Result<Arms> {
    let list = read_arms(path)?;
    let name = path.display();
    if list[0].len() != dimension {
        let features = list[0].len();
        let text = format!("{name}: arms have {features} features and --theta has {dimension} numbers: give as many");
        return Err(Failure::Input(text));
    }
    // What arms must be is the library's to say.
    FiniteArms::from_rows(&list).map_err(|e| Failure::Input(format!("{name}: {e}")))?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok(Arms::List { name, arms: list })
}
