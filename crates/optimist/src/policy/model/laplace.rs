//! The Laplace posterior at a cost that stays bounded: exact while few distinct arms make that cheap, in one pass beyond.
//!
//! **The rule.** The exact posterior is kept as long as no more distinct arms were observed than the longest list offered
//! holds, or 32 if that is more: on a fixed list for ever, because observations of one arm merge. Where arms are new with
//! every request, a [one-pass posterior](crate::posterior) takes over from it at the next choice or question, with the estimate
//! and the Hessian that the exact one has there. Option `posterior` forces either. Sparse arms, arms with parameters of their
//! own and forgetting are for one pass only; of arms that share nothing the first outcomes are fitted there too.

use std::borrow::Cow;

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::Posterior;
use super::posterior_options::{PosteriorKind, PosteriorOptions, Ridge};
use crate::arms::{ArmSet, CatalogueArms, FiniteArms};
use crate::belief::Belief;
use crate::error::{Error, Result, check_number};
use crate::link;
use crate::numerics::{dot, perturb};
use crate::policy::info::PolicyInfo;
use crate::policy::sets_per_arm::SetsPerArm;
use crate::posterior::{Contracted, OnePass, Row, contracted_mean, kept_after};
use crate::problem::Problem;

/// What to do with a policy that was built for hybrid arms.
const REMEDY: &str = "give hybrid arms, and rows as they are (observe_row, interval_of_row with choice.row() or Row::Own), or leave \
                      option own out";

/// So many distinct arms are fitted exactly however short the lists are.
const FEW: usize = 32;

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
    PerArm(SetsPerArm),
}

