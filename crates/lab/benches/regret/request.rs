//! What a comparison is asked for: arguments in, an experiment out.

use std::num::NonZero;

use clap::Parser;
use optimist::policy::names;
use optimist_lab::experiment::{
    Arms, Coverage, Delay, Drift, Environment, Experiment, Feedback, NormBound, PolicySpec, Redraw, Rewards, Shape,
    Truth,
};
use optimist_lab::{Error, Result};
use serde_json::Value;

const ABOUT: &str = "\
Compares the regret of policies. In the same run all of them meet the same arms, the same theta*
and the same luck. Without arguments: the standard comparisons, held against their aims; exit
code 1 if one is missed. With any argument: what is asked for.";

const MORE: &str = "\
Other arms, several environments at a time, coverage, figures and tables: write an experiment
file and use `optimist run`, which plays the same worlds.";

/// The arguments.
#[derive(Parser, Default)]
#[command(bin_name = "cargo bench -p optimist-lab --bench regret --", about = ABOUT, after_help = MORE)]
pub(crate) struct Request {
    /// Policies to compare, the first being the yardstick; NAME:OPTION=JSON sets an option of this entry alone, so that a
    /// policy may be compared with itself (all policies)
    #[arg(long, value_delimiter = ',')]
    policies: Option<Vec<String>>,
    /// Features of an arm (2)
    #[arg(long)]
    dimension: Option<NonZero<usize>>,
    /// Arms, uniform in the unit ball (40)
    #[arg(long)]
    arms: Option<NonZero<usize>>,
    /// New arms every round
    #[arg(long)]
    changing: bool,
    /// Length of theta*, by kappa = 2 + e^N + e^-N (50)
    #[arg(long, conflicts_with = "norm")]
    kappa: Option<f64>,
    /// Length of theta*
    #[arg(long)]
    norm: Option<f64>,
    /// Bound on it that policies are told (the length itself)
    #[arg(long)]
    norm_bound: Option<f64>,
    /// Probability with which confidence sets may fail (0.05)
    #[arg(long)]
    delta: Option<f64>,
    /// Length of a run (2000)
    #[arg(long)]
    rounds: Option<NonZero<usize>>,
    /// Number of runs (50)
    #[arg(long)]
    seeds: Option<NonZero<usize>>,
    /// Seed of all runs: another one makes worlds that were not seen before (1)
    #[arg(long)]
    seed: Option<u64>,
    /// Rewards come together after every so many rounds (1)
    #[arg(long)]
    batch: Option<NonZero<usize>>,
    /// Given by Cargo; means nothing
    #[arg(long, hide = true)]
    bench: bool,
}

impl Request {
    /// The experiment.
    pub(crate) fn experiment(&self) -> Result<Experiment> {
        let number = |given: Option<NonZero<usize>>, absent: usize| given.map_or(absent, NonZero::get);
        let horizon = number(self.rounds, 2000);
        let all = || names().map(str::to_owned).collect();
        let policies = self.policies.clone().unwrap_or_else(all);
        Ok(Experiment {
            name: "regret".into(),
            seed: self.seed.unwrap_or(1),
            runs: number(self.seeds, 50),
            horizon,
            delta: self.delta.unwrap_or(0.05),
            checkpoints: vec![horizon],
            coverage: Coverage::Off,
            environments: vec![self.environment()?],
            policies: policies.iter().map(|text| policy(text)).collect::<Result<_>>()?,
        })
    }

    fn environment(&self) -> Result<Environment> {
        let truth = self.norm.map_or(Truth::Kappa(self.kappa.unwrap_or(50.0)), Truth::ThetaNorm);
        if !truth.norm().is_finite() {
            return Err(Error::input("--kappa must be at least 4, --norm a finite number"));
        }
        let mut feedback = Feedback::default();
        if let Some(size) = self.batch.map(NonZero::get).filter(|size| *size > 1) {
            feedback.delay = Delay::Batch { size };
        }
        Ok(Environment {
            label: None,
            dimension: self.dimension.map_or(2, NonZero::get),
            arms: arms(self.arms.map_or(40, NonZero::get), self.changing),
            truth,
            norm_bound: self.norm_bound.map_or(NormBound::Exact, NormBound::Value),
            feedback,
            drift: Drift::None,
            rewards: Rewards::default(),
        })
    }
}

/// Arms uniform in the unit ball, drawn once or every round.
pub(crate) fn arms(count: usize, changing: bool) -> Arms {
    Arms::Drawn { shape: Shape::Ball, count, redraw: if changing { Redraw::Round } else { Redraw::Run } }
}

/// Reads `NAME` or `NAME:OPTION=JSON:...`; what is not JSON is a text. The label is the name with the options.
pub(crate) fn policy(text: &str) -> Result<PolicySpec> {
    let mut parts = text.split(':');
    let mut spec = PolicySpec::plain(parts.next().unwrap_or_default());
    for part in parts {
        let (option, value) = part.split_once('=').ok_or_else(|| Error::input(format!("{part}: write OPTION=JSON")))?;
        let label = format!("{} {option}={value}", spec.label);
        spec = spec.with(option, serde_json::from_str(value).unwrap_or_else(|_| Value::from(value))).labelled(&label);
    }
    spec.info()?;
    Ok(spec)
}
