//! Regret of policies on the laboratory's bandits, all of them in the same worlds with the same luck.
//!
//! `cargo bench -p optimist-lab --bench regret` prints the standard comparisons next to their aims and fails if one is
//! missed; with arguments (`-- --help` lists them) it compares what is asked for.

#[path = "regret/aims.rs"]
mod aims;
#[path = "regret/comparison.rs"]
mod comparison;
#[path = "regret/request.rs"]
mod request;

use std::process::ExitCode;

use clap::Parser;
use optimist_lab::Result;
use optimist_lab::experiment::{Experiment, NormBound, Truth};

use aims::Aims;
use comparison::compare;
use request::{Request, policy};

fn main() -> ExitCode {
    let request = Request::parse();
    // Cargo adds `--bench` of its own.
    let is_asked = std::env::args().skip(1).any(|word| word != "--bench");
    let outcome = if is_asked { asked(&request) } else { standard() };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

/// What the arguments ask for.
fn asked(request: &Request) -> Result<ExitCode> {
    compare("", &request.experiment()?)?;
    Ok(ExitCode::SUCCESS)
}

/// The comparisons for which the project has aims.
fn standard() -> Result<ExitCode> {
    let mut aims = Aims::default();
    let plane = Request::default().experiment()?;
    let table = compare("(a) ", &with(&plane, &["optimist", "ofuglb", "laplace-ts", "ofulog-r:radius=paper"])?)?;
    aims.at_most(&table, "optimist", "ofuglb", 0.75);
    aims.at_most(&table, "optimist", "laplace-ts", 1.8);
    aims.linear(&table, "ofulog-r radius=paper");
    println!();
    let rivals = with(&plane, &["bayes-ucb", "laplace-ts"])?;
    let mut wide = resized(&rivals, 4000, 100);
    let environment = &mut wide.environments[0];
    environment.dimension = 10;
    environment.arms = request::arms(100, false);
    environment.truth = Truth::ThetaNorm(4.0);
    environment.norm_bound = NormBound::Value(5.0);
    let table = compare("(b) ", &wide)?;
    aims.at_most(&table, "bayes-ucb", "laplace-ts", 0.8);
    println!();
    let table = compare("(c) ", &resized(&rivals, 16_000, 100))?;
    aims.at_most(&table, "bayes-ucb", "laplace-ts", 1.0);
    println!();
    Ok(aims.verdict())
}

/// The same with other policies.
fn with(experiment: &Experiment, policies: &[&str]) -> Result<Experiment> {
    let policies = policies.iter().map(|text| policy(text)).collect::<Result<_>>()?;
    Ok(Experiment { policies, ..experiment.clone() })
}

/// The same with other rounds and runs.
fn resized(experiment: &Experiment, horizon: usize, runs: usize) -> Experiment {
    Experiment { horizon, runs, checkpoints: vec![horizon], ..experiment.clone() }
}
