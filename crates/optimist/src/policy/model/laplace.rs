//! The Laplace posterior at a cost that stays bounded: exact while few distinct arms make that cheap, in one pass beyond.
//!
//! **The rule.** The exact posterior is kept as long as no more distinct arms were observed than the longest list offered
//! holds, or 32 if that is more: on a fixed list for ever, because observations of one arm merge. Where arms are new with
//! every request, a [one-pass posterior](crate::posterior) takes over from it at the next choice or question, with the estimate
//! and the Hessian that the exact one has there. Option `posterior` forces either. Sparse arms, arms with parameters of their
//! own and forgetting are for one pass only.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::Posterior;
use super::posterior::default_ridge;
use crate::arms::{ArmSet, FiniteArms};
use crate::belief::Belief;
use crate::error::{Error, Result, check_number};
use crate::link;
use crate::numerics::{dot, perturb};
use crate::policy::info::{OptionInfo, PolicyInfo};
use crate::posterior::{OnePass, Row, Structure};
use crate::problem::Problem;
use crate::set::{Guarantee, Mixture};

/// With fewer distinct arms than this the exact posterior costs no more than one that never looks back.
const FEW: usize = 32;

/// Prior precisions that are weighed by evidence where neither a ridge nor a norm bound is given.
const RIDGES: [f64; 4] = [0.03, 0.17, 1.0, 6.0];

/// Which posterior is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PosteriorKind {
    /// The exact one while few distinct arms make it cheap, one pass beyond.
    #[default]
    Auto,
    /// A fit to all observations.
    Exact,
    /// A filter that looks at every observation once.
    OnePass,
}

/// The precision of the prior, or several of which evidence decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Ridge {
    /// One.
    Fixed(f64),
    /// Several, weighed by how well each foretold the rewards; the exact posterior takes the middle one.
    Weighed(Vec<f64>),
}

/// Options of every policy that chooses by the Laplace posterior.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PosteriorOptions {
    /// Precision of the prior.
    pub ridge: Option<Ridge>,
    /// Which posterior is kept.
    pub posterior: PosteriorKind,
    /// How many of the features, the last ones, meet parameters that belong to one arm alone.
    pub own: usize,
    /// After how many observations the information of one has halved.
    pub half_life: Option<f64>,
}

pub(in crate::policy) const RIDGE: OptionInfo = OptionInfo {
    name: "ridge",
    help: "precision of the prior: a number; a list, of which the one is used that foretold the rewards best (each costs \
           one more update per reward); null: d/S^2, or without a norm bound 1 and, in one pass, [0.03, 0.17, 1, 6]",
};
pub(in crate::policy) const MEMORY: OptionInfo = OptionInfo {
    name: "posterior",
    help: "\"exact\": a fit to all observations; \"one-pass\": a filter at constant cost; \"auto\": exact while there are no \
           more distinct arms than the longest list holds (or 32), then one pass",
};
pub(in crate::policy) const OWN: OptionInfo = OptionInfo {
    name: "own",
    help: "how many of an arm's features, the last ones, meet parameters of that arm alone: for hybrid arms; the number of all \
           features: one model per arm; 0: all arms share all parameters",
};
pub(in crate::policy) const HALF_LIFE: OptionInfo = OptionInfo {
    name: "half_life",
    help: "for laws that drift: the number of observations after which what one taught has halved; positive; null: never. In \
           one pass only, and without certificates",
};

impl PosteriorOptions {
    pub(in crate::policy) fn validate(&self) -> Result<()> {
        for ridge in self.given_ridges() {
            check_number("ridge", *ridge, *ridge > 0.0, "positive")?;
        }
        if matches!(&self.ridge, Some(Ridge::Weighed(list)) if list.is_empty()) {
            return Err(Error::Empty { field: "ridge" });
        }
        if let Some(life) = self.half_life {
            check_number("half_life", life, life > 0.0, "a positive number of observations, or null")?;
        }
        if self.posterior == PosteriorKind::Exact && self.needs_one_pass() {
            let what = "is \"exact\": half_life and own need \"one-pass\" or \"auto\"".into();
            return Err(Error::Option { field: "posterior".into(), what });
        }
        Ok(())
    }

