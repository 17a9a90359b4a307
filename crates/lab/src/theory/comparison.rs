//! Theory held beside what happened: the bounds of the instances that were played, averaged over the runs.

use std::collections::BTreeSet;

use optimist::ArmSet;
use serde::Serialize;

use super::graves_lai::{Status, graves_lai};
use super::lower::LowerBound;
use super::statement::Effort;
use super::upper::{ConfidenceSet, Seen, UpperBounds};
use crate::error::{Error, Result};
use crate::experiment::{Environment, Experiment, Redraw, Truth};
use crate::results::Statistics;
use crate::simulation::Record;
use crate::simulation::World;
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
    /// One entry a policy, in the experiment's order.
    pub policies: Vec<Policy>,
    /// What some neighbour of theta* costs every policy, at the marks, for ball and sphere.
    pub lower: Option<Vec<(usize, f64)>>,
    /// The Graves-Lai constants of the runs' instances.
    pub graves_lai: Option<Yardstick>,
    /// Why there are none.
    pub no_graves_lai: Option<String>,
}

/// The Graves-Lai constants of the runs' instances.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Yardstick {
    /// For policies that are good for all parameters.
    pub free: Statistics,
    /// For policies that rely on the norm bound they are told, if there is one.
    pub bounded: Option<Statistics>,
    /// Instances for which a constant is known from above only, not to its last digits.
    pub unsettled: usize,
}

/// What theory says of a policy.
#[derive(Debug, Clone, Serialize)]
pub struct Policy {
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

/// An upper bound on the regret of a policy, averaged over its runs.
#[derive(Debug, Clone, Serialize)]
pub struct Bound {
    /// Theorem 1 at the marks.
    pub curve: Vec<(usize, f64)>,
    /// Theorem 1 after all rounds, with the elliptical sum and the detrimental plays that the runs realised in place of
    /// what is known of them beforehand.
    pub realised: f64,
    /// The least of all bounds after all rounds: Theorem 1, what the plays of every arm can cost, and the worst arm always.
    pub least: f64,
    /// The probability with which it holds in a run.
    pub probability: f64,
}

impl Bound {
    /// Theorem 1 after all rounds.
    pub fn value(&self) -> f64 {
        self.curve.last().map_or(f64::NAN, |(_, bound)| *bound)
    }
}

/// Holds theory beside the runs of an environment; none if no run is finished.
///
/// # Errors
/// If the instances cannot be made again, which would be a bug.
pub fn compare(experiment: &Experiment, environment_runs: &EnvironmentRuns) -> Result<Option<Comparison>> {
    let worlds = Worlds::new(experiment, environment_runs);
    let Some(first) = worlds.numbers.first().map(|number| worlds.make(*number)).transpose()? else { return Ok(None) };
    let (mut stars, mut flattest, mut bad) = (Vec::new(), Vec::new(), Vec::new());
    for number in &worlds.numbers {
        let world = worlds.make(*number)?;
        stars.push(world.instance().kappa_star());
        flattest.push(world.instance().kappa_x());
        bad.push(world.instance().detrimental().iter().filter(|bad| **bad).count() as f64);
    }
    let (graves_lai, no_graves_lai) = parted(yardstick(&worlds, &first));
    let policies = environment_runs.policies.iter().map(|policy_runs| policy(&worlds, policy_runs, graves_lai));
    Ok(Some(Comparison {
        environment: environment_runs.environment.to_string(),
        horizon: experiment.horizon,
        kappa_star: Statistics::of(&stars),
        kappa_x: Statistics::of(&flattest),
        detrimental: matches!(first.arms(), ArmSet::Finite(_)).then(|| Statistics::of(&bad)),
        policies: policies.collect(),
        lower: lower(experiment, &first),
        graves_lai,
        no_graves_lai,
    }))
}

/// Of all environments of an outcome, in its order.
///
/// # Errors
/// As [`beside`].
pub fn compare_all(outcome: &Outcome) -> Result<Vec<Option<Comparison>>> {
    outcome.environments.iter().map(|environment_runs| compare(&outcome.experiment, environment_runs)).collect()
}

/// What there is, or why there is nothing.
fn parted<T>(result: std::result::Result<T, String>) -> (Option<T>, Option<String>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(why) => (None, Some(why)),
    }
}

/// The instances of all finished runs, made when they are needed: all of them at once may be too many.
struct Worlds<'a> {
    experiment: &'a Experiment,
    environment: &'a Environment,
    /// Whether all runs play the same instance.
    is_fixed: bool,
    /// The numbers of the runs, ascending; that of one run only if all play the same instance.
    numbers: Vec<usize>,
}

impl<'a> Worlds<'a> {
    fn new(experiment: &'a Experiment, environment_runs: &'a EnvironmentRuns) -> Self {
        let environment = &environment_runs.environment;
        let is_fixed = matches!(environment.truth, Truth::Theta(_)) && !environment.arms.kind.is_drawn();
        let runs: BTreeSet<usize> =
            environment_runs.policies.iter().flat_map(|policy_runs| &policy_runs.runs).map(|(run, _)| *run).collect();
        let numbers = runs.into_iter().take(if is_fixed { 1 } else { usize::MAX }).collect();
        Self { experiment, environment, is_fixed, numbers }
    }

