//! Theory held beside what happened: the bounds of the instances that were played, averaged over the runs.

use std::collections::BTreeMap;

use optimist::ArmSet;
use serde::Serialize;

use super::graves_lai::{GravesLai, Status, graves_lai};
use super::lower::LowerBound;
use super::statement::Effort;
use super::upper::{ConfidenceSet, Seen, UpperBounds};
use crate::error::{Error, Result};
use crate::experiment::{Environment, Experiment, Redraw, Truth};
use crate::outcome::{Cell, Lane, Outcome};
use crate::record::Record;
use crate::simulation::World;
use crate::statistics::Statistics;

/// What theory says of the runs of one environment.
#[derive(Debug, Clone, Serialize)]
pub struct Beside {
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
pub fn beside(experiment: &Experiment, cell: &Cell) -> Result<Option<Beside>> {
    let worlds = worlds(experiment, cell)?;
    let Some(first) = worlds.values().next() else { return Ok(None) };
    let figures = |figure: fn(&World) -> f64| Statistics::of(&worlds.values().map(figure).collect::<Vec<_>>());
    let (graves_lai, no_graves_lai) = parted(yardstick(&cell.environment, &worlds));
    let is_list = matches!(first.arms(), ArmSet::Finite(_));
    let bad = |world: &World| world.instance().detrimental().iter().filter(|bad| **bad).count() as f64;
    let lanes = cell.lanes.iter().map(|lane| policy(experiment, cell, lane, &worlds, graves_lai));
    Ok(Some(Beside {
        kappa_star: figures(|world| world.instance().kappa_star()),
        kappa_x: figures(|world| world.instance().kappa_x()),
        detrimental: is_list.then(|| figures(bad)),
        policies: lanes.collect(),
        lower: lower(experiment, first),
        graves_lai,
        no_graves_lai,
        environment: cell.environment.to_string(),
        horizon: experiment.horizon,
    }))
}

/// Of all environments of an outcome, in its order.
///
/// # Errors
/// As [`beside`].
pub fn beside_all(outcome: &Outcome) -> Result<Vec<Option<Beside>>> {
    outcome.cells.iter().map(|cell| beside(&outcome.experiment, cell)).collect()
}

/// What there is, or why there is nothing.
fn parted<T>(result: std::result::Result<T, String>) -> (Option<T>, Option<String>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(why) => (None, Some(why)),
    }
}

/// Whether all runs play the same instance.
fn is_fixed(environment: &Environment) -> bool {
    let Environment { arms, truth, .. } = environment;
    matches!(truth, Truth::Theta(_)) && !arms.kind.is_drawn()
}

/// The instances of all finished runs, by number; a single one if all are the same.
fn worlds(experiment: &Experiment, cell: &Cell) -> Result<BTreeMap<usize, World>> {
    let mut worlds = BTreeMap::new();
    for (run, _) in cell.lanes.iter().flat_map(|lane| &lane.runs) {
        let number = if is_fixed(&cell.environment) { 0 } else { *run };
        if let std::collections::btree_map::Entry::Vacant(place) = worlds.entry(number) {
            place.insert(World::new(&cell.environment, experiment.seed, number)?);
        }
    }
    Ok(worlds)
}

fn policy(
    experiment: &Experiment,
    cell: &Cell,
    lane: &Lane,
    worlds: &BTreeMap<usize, World>,
    yardstick: Option<Yardstick>,
) -> Policy {
    let regret = (!lane.runs.is_empty()).then(|| Statistics::of(&lane.final_regrets()).mean);
    let log = (experiment.horizon as f64).ln();
    let ratio = |constant: Option<Statistics>| {
        let mean = constant.map(|constant| constant.mean).filter(|mean| *mean > 0.0);
        regret.zip(mean).map(|(regret, mean)| regret / (mean * log))
    };
    let (bound, no_bound) = parted(bound(experiment, cell, lane, worlds));
    Policy {
        label: lane.contender.label.clone(),
        regret,
        bound,
        no_bound,
        graves_lai_ratio: ratio(yardstick.map(|yardstick| yardstick.free)),
        graves_lai_bounded_ratio: ratio(yardstick.and_then(|yardstick| yardstick.bounded)),
    }
}

fn bound(
    experiment: &Experiment,
    cell: &Cell,
    lane: &Lane,
    worlds: &BTreeMap<usize, World>,
) -> std::result::Result<Bound, String> {
    let environment = &cell.environment;
    let set = ConfidenceSet::of(&lane.contender, environment)?;
    let Some((_, first)) = lane.runs.first() else { return Err("no run is finished".to_owned()) };
    let told = environment.norm_bound.value(environment.truth.norm()).unwrap_or(f64::NAN);
    let mut curve: Vec<(usize, f64)> = first.t.iter().map(|t| (*t, 0.0)).collect();
    let (mut realised, mut least, mut probability) = (0.0, 0.0, 0.0);
    let part = 1.0 / lane.runs.len() as f64;
    let words = |e: Error| e.to_string();
    for (run, record) in &lane.runs {
        let world = &worlds[if is_fixed(environment) { &0 } else { run }];
        let bounds = UpperBounds::new(world.instance(), told, experiment.delta, set, experiment.horizon as u64);
        let bounds = bounds.map_err(words)?;
        for (t, sum) in &mut curve {
            *sum += part * bounds.after(*t as u64, &Seen::default()).map_err(words)?.general;
        }
        let last = bounds.after(experiment.horizon as u64, &seen(record)).map_err(words)?;
        realised += part * last.general;
        least += part * bounds.after(experiment.horizon as u64, &Seen::default()).map_err(words)?.value;
        probability = last.probability;
    }
    Ok(Bound { curve, realised, least, probability })
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

/// The Graves-Lai constants of the runs.
fn yardstick(environment: &Environment, worlds: &BTreeMap<usize, World>) -> std::result::Result<Yardstick, String> {
    if environment.arms.kind.is_drawn() && environment.arms.redraw == Redraw::Round {
        return Err("it is defined for a list of arms that does not change".to_owned());
    }
    let arms = worlds.values().map(|world| world.instance().means().len()).max().unwrap_or(0);
    if !Effort::Seconds.allows(worlds.len(), arms, environment.dimension) {
        return Err("it would take too long for all runs; `optimist theory` computes it for one".to_owned());
    }
    let told = environment.norm_bound.value(environment.truth.norm());
    // Rounding of a drawn direction must not put theta* outside.
    let class = |world: &World| told.map(|told| told.max(optimist::linalg::norm(world.theta())));
    let (free, unsettled) = constants(worlds, |_| None)?;
    let (bounded, more) = told.map(|_| constants(worlds, class)).transpose()?.unzip();
    Ok(Yardstick { free, bounded, unsettled: unsettled.max(more.unwrap_or(0)) })
}

/// The constants, and how many of them are known from above only.
fn constants(
    worlds: &BTreeMap<usize, World>,
    class: impl Fn(&World) -> Option<f64>,
) -> std::result::Result<(Statistics, usize), String> {
    let of = |world: &World| match world.arms() {
        ArmSet::Finite(list) => graves_lai(world.theta(), list, class(world)).map_err(|e| e.to_string()),
        _ => Err("it is defined for a list of arms".to_owned()),
    };
    let found: Vec<GravesLai> = worlds.values().map(of).collect::<std::result::Result<_, String>>()?;
    let unsettled = found.iter().filter(|found| found.status == Status::Stopped).count();
    Ok((Statistics::of(&found.iter().map(GravesLai::value).collect::<Vec<f64>>()), unsettled))
}