    /// Why no set certifies what is learnt with these options, if none does.
    pub(in crate::policy) fn uncertified(&self, dimension: usize) -> Option<&'static str> {
        if self.half_life.is_some() {
            Some("half_life is set: the sets hold for a parameter that does not change")
        } else if self.own > 0 && self.own < dimension {
            Some("own is set: no set is kept where arms have parameters of their own beside shared ones")
        } else {
            None
        }
    }

    fn given_ridges(&self) -> &[f64] {
        match &self.ridge {
            Some(Ridge::Fixed(ridge)) => std::slice::from_ref(ridge),
            Some(Ridge::Weighed(list)) => list,
            None => &[],
        }
    }

    /// The ridges of one pass.
    fn ridges(&self, problem: &Problem) -> Cow<'_, [f64]> {
        match (&self.ridge, problem.norm_bound) {
            (Some(_), _) => self.given_ridges().into(),
            (None, Some(_)) => vec![default_ridge(problem)].into(),
            (None, None) => RIDGES[..].into(),
        }
    }

    /// The ridge of the exact posterior.
    fn ridge(&self, problem: &Problem) -> f64 {
        let given = self.given_ridges();
        given.get(given.len() / 2).copied().unwrap_or_else(|| default_ridge(problem))
    }

    fn needs_one_pass(&self) -> bool {
        self.half_life.is_some() || self.own > 0
    }

    fn structure(&self, problem: &Problem) -> Structure {
        let d = problem.dimension;
        match self.own {
            0 => Structure::Shared { dimension: d },
            own => Structure::Hybrid { shared: d - own, own },
        }
    }
}

/// N(theta, H^{-1}), with the lower triangles of H and its inverse.
pub(in crate::policy) struct Gaussian<'a> {
    pub(in crate::policy) theta: &'a [f64],
    pub(in crate::policy) inverse: &'a [f64],
    pub(in crate::policy) matrix: Cow<'a, [f64]>,
}

/// The posterior of a policy.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::policy) struct Laplace {
    problem: Problem,
    options: PosteriorOptions,
    kept: Kept,
    /// How much has been learnt: the number of observations, or what forgetting has left of it.
    observations: f64,
    /// The length of the longest list offered.
    longest: usize,
    /// Whether the mixture set is kept in one pass as well.
    certifies: bool,
    /// Working memory.
    #[serde(skip)]
    scratch: Vec<f64>,
    #[serde(skip)]
    draw: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kept {
    Exact(Box<Posterior>),
    OnePass(Box<Passed>),
}

/// A one-pass posterior, and the observations with their sets where those are kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Passed {
    posterior: OnePass,
    sets: Sets,
}

/// The observations with their mixture sets.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Sets {
    None,
    /// One of all observations.
    One(Box<Belief>),
    /// One per arm, for arms that share nothing.
    PerArm(PerArm),
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct PerArm {
    beliefs: BTreeMap<u64, Belief>,
    /// Rows that each may keep; none: all.
    memory: Option<usize>,
    /// Arms with more: nothing is forgotten before somebody looks.
    crowded: Vec<u64>,
}

impl PerArm {
    /// The k-th arm that is observed has a set that fails with probability delta/(k (k + 1)) at most: together delta.
    fn record(&mut self, owner: u64, x: &[f64], reward: f64, problem: &Problem) {
        let k = self.beliefs.len() as f64 + 1.0;
        let share = problem.delta / (k * (k + 1.0));
        if let Entry::Vacant(entry) = self.beliefs.entry(owner)
            && let Ok(belief) = Belief::new(problem.dimension, problem.norm_bound, share)
            && let Ok(belief) = belief.with_memory(self.memory)
        {
            entry.insert(belief);
        }
        let Some(belief) = self.beliefs.get_mut(&owner) else { return };
        belief.record(x, reward, 1);
        if self.memory.is_some_and(|rows| belief.history().rows() > rows) && !self.crowded.contains(&owner) {
            self.crowded.push(owner);
        }
    }

