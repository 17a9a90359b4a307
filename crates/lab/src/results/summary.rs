//! `summary.json`: what came of an experiment, in figures.

use serde::Serialize;
use serde_json::{Map, Value};

use super::differences::{Difference, differences};
use super::statistics::Statistics;
use crate::experiment::{Arms, Drift, Environment, Experiment, Feedback, Fitted, Rewards, Truth, kappa_of};
use crate::store::{BuildRuns, EnvironmentRuns, Outcome, PolicyRuns};

/// The figures of an experiment.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// What was asked for.
    pub experiment: ExperimentSummary,
    /// The programs that made the runs, those with most runs first.
    pub builds: Vec<BuildRuns>,
    /// One entry per environment.
    #[serde(rename = "cells")]
    pub environments: Vec<EnvironmentResults>,
}

/// What was asked for.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentSummary {
    /// Its name.
    pub name: String,
    /// The version of the program that wrote the summary.
    pub version: &'static str,
    /// The seed.
    pub seed: u64,
    /// Runs of each policy in each environment.
    pub runs: usize,
    /// Rounds of a run.
    pub horizon: usize,
    /// The probability with which a confidence set may fail.
    pub delta: f64,
    /// Rounds after which figures are given.
    pub checkpoints: Vec<usize>,
    /// Runs that are finished, and runs that were asked for.
    pub progress: RunsDone,
    /// What the short names of the environments leave out because all share it.
    pub common: String,
}

/// How far an experiment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunsDone {
    /// Runs that are finished, of all policies and environments.
    pub finished: usize,
    /// Runs that were asked for.
    pub asked: usize,
}

/// The figures of one environment.
#[derive(Debug, Clone, Serialize)]
pub struct EnvironmentResults {
    /// The environment.
    pub environment: EnvironmentSummary,
    /// One entry per policy.
    pub policies: Vec<PolicySummary>,
    /// After all rounds, every pair of policies.
    pub differences: Vec<Difference>,
}

/// An environment with what follows from it.
#[derive(Debug, Clone, Serialize)]
pub struct EnvironmentSummary {
    /// The name by which `results.csv` calls it.
    pub label: String,
    /// What reports call it: the label that the user has given, or what varies among the environments.
    pub short: String,
    /// The settings that vary among the environments, by the names of their columns in `results.csv`.
    pub swept: Map<String, Value>,
    /// The number of features of an arm.
    pub dimension: usize,
    /// What may be played.
    pub arms: Arms,
    /// 1/mu'(||theta*||).
    pub kappa: f64,
    /// ||theta*||; of what one arm meets, if the arms have parameters of their own and it was not given.
    pub theta_norm: f64,
    /// theta*, if it was given; otherwise every run draws its direction.
    pub theta: Option<Vec<f64>>,
    /// The bound on ||theta*|| that policies were told.
    pub norm_bound: Option<f64>,
    /// How rewards come back.
    pub feedback: Feedback,
    /// How theta* moves, if it does.
    #[serde(skip_serializing_if = "Drift::is_none")]
    pub drift: Drift,
    /// How rewards depend on features, if not by the logistic model.
    #[serde(skip_serializing_if = "Rewards::is_plain")]
    pub rewards: Rewards,
    /// To what theta* was fitted, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fitted>,
    /// Why nobody asks whether theta* is in a policy's set, if theta* is not the parameter of the rewards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_coverage: Option<&'static str>,
}

impl EnvironmentSummary {
    /// What follows from an environment.
    fn of(environment: &Environment, short: &str, swept: Map<String, Value>) -> Self {
        let Environment { dimension, arms, truth, feedback, drift, rewards, .. } = environment;
        let (label, theta_norm) = (environment.to_string(), truth.norm());
        // What the user wrote, not what comes back from the norm.
        let kappa = if let Truth::Kappa(kappa) = truth { *kappa } else { kappa_of(theta_norm) };
        let theta = truth.theta().map(<[f64]>::to_vec);
        let fit = if let Truth::Fitted(fit) = truth { Some(fit.clone()) } else { None };
        let norm_bound = environment.told_bound();
        Self {
            label,
            short: short.to_owned(),
            swept,
            dimension: *dimension,
            arms: arms.without_rows(),
            kappa,
            theta_norm,
            theta,
            norm_bound,
            feedback: *feedback,
            drift: *drift,
            rewards: rewards.clone(),
            fit,
            no_coverage: environment.no_truth(),
        }
    }
}

