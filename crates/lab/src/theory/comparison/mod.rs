//! Theory held beside what happened: the bounds of the instances that were played, averaged over the runs.
//!
//! Every instance is made again once, and asked for all that is wanted of it: all of them at once may be too many.

mod bound;
mod graves_lai;

use std::collections::BTreeSet;

use serde::Serialize;

pub use self::bound::Bound;
use self::bound::BoundSum;
pub use self::graves_lai::GravesLaiConstants;
use self::graves_lai::GravesLaiSum;
use super::lower::LowerBound;
use crate::error::Result;
use crate::experiment::{Environment, Experiment, log_spaced};
use crate::results::Statistics;
use crate::simulation::{Record, World};
use crate::store::{EnvironmentRuns, Outcome, PolicyRuns};

/// What theory says of the runs of one environment.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The environment, as `results.csv` calls it.
    pub environment: String,
    /// Rounds of a run.
    pub horizon: usize,
    /// kappa_* of the runs' instances.
    pub kappa_star: Statistics,
    /// kappa_X of the runs' instances.
    pub kappa_x: Statistics,
    /// How many of the arms are detrimental, if the arms are a list.
    pub detrimental: Option<Statistics>,
    /// One entry per policy, in the experiment's order.
    pub policies: Vec<PolicyComparison>,
    /// What some neighbour of theta* costs every policy, at the marks, for ball and sphere.
    pub lower: Option<Vec<(usize, f64)>>,
    /// The Graves-Lai constants of the runs' instances.
    pub graves_lai: Option<GravesLaiConstants>,
    /// Why there are none.
    pub no_graves_lai: Option<String>,
    /// What is to be known of the figures above, if anything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What is said of figures that depend on theta* if that does not stay.
const DRIFTS: &str = "theta* drifts: these are constants of the first round, and what theory says of a parameter that stays \
                      is left out";

/// The same if the rewards that policies learn from are not those of the logistic model.
const MISFIT: &str = "the constants are those of the true success probabilities, and what theory says of the logistic model is \
                      left out";

/// What theory says of a policy.
#[derive(Debug, Clone, Serialize)]
pub struct PolicyComparison {
    /// What reports call it.
    pub label: String,
    /// Mean regret after all rounds; none if no run is finished.
    pub regret: Option<f64>,
    /// The upper bound of its regret.
    pub bound: Option<Bound>,
    /// Why there is none.
    pub no_bound: Option<String>,
    /// Mean regret over mean Graves-Lai constant (without norm bound) times log T; none without a positive one.
    pub graves_lai_ratio: Option<f64>,
    /// The same with the constant for policies that rely on the norm bound.
    pub graves_lai_bounded_ratio: Option<f64>,
}

/// Holds theory beside the runs of an environment; none if no run is finished.
///
/// # Errors
/// If the instances cannot be made again, which would be a bug.
pub fn compare(experiment: &Experiment, environment_runs: &EnvironmentRuns) -> Result<Option<Comparison>> {
    let played = Played::new(experiment, environment_runs);
    let mut sums: Option<Sums<'_>> = None;
    for number in &played.numbers {
        let world = World::new(played.environment, experiment.seed, *number)?;
        sums.get_or_insert_with(|| Sums::new(&played, environment_runs, &world)).add(&played, *number, &world);
    }
    Ok(sums.map(|sums| sums.finish(&played)))
}

/// Of all environments of an outcome, in its order.
///
/// # Errors
/// As [`compare`].
pub(crate) fn compare_all(outcome: &Outcome) -> Result<Vec<Option<Comparison>>> {
    outcome.environments.iter().map(|environment_runs| compare(&outcome.experiment, environment_runs)).collect()
}

/// What was played in an environment.
struct Played<'a> {
    experiment: &'a Experiment,
    environment: &'a Environment,
    /// The bound S that policies are told.
    norm_bound: Option<f64>,
    /// Whether all runs play the same instance.
    is_fixed: bool,
    /// The numbers of the finished runs, ascending; that of one run only if all play the same instance.
    numbers: Vec<usize>,
}

impl<'a> Played<'a> {
    fn new(experiment: &'a Experiment, environment_runs: &'a EnvironmentRuns) -> Self {
        let environment = &environment_runs.environment;
        let is_fixed = environment.truth.theta().is_some() && !environment.arms.is_drawn();
        let runs = environment_runs.policies.iter().flat_map(|policy_runs| &policy_runs.runs);
        let runs: BTreeSet<usize> = runs.map(|(run, _)| *run).collect();
        let numbers = runs.into_iter().take(if is_fixed { 1 } else { usize::MAX }).collect();
        let norm_bound = environment.told_bound();
        Self { experiment, environment, norm_bound, is_fixed, numbers }
    }