    fn look_if_crowded(&mut self) {
        for owner in self.crowded.drain(..) {
            if let Some(belief) = self.beliefs.get_mut(&owner) {
                belief.look_if_crowded();
            }
        }
    }

    /// Checks deserialised sets: they have the shares of delta that their number allows, each once.
    fn check(&self, problem: &Problem) -> Result<()> {
        let mut shares: Vec<f64> = self.beliefs.values().filter_map(|belief| belief.guarantee().delta).collect();
        shares.sort_by(|a, b| b.total_cmp(a));
        let expected = (1..=self.beliefs.len()).map(|k| problem.delta / (k as f64 * (k as f64 + 1.0)));
        let promised = Mixture::promise(problem);
        let is_alike = |belief: &Belief| {
            let Guarantee { name, norm_bound, .. } = belief.guarantee();
            (name, norm_bound, belief.memory()) == (promised.name, promised.norm_bound, self.memory)
        };
        let sound = shares.len() == self.beliefs.len()
            && shares.iter().zip(expected).all(|(share, most)| *share <= most)
            && self.beliefs.values().all(is_alike);
        check_number("sets", shares.iter().sum(), sound, "sets whose deltas add up to that of the problem")?;
        self.beliefs
            .values()
            .try_for_each(|belief| super::check_dimension("sets", belief.dimension(), problem.dimension))
    }
}

impl Sets {
    fn new(problem: &Problem, options: &PosteriorOptions) -> Result<Self> {
        if options.uncertified(problem.dimension).is_some() {
            Ok(Sets::None)
        } else if options.own > 0 {
            Ok(Sets::PerArm(PerArm::default()))
        } else {
            Ok(Sets::One(Box::new(Belief::new(problem.dimension, problem.norm_bound, problem.delta)?)))
        }
    }

    fn record(&mut self, row: &Row<'_>, reward: f64, problem: &Problem, memory: &mut Vec<f64>) {
        match self {
            Sets::None => {}
            Sets::One(belief) => belief.record(row.dense(problem.dimension, memory), reward, 1),
            Sets::PerArm(sets) => sets.record(row.owner(), row.values(), reward, problem),
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        match self {
            Sets::PerArm(sets) => sets.check(problem),
            Sets::None | Sets::One(_) => Ok(()),
        }
    }
}

impl Laplace {
    pub(in crate::policy) fn new(problem: &Problem, options: &PosteriorOptions) -> Result<Self> {
        options.validate()?;
        if options.own > problem.dimension {
            let allowed = "at most the number of features";
            return Err(Error::OutOfRange { field: "own".into(), value: options.own as f64, allowed });
        }
        let kept = if options.posterior == PosteriorKind::OnePass || options.needs_one_pass() {
            let posterior = OnePass::new(options.structure(problem), &options.ridges(problem), options.half_life)?;
            Kept::OnePass(Box::new(Passed { posterior, sets: Sets::new(problem, options)? }))
        } else {
            Kept::Exact(Box::new(Posterior::new(problem, Some(options.ridge(problem)))?))
        };
        Ok(Self {
            problem: *problem,
            options: options.clone(),
            kept,
            observations: 0.0,
            longest: 0,
            certifies: true,
            scratch: Vec::new(),
            draw: Vec::new(),
        })
    }

    /// Nobody will ask for certificates: in one pass no observation need be remembered.
    pub(in crate::policy) fn forgo_certificates(&mut self) {
        self.certifies = false;
        if let Kept::OnePass(passed) = &mut self.kept {
            passed.sets = Sets::None;
        }
    }

    /// t/d: observations, this round's included, per parameter.
    pub(in crate::policy) fn share(&self) -> f64 {
        let parameters = match &self.kept {
            Kept::OnePass(passed) => passed.posterior.parameters(),
            Kept::Exact(_) => self.problem.dimension,
        };
        (self.observations + 1.0) / parameters.max(1) as f64
    }