impl Sets {
    fn new(problem: &Problem, options: &PosteriorOptions) -> Result<Self> {
        if options.uncertified(problem.dimension).is_some() {
            Ok(Sets::None)
        } else if options.own > 0 {
            Ok(Sets::PerArm(SetsPerArm::default()))
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
            let (own, d) = (options.own, problem.dimension);
            let what = format!("is {own}: it must be at most the number of features, {d}");
            return Err(Error::Option { field: "own".into(), what });
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

    /// The number of features of an arm.
    pub(in crate::policy) fn dimension(&self) -> usize {
        self.problem.dimension
    }

    /// How many of the features, the last ones, meet parameters of one arm alone.
    pub(in crate::policy) fn own(&self) -> usize {
        self.options.own
    }

    /// The options in force.
    pub(in crate::policy) fn options(&self) -> &PosteriorOptions {
        &self.options
    }

    /// Takes in features that were zero in all rows so far. A default ridge, which is d/S^2, stays what it was: the prior of old
    /// parameters cannot change, and new ones have the same.
    ///
    /// # Errors
    /// If the structure would be another, or as [`Belief::grow`]; the posterior may not be used then.
    pub(in crate::policy) fn grow(&mut self, dimension: usize, own: usize) -> Result<()> {
        let before = self.problem;
        if self.options.ridge.is_none() && before.norm_bound.is_some() {
            self.options.ridge = Some(Ridge::Fixed(before.default_ridge()));
        }
        self.options.own = own;
        self.problem.dimension = dimension;
        match &mut self.kept {
            Kept::Exact(posterior) => posterior.grow(dimension),
            Kept::OnePass(passed) => {
                passed.posterior.grow(self.options.structure(&self.problem))?;
                match &mut passed.sets {
                    Sets::None => Ok(()),
                    Sets::One(belief) => belief.grow(dimension),
                    Sets::PerArm(sets) => sets.grow(before.dimension, dimension),
                }
            }
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

    /// The same for whoever asks seldom, and may not see in an answer when the last was: an exact fit starts anew.
    pub(in crate::policy) fn refit(&mut self) {
        if let Kept::Exact(posterior) = &mut self.kept {
            posterior.refit();
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
        let life = self.options.half_life;
        // The prior itself takes no fit.
        let next = if posterior.belief().history().rows() == 0 {
            OnePass::new(self.options.structure(&self.problem), &ridges, life)
        } else {
            let fits = ridges.iter().map(|ridge| posterior.filter_with(*ridge)).collect();
            OnePass::resume(self.problem.dimension, fits, life)
        };
        // The ridges have been checked, and there is at least one.
        let Ok(mut next) = next else { return };
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
            (Row::Own { .. }, 0) => ("hybrid", "dense, sparse", "build the policy with option own"),
            (Row::Own { .. }, _) | (_, 0) => return Ok(()),
            (Row::Dense(_), _) => ("dense", "hybrid", REMEDY),
            (Row::Sparse { .. }, _) => ("sparse", "hybrid", REMEDY),
        };
        Err(Error::ArmKind { what: format!("this \"{}\"", info.name), given, defined_for: defined_for.into(), remedy })
    }

    /// Learns without the sets, which an exact posterior shares its observations with: only before it has any.
    pub(in crate::policy) fn prime(&mut self, row: &Row<'_>, reward: f64) -> bool {
        if let Kept::Exact(posterior) = &self.kept
            && posterior.belief().history().rows() == 0
            && self.options.posterior == PosteriorKind::Auto
        {
            self.hand_over();
        }
        let Kept::OnePass(passed) = &mut self.kept else { return false };
        self.observations = kept_after(self.options.half_life) * self.observations + 1.0;
        passed.posterior.learn(row, reward);
        true
    }

    pub(in crate::policy) fn learn(&mut self, row: &Row<'_>, reward: f64) {
        self.observations = kept_after(self.options.half_life) * self.observations + 1.0;
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

    /// The same, for whoever may have learnt something since and does not mind.
    pub(in crate::policy) fn last_theta(&self) -> &[f64] {
        match &self.kept {
            Kept::Exact(posterior) => posterior.last_theta(),
            Kept::OnePass(passed) => passed.posterior.theta(),
        }
    }

    /// Estimated log-odds by it.
    pub(in crate::policy) fn last_log_odds(&self, row: &Row<'_>) -> f64 {
        match &self.kept {
            Kept::Exact(posterior) => row.dot(posterior.last_theta()),
            Kept::OnePass(passed) => passed.posterior.mean(row),
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
    /// and ||x||^2_{H^{-1}}, as of the last [`Laplace::refresh`].
    pub(in crate::policy) fn best_index(&mut self, arms: &FiniteArms, z: impl Fn(f64, f64) -> f64) -> usize {
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
        if let ArmSet::Catalogue(list) = arms {
            return self.best_item(list, z);
        }
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

    /// The same for items of a catalogue: the law of all parameters is seen from the context, then groups of items are
    /// bounded.
    fn best_item(&mut self, arms: &CatalogueArms<'_>, z: impl Fn(f64, f64) -> f64) -> Result<usize> {
        let Some((theta, covariance)) = self.require_one_pass()?.moments() else { return Ok(0) };
        let Contracted { mean, square } = Contracted::new(theta, covariance, arms.context());
        Ok(arms.catalogue().best(&mean, Some(&square), z).item)
    }

    /// The arm with the largest x'theta_hat, for any list but a dense one.
    ///
    /// # Errors
    /// If the exact posterior was asked for.
    pub(in crate::policy) fn best_mean_row(&mut self, arms: &ArmSet<'_>) -> Result<usize> {
        let posterior = self.require_one_pass()?;
        Ok(match arms {
            ArmSet::Catalogue(list) => best_item_for(posterior.theta(), list),
            _ => best(arms.len().unwrap_or(0), |k| arms.row(k).map_or(f64::NEG_INFINITY, |row| posterior.mean(&row))),
        })
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
        if let ArmSet::Catalogue(list) = arms {
            return Ok(best_item_for(posterior.last_draw(), list));
        }
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

    pub(in crate::policy) fn sets_per_arm(&self) -> Option<&SetsPerArm> {
        match &self.kept {
            Kept::OnePass(passed) => match &passed.sets {
                Sets::PerArm(sets) => Some(sets),
                Sets::None | Sets::One(_) => None,
            },
            Kept::Exact(_) => None,
        }
    }

    pub(in crate::policy) fn sets_per_arm_mut(&mut self) -> Option<&mut SetsPerArm> {
        match &mut self.kept {
            Kept::OnePass(passed) => match &mut passed.sets {
                Sets::PerArm(sets) => Some(sets),
                Sets::None | Sets::One(_) => None,
            },
            Kept::Exact(_) => None,
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

/// The item with the largest log-odds for the parameter `theta`.
fn best_item_for(theta: &[f64], arms: &CatalogueArms<'_>) -> usize {
    arms.catalogue().best(&contracted_mean(theta, arms.context()), None, |_, _| 0.0).item
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