    fn make(&self, run: usize) -> Result<World> {
        World::new(self.environment, self.experiment.seed, run)
    }

    /// The bound S that policies are told.
    fn told(&self) -> Option<f64> {
        self.environment.norm_bound.value(self.environment.truth.norm())
    }
}

fn policy(worlds: &Worlds<'_>, policy_runs: &PolicyRuns, yardstick: Option<Yardstick>) -> Policy {
    let regret = (!policy_runs.runs.is_empty()).then(|| Statistics::of(&policy_runs.final_regrets()).mean);
    let log = (worlds.experiment.horizon as f64).ln();
    let ratio = |constant: Option<Statistics>| {
        let mean = constant.map(|constant| constant.mean).filter(|mean| *mean > 0.0);
        regret.zip(mean).map(|(regret, mean)| regret / (mean * log))
    };
    let (bound, no_bound) = parted(bound(worlds, policy_runs));
    Policy {
        label: policy_runs.spec.label.clone(),
        regret,
        bound,
        no_bound,
        graves_lai_ratio: ratio(yardstick.map(|yardstick| yardstick.free)),
        graves_lai_bounded_ratio: ratio(yardstick.and_then(|yardstick| yardstick.bounded)),
    }
}

fn bound(worlds: &Worlds<'_>, policy_runs: &PolicyRuns) -> std::result::Result<Bound, String> {
    let set = ConfidenceSet::of(&policy_runs.spec, worlds.environment)?;
    let Some((first, record)) = policy_runs.runs.first() else { return Err("no run is finished".to_owned()) };
    let (told, horizon) = (worlds.told().unwrap_or(f64::NAN), worlds.experiment.horizon as u64);
    let words = |e: Error| e.to_string();
    let prepare = |run: usize| {
        let world = worlds.make(run).map_err(words)?;
        UpperBounds::new(world.instance(), told, worlds.experiment.delta, set, horizon).map_err(words)
    };
    let mut bounds = prepare(*first)?;
    let mut curve: Vec<(usize, f64)> = record.t.iter().map(|t| (*t, 0.0)).collect();
    let (mut realised, mut least) = (0.0, 0.0);
    let part = 1.0 / policy_runs.runs.len() as f64;
    for (run, record) in &policy_runs.runs {
        if run != first && !worlds.is_fixed {
            bounds = prepare(*run)?;
        }
        for (t, sum) in &mut curve {
            *sum += part * bounds.after(*t as u64, &Seen::default()).map_err(words)?.general;
        }
        realised += part * bounds.after(horizon, &seen(record)).map_err(words)?.general;
        least += part * bounds.after(horizon, &Seen::default()).map_err(words)?.value;
    }
    Ok(Bound { curve, realised, least, probability: set.probability(worlds.experiment.delta) })
}

/// What a run realised.
fn seen(record: &Record) -> Seen {
    Seen { elliptical: record.elliptical.last().copied(), detrimental_plays: record.bad_plays.last().copied() }
}

/// At twenty numbers of rounds: theta* and arms of other runs differ by a rotation, which does not matter here.
fn lower(experiment: &Experiment, world: &World) -> Option<Vec<(usize, f64)>> {
    let at = |t: usize| LowerBound::new(world.theta(), world.arms(), t as u64).ok().map(|bound| (t, bound.sharp.value));
    crate::experiment::log_spaced(experiment.horizon, 20).into_iter().map(at).collect()
}

/// The Graves-Lai constants of the runs, of which `first` is one.
fn yardstick(worlds: &Worlds<'_>, first: &World) -> std::result::Result<Yardstick, String> {
    let environment = worlds.environment;
    if environment.arms.kind.is_drawn() && environment.arms.redraw == Redraw::Round {
        return Err("it is defined for a list of arms that does not change".to_owned());
    }
    let arms = first.instance().means().len();
    if !Effort::Seconds.allows(worlds.numbers.len(), arms, environment.dimension) {
        return Err("it would take too long for all runs; `optimist theory` computes it for one".to_owned());
    }
    // Rounding of a drawn direction must not put theta* outside.
    let class = |world: &World| worlds.told().map(|told| told.max(optimist::linalg::norm(world.theta())));
    let (free, unsettled) = constants(worlds, |_| None)?;
    let (bounded, more) = worlds.told().map(|_| constants(worlds, class)).transpose()?.unzip();
    Ok(Yardstick { free, bounded, unsettled: unsettled.max(more.unwrap_or(0)) })
}

/// The constants, and how many of them are known from above only.
fn constants(
    worlds: &Worlds<'_>,
    class: impl Fn(&World) -> Option<f64>,
) -> std::result::Result<(Statistics, usize), String> {
    let (mut values, mut unsettled) = (Vec::new(), 0);
    for number in &worlds.numbers {
        let world = worlds.make(*number).map_err(|e| e.to_string())?;
        let ArmSet::Finite(list) = world.arms() else { return Err("it is defined for a list of arms".to_owned()) };
        let found = graves_lai(world.theta(), list, class(&world)).map_err(|e| e.to_string())?;
        values.push(found.value());
        unsettled += usize::from(found.status == Status::Stopped);
    }
    Ok((Statistics::of(&values), unsettled))
}