    pub(in crate::policy) fn is_exact(&self) -> bool {
        matches!(self.kept, Kept::Exact(_))
    }

    /// A list is offered.
    pub(in crate::policy) fn offer(&mut self, arms: usize) {
        self.longest = self.longest.max(arms);
    }

    /// Brings everything in step with the observations.
    pub(in crate::policy) fn refresh(&mut self) {
        if self.is_crowded() {
            self.hand_over();
        }
        if let Kept::Exact(posterior) = &mut self.kept {
            posterior.refresh();
        }
    }

    fn is_crowded(&self) -> bool {
        let Kept::Exact(posterior) = &self.kept else { return false };
        self.options.posterior == PosteriorKind::Auto && posterior.belief().history().rows() > self.longest.max(FEW)
    }

    /// Goes on in one pass.
    fn hand_over(&mut self) {
        let Kept::Exact(posterior) = &mut self.kept else { return };
        let ridges = self.options.ridges(&self.problem);
        let fits = ridges.iter().map(|ridge| posterior.filter_with(*ridge)).collect();
        // The ridges have been checked, and there is at least one.
        let Ok(mut next) = OnePass::resume(self.problem.dimension, fits, self.options.half_life) else { return };
        if !posterior.lent().is_empty() {
            next.lend_matrix(posterior.lent());
        }
        let before =
            std::mem::replace(&mut self.kept, Kept::OnePass(Box::new(Passed { posterior: next, sets: Sets::None })));
        if let (Kept::Exact(before), Kept::OnePass(passed), true) = (before, &mut self.kept, self.certifies) {
            passed.sets = Sets::One(Box::new(before.into_belief()));
        }
    }

    /// Sparse and hybrid arms are for one pass.
    ///
    /// # Errors
    /// If the exact posterior was asked for.
    fn require_one_pass(&mut self) -> Result<&mut OnePass> {
        if self.is_exact() && self.options.posterior == PosteriorKind::Exact {
            let what = "is \"exact\": sparse arms need \"one-pass\" or \"auto\"".into();
            return Err(Error::Option { field: "posterior".into(), what });
        }
        if self.is_exact() {
            self.hand_over();
        }
        match &mut self.kept {
            Kept::OnePass(passed) => Ok(&mut passed.posterior),
            Kept::Exact(_) => Err(Error::Overflow { what: "the posterior" }),
        }
    }

    /// Whether rows of this form can be learnt.
    pub(in crate::policy) fn check_row(&self, row: &Row<'_>, info: &PolicyInfo) -> Result<()> {
        let (given, defined_for, remedy) = match (row, self.options.own) {
            (Row::Own { .. }, 0) => ("hybrid", "other", "build the policy with option own"),
            (Row::Own { .. }, _) | (_, 0) => return Ok(()),
            (_, _) => ("other", "hybrid", "give hybrid arms, or leave option own out"),
        };
        Err(Error::ArmKind { what: format!("this \"{}\"", info.name), given, defined_for: defined_for.into(), remedy })
    }

    pub(in crate::policy) fn learn(&mut self, row: &Row<'_>, reward: f64) {
        self.observations = self.keep() * self.observations + 1.0;
        let dimension = self.problem.dimension;
        match &mut self.kept {
            Kept::Exact(posterior) => posterior.learn(row.dense(dimension, &mut self.scratch), reward),
            Kept::OnePass(passed) => {
                passed.posterior.learn(row, reward);
                passed.sets.record(row, reward, &self.problem, &mut self.scratch);
            }
        }
    }

    /// Counts a play whose reward is out as if that were known, and returns the weight that was added along its features.
    pub(in crate::policy) fn lend(&mut self, row: &Row<'_>) -> f64 {
        match &mut self.kept {
            Kept::Exact(posterior) => {
                let x = row.dense(self.problem.dimension, &mut self.scratch);
                let weight = link::variance(dot(x, posterior.current_theta()));
                posterior.lend(x, weight, 1);
                weight
            }
            Kept::OnePass(passed) => passed.posterior.lend(row),
        }
    }

