//! Differences of regret between policies that met the same bandits with the same luck.

use std::io::{self, Write};

use serde::Serialize;

use super::cannot_write;
use super::paired::{PairedTest, holm};
use crate::error::Result;
use crate::experiment::{Experiment, log_spaced};
use crate::store::{EnvironmentRuns, Outcome, PolicyRuns};

/// A difference is called one if its adjusted p value is at most this.
pub const ALPHA: f64 = 0.05;

/// Rounds at which differences are written; of more checkpoints so many are taken, evenly spaced on a logarithmic axis.
const ROUNDS_MOST: usize = 100;

/// By how much the regret of a policy exceeds that of another one, run by run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The label of the policy.
    pub policy: String,
    /// The label of the one that it is compared with.
    pub reference: String,
    /// After so many rounds.
    pub t: usize,
    /// Runs that both have finished.
    pub runs: usize,
    /// The regret of the policy minus that of the reference: below zero the policy is better.
    #[serde(flatten)]
    pub test: PairedTest,
    /// p, adjusted after Holm for all pairs of policies in this environment after these rounds.
    pub p_holm: f64,
    /// The same for Wilcoxon's test.
    pub wilcoxon_p_holm: f64,
}

/// What a difference says of the first of two policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// It has less regret.
    Better,
    /// Nobody knows.
    Open,
    /// It has more regret.
    Worse,
}

impl Difference {
    /// What it says of the policy, by the adjusted t test.
    pub fn comparison(&self) -> Comparison {
        match self.p_holm <= ALPHA {
            true if self.test.mean < 0.0 => Comparison::Better,
            true if self.test.mean > 0.0 => Comparison::Worse,
            _ => Comparison::Open,
        }
    }
}

/// All pairs of some policies in an environment after `t` rounds, by the numbers of the policies: every policy against those
/// before it. Pairs without a common run are left out.
pub(super) fn differences_of(environment_runs: &EnvironmentRuns, policies: &[usize], t: usize) -> Vec<Difference> {
    let policies: Vec<&PolicyRuns> = policies.iter().filter_map(|i| environment_runs.policies.get(*i)).collect();
    let pairs = policies
        .iter()
        .enumerate()
        .flat_map(|(i, reference)| policies[i + 1..].iter().filter_map(move |policy| difference(policy, reference, t)));
    let mut differences: Vec<Difference> = pairs.collect();
    let p = |of: fn(&PairedTest) -> f64| holm(&differences.iter().map(|d| of(&d.test)).collect::<Vec<_>>());
    let (student, wilcoxon) = (p(|test| test.p), p(|test| test.wilcoxon_p));
    for (i, difference) in differences.iter_mut().enumerate() {
        (difference.p_holm, difference.wilcoxon_p_holm) = (student[i], wilcoxon[i]);
    }
    differences
}

fn difference(policy: &PolicyRuns, reference: &PolicyRuns, t: usize) -> Option<Difference> {
    let regret = |runs: &PolicyRuns, i: usize| {
        let record = &runs.runs[i].1;
        record.t.binary_search(&t).ok().and_then(|mark| record.regret.get(mark).copied())
    };
    let common = policy.runs.iter().enumerate().filter_map(|(i, (run, _))| {
        let j = reference.runs.binary_search_by_key(run, |(other, _)| *other).ok()?;
        Some(regret(policy, i)? - regret(reference, j)?)
    });
    let differences: Vec<f64> = common.collect();
    let [policy, reference] = [policy, reference].map(|runs| runs.spec.label.clone());
    (!differences.is_empty()).then(|| Difference {
        policy,
        reference,
        t,
        runs: differences.len(),
        test: PairedTest::of(&differences),
        p_holm: f64::NAN,
        wilcoxon_p_holm: f64::NAN,
    })
}

/// All pairs of policies in an environment after `t` rounds: every policy against those before it.
pub fn differences(environment_runs: &EnvironmentRuns, t: usize) -> Vec<Difference> {
    differences_of(environment_runs, &(0..environment_runs.policies.len()).collect::<Vec<_>>(), t)
}

/// The rounds after which differences are written: the checkpoints, or about a hundred of them.
pub fn difference_rounds(experiment: &Experiment) -> Vec<usize> {
    let checkpoints = &experiment.checkpoints;
    if checkpoints.len() <= ROUNDS_MOST {
        return checkpoints.clone();
    }
    let next = |t: usize| checkpoints[checkpoints.partition_point(|checkpoint| *checkpoint < t)];
    let mut rounds: Vec<usize> = log_spaced(experiment.horizon, ROUNDS_MOST).into_iter().map(next).collect();
    rounds.dedup();
    rounds
}

/// Writes all differences as comma-separated values with a header: one row per environment, round and pair of policies. What
/// cannot be told is empty.
///
/// # Errors
/// [`Error::File`](crate::Error::File) if `out` fails.
pub fn write_differences(outcome: &Outcome, out: impl Write) -> Result<()> {
    let failed = |error: csv::Error| cannot_write(&io::Error::from(error));
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS).map_err(failed)?;
    let rounds = difference_rounds(&outcome.experiment);
    for environment_runs in &outcome.environments {
        let name = environment_runs.environment.to_string();
        for difference in rounds.iter().flat_map(|t| differences(environment_runs, *t)) {
            writer.write_record(cells(&name, &difference)).map_err(failed)?;
        }
    }
    writer.flush().map_err(|e| cannot_write(&e))
}

const COLUMNS: [&str; 13] = [
    "environment",
    "t",
    "policy",
    "reference",
    "runs",
    "mean_difference",
    "standard_error",
    "low",
    "high",
    "p",
    "p_holm",
    "wilcoxon_p",
    "wilcoxon_p_holm",
];

fn cells(environment: &str, difference: &Difference) -> Vec<String> {
    let Difference { policy, reference, t, runs, test, p_holm, wilcoxon_p_holm } = difference;
    let figures =
        [test.mean, test.standard_error, test.low, test.high, test.p, *p_holm, test.wilcoxon_p, *wilcoxon_p_holm];
    let figures = figures.iter().map(|figure| if figure.is_nan() { String::new() } else { figure.to_string() });
    let words = [environment.to_owned(), t.to_string(), policy.clone(), reference.clone(), runs.to_string()];
    words.into_iter().chain(figures).collect()
}
