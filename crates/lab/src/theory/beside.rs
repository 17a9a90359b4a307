//! Theory held beside what happened: the bounds of the instances that were played, averaged over the runs.

use std::collections::BTreeMap;

use optimist::ArmSet;

use super::graves_lai::graves_lai;
use super::lower::LowerBound;
use super::upper::{ConfidenceSet, Seen, UpperBounds};
use crate::error::{Error, Result};
use crate::experiment::{ArmsKind, Environment, Experiment, Redraw, Truth};
use crate::outcome::{Cell, Lane};
use crate::record::Record;
use crate::simulation::World;
use crate::statistics::Statistics;

/// What theory says of the runs of one environment.
#[derive(Debug, Clone)]
pub struct Beside {
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
    /// The Graves-Lai constants of the runs, or why there are none.
    pub yardstick: std::result::Result<Statistics, String>,
}

/// What theory says of a policy.
#[derive(Debug, Clone)]
pub struct Policy {
    /// What reports call it.
    pub label: String,
    /// Mean regret after all rounds; none if no run is finished.
    pub regret: Option<f64>,
    /// The bound, or why there is none.
    pub bound: std::result::Result<Bound, String>,
    /// Mean regret over mean Graves-Lai constant times log T; none without a positive one.
    pub yardsticks: Option<f64>,
}

/// An upper bound on the regret of a policy, averaged over its runs.
#[derive(Debug, Clone)]
pub struct Bound {
    /// At the marks.
    pub curve: Vec<(usize, f64)>,
    /// After all rounds, with the elliptical sum and the detrimental plays that the runs realised in place of what is known
    /// of them beforehand.
    pub realised: f64,
    /// The probability with which it holds in a run.
    pub probability: f64,
}

impl Bound {
    /// After all rounds.
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
    let yardstick = yardstick(&cell.environment, &worlds);
    let is_list = matches!(first.arms(), ArmSet::Finite(_));
    let bad = |world: &World| world.instance().detrimental().iter().filter(|bad| **bad).count() as f64;
    let lanes = cell.lanes.iter().map(|lane| policy(experiment, cell, lane, &worlds, yardstick.as_ref().ok()));
    Ok(Some(Beside {
        kappa_star: figures(|world| world.instance().kappa_star()),
        kappa_x: figures(|world| world.instance().kappa_x()),
        detrimental: is_list.then(|| figures(bad)),
        policies: lanes.collect(),
        lower: lower(experiment, first),
        yardstick: yardstick.map(|values| Statistics::of(&values.into_values().collect::<Vec<_>>())),
    }))
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
    yardstick: Option<&BTreeMap<usize, f64>>,
) -> Policy {
    let regret = (!lane.runs.is_empty()).then(|| Statistics::of(&lane.final_regrets()).mean);
    let log = (experiment.horizon as f64).ln();
    let mean = yardstick.map(|values| values.values().sum::<f64>() / values.len() as f64).filter(|mean| *mean > 0.0);
    Policy {
        label: lane.contender.label.clone(),
        regret,
        bound: bound(experiment, cell, lane, worlds),
        yardsticks: regret.zip(mean).map(|(regret, mean)| regret / (mean * log)),
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
    let (mut realised, mut probability) = (0.0, 0.0);
    let part = 1.0 / lane.runs.len() as f64;
    let words = |e: Error| e.to_string();
    for (run, record) in &lane.runs {
        let world = &worlds[if is_fixed(environment) { &0 } else { run }];
        let bounds = UpperBounds::new(world.instance(), told, experiment.delta, set, experiment.horizon as u64);
        let bounds = bounds.map_err(words)?;
        for (t, sum) in &mut curve {
            *sum += part * bounds.after(*t as u64, &Seen::default()).map_err(words)?.value;
        }
        let last = bounds.after(experiment.horizon as u64, &seen(record)).map_err(words)?;
        realised += part * last.value;
        probability = last.probability;
    }
    Ok(Bound { curve, realised, probability })
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

/// The Graves-Lai constants of the runs, in the class that policies are told of.
fn yardstick(
    environment: &Environment,
    worlds: &BTreeMap<usize, World>,
) -> std::result::Result<BTreeMap<usize, f64>, String> {
    let is_list = environment.arms.kind == ArmsKind::List || environment.arms.kind.is_drawn();
    if !is_list || environment.arms.kind.is_drawn() && environment.arms.redraw == Redraw::Round {
        return Err("it is defined for a list of arms that does not change".to_owned());
    }
    let told = environment.norm_bound.value(environment.truth.norm());
    let of = |world: &World| match world.arms() {
        ArmSet::Finite(list) => {
            // Rounding of a drawn direction must not put theta* outside.
            let class = told.map(|told| told.max(optimist::linalg::norm(world.theta())));
            graves_lai(world.theta(), list, class).map(|found| found.value()).map_err(|e| e.to_string())
        }
        _ => Err("the arms are not a list".to_owned()),
    };
    worlds.iter().map(|(run, world)| Ok((*run, of(world)?))).collect()
}