    /// Takes that away again; `left` plays are open beside it.
    pub(in crate::policy) fn take_back(&mut self, row: &Row<'_>, weight: f64, left: usize) {
        match &mut self.kept {
            Kept::Exact(posterior) => {
                posterior.lend(row.dense(self.problem.dimension, &mut self.scratch), -weight, left);
            }
            Kept::OnePass(passed) => passed.posterior.take_back(row, weight, left),
        }
    }

    /// What is left of an observation after the next one.
    fn keep(&self) -> f64 {
        self.options.half_life.map_or(1.0, |life| (-std::f64::consts::LN_2 / life).exp())
    }

    /// theta_hat; of parameters that all arms share, if some belong to single arms.
    pub(in crate::policy) fn theta(&mut self) -> &[f64] {
        self.refresh();
        self.current_theta()
    }

    /// The same as of the last refresh.
    pub(in crate::policy) fn current_theta(&self) -> &[f64] {
        match &self.kept {
            Kept::Exact(posterior) => posterior.current_theta(),
            Kept::OnePass(passed) => passed.posterior.theta(),
        }
    }

    /// Estimated log-odds as of the last refresh.
    pub(in crate::policy) fn log_odds(&self, row: &Row<'_>) -> f64 {
        match &self.kept {
            Kept::OnePass(passed) => passed.posterior.mean(row),
            Kept::Exact(posterior) => row.dot(posterior.current_theta()),
        }
    }

    /// The law of all parameters; none if some belong to single arms.
    pub(in crate::policy) fn gaussian(&mut self) -> Option<Gaussian<'_>> {
        self.refresh();
        match &mut self.kept {
            Kept::Exact(posterior) => {
                let matrix = posterior.precision().into();
                let (theta, inverse) = posterior.moments();
                Some(Gaussian { theta, inverse, matrix })
            }
            Kept::OnePass(passed) => {
                let (theta, precision) = passed.posterior.gaussian()?;
                Some(Gaussian { theta, inverse: precision.inverse(), matrix: precision.matrix().into() })
            }
        }
    }

    /// The arm with the largest x'theta_hat + z ||x||_{H^{-1}}, the first of equals, where z is a function of x'theta_hat
    /// and ||x||^2_{H^{-1}}.
    pub(in crate::policy) fn best_index(&mut self, arms: &FiniteArms, z: impl Fn(f64, f64) -> f64) -> usize {
        self.offer(arms.len());
        self.refresh();
        match &mut self.kept {
            Kept::Exact(posterior) => posterior.best_index(arms, z),
            Kept::OnePass(passed) => {
                let mut best = (0, f64::NEG_INFINITY);
                passed.posterior.score_list(arms, &mut self.scratch, |k, said| {
                    let value = said.mean + z(said.mean, said.variance) * said.variance.sqrt();
                    if value > best.1 {
                        best = (k, value);
                    }
                });
                best.0
            }
        }
    }

    /// The same for sparse and hybrid arms.
    ///
    /// # Errors
    /// If the exact posterior was asked for.
    pub(in crate::policy) fn best_row(&mut self, arms: &ArmSet<'_>, z: impl Fn(f64, f64) -> f64) -> Result<usize> {
        let mut rest = std::mem::take(&mut self.scratch);
        let posterior = self.require_one_pass()?;
        let place = best(arms.len().unwrap_or(0), |k| {
            let said = arms.row(k).map_or((0.0, 0.0), |row| {
                let said = posterior.score(&row, &mut rest);
                (said.mean, said.variance)
            });
            said.0 + z(said.0, said.1) * said.1.sqrt()
        });
        self.scratch = rest;
        Ok(place)
    }

    /// A draw of the parameters from N(theta_hat, scale^2 H^{-1}).
    pub(in crate::policy) fn draw(&mut self, scale: f64, rng: &mut dyn Rng) -> &[f64] {
        self.refresh();
        match &mut self.kept {
            Kept::Exact(posterior) => {
                let (theta, cholesky) = posterior.gaussian();
                perturb(theta, scale, cholesky, rng, &mut self.draw);
                &self.draw
            }
            Kept::OnePass(passed) => {
                passed.posterior.draw(scale, rng);
                passed.posterior.last_draw()
            }
        }
    }