    /// The finished runs of a policy on the instance of run `number`.
    fn on_instance<'r>(&self, number: usize, policy_runs: &'r PolicyRuns) -> impl Iterator<Item = &'r Record> {
        let is_fixed = self.is_fixed;
        let runs = policy_runs.runs.iter().filter(move |(run, _)| is_fixed || *run == number);
        runs.map(|(_, record)| record)
    }
}

/// What is known of the instances so far.
struct Sums<'a> {
    is_list: bool,
    lower: Option<Vec<(usize, f64)>>,
    kappa_star: Vec<f64>,
    kappa_x: Vec<f64>,
    detrimental: Vec<f64>,
    graves_lai: std::result::Result<GravesLaiSum, String>,
    policies: Vec<PolicySum<'a>>,
}

struct PolicySum<'a> {
    runs: &'a PolicyRuns,
    bound: std::result::Result<BoundSum, String>,
}

impl<'a> Sums<'a> {
    /// Before the first instance, which is that of `world`.
    fn new(played: &Played<'_>, environment_runs: &'a EnvironmentRuns, world: &World) -> Self {
        let policy = |runs| PolicySum { runs, bound: BoundSum::new(played, runs) };
        Self {
            is_list: world.arms().len().is_some(),
            lower: lower(played, world),
            kappa_star: Vec::new(),
            kappa_x: Vec::new(),
            detrimental: Vec::new(),
            graves_lai: GravesLaiSum::new(played, world),
            policies: environment_runs.policies.iter().map(policy).collect(),
        }
    }

    /// Adds the instance of run `number`.
    fn add(&mut self, played: &Played<'_>, number: usize, world: &World) {
        self.kappa_star.push(world.instance().kappa_star());
        self.kappa_x.push(world.instance().kappa_x());
        self.detrimental.push(world.instance().detrimental().iter().filter(|bad| **bad).count() as f64);
        if let Ok(sum) = &mut self.graves_lai {
            sum.add(played, world);
        }
        for policy in &mut self.policies {
            let Ok(sum) = &mut policy.bound else { continue };
            if let Err(why) = sum.add(played, world, played.on_instance(number, policy.runs)) {
                policy.bound = Err(why);
            }
        }
    }

    fn finish(self, played: &Played<'_>) -> Comparison {
        let (graves_lai, no_graves_lai) = parted(self.graves_lai.and_then(GravesLaiSum::finish));
        let policy = |policy: PolicySum<'_>| policy.finish(played.experiment.horizon, graves_lai);
        Comparison {
            environment: played.environment.to_string(),
            horizon: played.experiment.horizon,
            kappa_star: Statistics::of(&self.kappa_star),
            kappa_x: Statistics::of(&self.kappa_x),
            detrimental: self.is_list.then(|| Statistics::of(&self.detrimental)),
            policies: self.policies.into_iter().map(policy).collect(),
            lower: self.lower,
            graves_lai,
            no_graves_lai,
            note: note(played.environment),
        }
    }
}

impl PolicySum<'_> {
    fn finish(self, horizon: usize, graves_lai: Option<GravesLaiConstants>) -> PolicyComparison {
        let regret = (!self.runs.runs.is_empty()).then(|| Statistics::of(&self.runs.final_regrets()).mean);
        let log = (horizon as f64).ln();
        let ratio = |constant: Option<Statistics>| {
            let mean = constant.map(|constant| constant.mean).filter(|mean| *mean > 0.0);
            regret.zip(mean).map(|(regret, mean)| regret / (mean * log))
        };
        let (bound, no_bound) = parted(self.bound.map(BoundSum::finish));
        PolicyComparison {
            label: self.runs.spec.label.clone(),
            regret,
            bound,
            no_bound,
            graves_lai_ratio: ratio(graves_lai.map(|constants| constants.free)),
            graves_lai_bounded_ratio: ratio(graves_lai.and_then(|constants| constants.bounded)),
        }
    }
}

/// What is to be known of the constants of an environment.
fn note(environment: &Environment) -> Option<String> {
    let drifts = (!environment.drift.is_none()).then(|| DRIFTS.to_owned());
    let misfit = environment.misfit().map(|why| format!("{why}: {MISFIT}"));
    let both: Vec<String> = drifts.into_iter().chain(misfit).collect();
    (!both.is_empty()).then(|| both.join(". "))
}

/// What there is, or why there is nothing.
fn parted<T>(result: std::result::Result<T, String>) -> (Option<T>, Option<String>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(why) => (None, Some(why)),
    }
}

/// At twenty numbers of rounds: theta* and arms of other runs differ by a rotation, which does not matter here. None if
/// theta* does not stay, or the rewards are not those of the logistic model.
fn lower(played: &Played<'_>, world: &World) -> Option<Vec<(usize, f64)>> {
    if !played.environment.drift.is_none() || played.environment.misfit().is_some() {
        return None;
    }
    let at = |t: usize| LowerBound::new(world.theta(), world.arms(), t as u64).ok().map(|bound| (t, bound.sharp.value));
    log_spaced(played.experiment.horizon, 20).into_iter().map(at).collect()
}