/// The figures of one policy in one environment.
#[derive(Debug, Clone, Serialize)]
pub struct PolicySummary {
    /// What reports call it.
    pub label: String,
    /// Its name in the registry.
    pub policy: String,
    /// Its options, where they are not the defaults.
    pub options: Map<String, Value>,
    /// Finished runs.
    pub runs: usize,
    /// Rounds of a run.
    pub horizon: usize,
    /// Pseudo-regret after all rounds; none if no run is finished.
    pub regret: Option<Statistics>,
    /// Pseudo-regret on the way.
    pub checkpoints: Vec<Checkpoint>,
    /// Mean time that the policy itself took for a run.
    pub seconds_per_run: Option<f64>,
    /// Rounds that the policy plays in a second.
    pub rounds_per_second: Option<f64>,
    /// Time spent on the environment and the books, as a fraction of the policy's own.
    pub overhead: Option<f64>,
    /// Problems solved for planning, a round; none if the policy plans in closed form.
    pub solves_per_round: Option<f64>,
    /// Runs in which theta* ever left the policy's own set; none if it keeps no set or nobody looked.
    pub excluded_runs: Option<usize>,
}

/// Regret after some rounds.
#[derive(Debug, Clone, Serialize)]
pub struct Checkpoint {
    /// The number of rounds.
    pub t: usize,
    /// The figures.
    #[serde(flatten)]
    pub regret: Statistics,
}

impl Summary {
    /// The figures of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        let Experiment { name, seed, runs, horizon, delta, checkpoints, .. } = outcome.experiment.clone();
        let version = env!("CARGO_PKG_VERSION");
        let (finished, asked) = outcome.progress();
        let (names, swept) = (outcome.experiment.short_names(), outcome.experiment.swept());
        let (progress, common) = (RunsDone { finished, asked }, names.common);
        let environment = |(i, environment_runs): (usize, &EnvironmentRuns)| {
            let swept = swept.iter().map(|swept| (swept.name.to_owned(), swept.values[i].clone())).collect();
            summarise(&outcome.experiment, environment_runs, &names.names[i], swept)
        };
        Self {
            experiment: ExperimentSummary { name, version, seed, runs, horizon, delta, checkpoints, progress, common },
            builds: outcome.builds(),
            environments: outcome.environments.iter().enumerate().map(environment).collect(),
        }
    }
}

fn summarise(
    experiment: &Experiment,
    environment_runs: &EnvironmentRuns,
    short: &str,
    swept: Map<String, Value>,
) -> EnvironmentResults {
    let policies = environment_runs.policies.iter().map(|policy_runs| PolicySummary::of(experiment, policy_runs));
    EnvironmentResults {
        environment: EnvironmentSummary::of(&environment_runs.environment, short, swept),
        policies: policies.collect(),
        differences: differences(environment_runs, experiment.horizon),
    }
}

impl PolicySummary {
    /// The figures of the finished runs of a policy.
    pub fn of(experiment: &Experiment, policy_runs: &PolicyRuns) -> Self {
        let (label, policy) = (policy_runs.spec.label.clone(), policy_runs.spec.policy.clone());
        let (options, runs, horizon) = (policy_runs.spec.options.clone(), policy_runs.runs.len(), experiment.horizon);
        let seconds: f64 = policy_runs.runs.iter().map(|(_, record)| record.policy_seconds).sum();
        let all_seconds: f64 = policy_runs.runs.iter().map(|(_, record)| record.seconds).sum();
        let rounds = (runs * horizon) as f64;
        let some = |value: f64| (runs > 0 && seconds > 0.0).then_some(value);
        Self {
            label,
            policy,
            options,
            runs,
            horizon,
            regret: (runs > 0).then(|| Statistics::of(&policy_runs.final_regrets())),
            checkpoints: checkpoints(experiment, policy_runs),
            seconds_per_run: some(seconds / runs as f64),
            rounds_per_second: some(rounds / seconds),
            overhead: some(all_seconds / seconds - 1.0),
            solves_per_round: solves(policy_runs).map(|solves| solves as f64 / rounds),
            excluded_runs: excluded(policy_runs),
        }
    }
}

fn checkpoints(experiment: &Experiment, policy_runs: &PolicyRuns) -> Vec<Checkpoint> {
    let Some((_, first)) = policy_runs.runs.first() else { return Vec::new() };
    let figures = |t: &usize| {
        let mark = first.t.binary_search(t).ok()?;
        Some(Checkpoint { t: *t, regret: Statistics::of(&policy_runs.regrets(mark)) })
    };
    experiment.checkpoints.iter().filter_map(figures).collect()
}

/// Of all runs, if all count.
fn solves(policy_runs: &PolicyRuns) -> Option<u64> {
    if policy_runs.runs.is_empty() { None } else { policy_runs.runs.iter().map(|(_, record)| record.solves).sum() }
}

/// Of all runs, if somebody looked in all of them.
fn excluded(policy_runs: &PolicyRuns) -> Option<usize> {
    let left = |(_, record): &(usize, crate::simulation::Record)| record.left_set.map(|left| usize::from(left > 0));
    if policy_runs.runs.is_empty() { None } else { policy_runs.runs.iter().map(left).sum() }
}