    /// The sparse or hybrid arm that is best for a draw.
    ///
    /// # Errors
    /// If the exact posterior was asked for.
    pub(in crate::policy) fn best_drawn_row(
        &mut self,
        arms: &ArmSet<'_>,
        scale: f64,
        rng: &mut dyn Rng,
    ) -> Result<usize> {
        let posterior = self.require_one_pass()?;
        posterior.draw(scale, rng);
        let value = |k| arms.row(k).map_or(f64::NEG_INFINITY, |row| posterior.drawn(&row, scale, rng));
        Ok(best(arms.len().unwrap_or(0), value))
    }

    pub(in crate::policy) fn belief(&self) -> Option<&Belief> {
        match &self.kept {
            Kept::Exact(posterior) => Some(posterior.belief()),
            Kept::OnePass(passed) => match &passed.sets {
                Sets::One(belief) => Some(belief),
                Sets::None | Sets::PerArm(_) => None,
            },
        }
    }

    pub(in crate::policy) fn keeps_set_per_arm(&self) -> bool {
        matches!(&self.kept, Kept::OnePass(passed) if matches!(passed.sets, Sets::PerArm(_)))
    }

    pub(in crate::policy) fn belief_of(&self, owner: u64) -> Option<&Belief> {
        match &self.kept {
            Kept::OnePass(passed) => match &passed.sets {
                Sets::PerArm(sets) => sets.beliefs.get(&owner),
                Sets::None | Sets::One(_) => None,
            },
            Kept::Exact(_) => None,
        }
    }

    /// Brings the sets of single arms in step with the observations.
    pub(in crate::policy) fn refresh_sets(&mut self) {
        if let Kept::OnePass(passed) = &mut self.kept
            && let Sets::PerArm(sets) = &mut passed.sets
        {
            sets.beliefs.values_mut().for_each(Belief::refresh);
        }
    }

    /// How many rows the sets of single arms may keep.
    pub(in crate::policy) fn limit_memory(&mut self, rows: Option<usize>) {
        if let Kept::OnePass(passed) = &mut self.kept
            && let Sets::PerArm(sets) = &mut passed.sets
        {
            sets.memory = rows;
        }
    }

    /// Looks at those that have more.
    pub(in crate::policy) fn look_if_crowded(&mut self) {
        if let Kept::OnePass(passed) = &mut self.kept
            && let Sets::PerArm(sets) = &mut passed.sets
        {
            sets.look_if_crowded();
        }
    }

    pub(in crate::policy) fn belief_mut(&mut self) -> Option<&mut Belief> {
        match &mut self.kept {
            Kept::Exact(posterior) => Some(posterior.belief_mut()),
            Kept::OnePass(passed) => match &mut passed.sets {
                Sets::One(belief) => Some(belief),
                Sets::None | Sets::PerArm(_) => None,
            },
        }
    }

    /// Checks a deserialised state.
    pub(in crate::policy) fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        self.problem.validate()?;
        super::check_dimension("problem", self.problem.dimension, dimension)?;
        check_number("own", self.options.own as f64, self.options.own <= dimension, "at most the number of features")?;
        check_number("observations", self.observations, self.observations >= 0.0, "zero or positive")?;
        match &self.kept {
            Kept::Exact(posterior) => posterior.check(dimension),
            Kept::OnePass(passed) => {
                let other = self.belief().map_or(dimension, Belief::dimension);
                super::check_dimension("belief", other, dimension)?;
                passed.sets.check(&self.problem)?;
                passed.posterior.check(self.options.structure(&self.problem))
            }
        }
    }
}

/// The place of the largest value, the first of equals.
fn best(count: usize, mut value: impl FnMut(usize) -> f64) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for k in 0..count {
        let value = value(k);
        if value > best.1 {
            best = (k, value);
        }
    }
    best.0
}
