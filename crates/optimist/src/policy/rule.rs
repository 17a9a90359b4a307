//! What the file of a policy provides; [`Agent`](super::Agent) does the rest.

use std::fmt::Debug;

use rand::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::choice::{Claim, Insurance};
use super::common::Certify;
use super::info::{ArmKind, PolicyInfo};
use super::sets_per_arm::SetsPerArm;
use crate::arms::{ArmSet, FiniteArms};
use crate::belief::Belief;
use crate::error::{Error, Result};
use crate::plan::Answers;
use crate::posterior::Row;
use crate::problem::Problem;

/// Options of a policy: a serde struct with defaults.
pub trait Options: Clone + Debug + Default + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// Checks the ranges.
    ///
    /// # Errors
    /// Names the first option that is out of range, its value and what is allowed.
    fn validate(&self) -> Result<()>;

    /// Why the mixture set certifies nothing with these options and so many features, if it does not.
    fn uncertified(&self, _dimension: usize) -> Option<&'static str> {
        None
    }
}

/// The round at hand.
pub struct Round<'a> {
    /// Its number, from one.
    pub number: u64,
    /// Randomness.
    pub rng: &'a mut dyn Rng,
}

/// An arm of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pick {
    /// Its index.
    pub arm: usize,
    /// Lower and upper bound on its log-odds by the rule's own set, where they came for free. A lower bound above the
    /// upper one says that the set is empty.
    pub bounds: (Option<f64>, Option<f64>),
}

impl Pick {
    /// An arm about which nothing was proved.
    pub fn bare(arm: usize) -> Self {
        Self { arm, bounds: (None, None) }
    }
}

/// The bounds of a set without points: any pair that is the wrong way round says that.
pub(super) const EMPTY: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// A point of the ball or the sphere.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    /// Its features.
    pub features: Vec<f64>,
    /// Bounds on its log-odds by the rule's own set, where they came for free.
    pub bounds: (Option<f64>, Option<f64>),
}

impl Direction {
    /// The direction of `theta`, or the first axis if that is zero.
    pub fn along(theta: &[f64]) -> Self {
        let length = crate::numerics::norm(theta);
        let mut features = theta.to_vec();
        if length > 0.0 {
            features.iter_mut().for_each(|v| *v /= length);
        } else {
            features[0] = 1.0;
        }
        Self { features, bounds: (None, None) }
    }
}

/// A policy's own part: what it remembers, how it picks, how it learns.
///
/// What a rule is handed has been checked: arms and observations are of the right dimension, finite, and no longer than
/// [`Rule::feature_bound`]; rewards lie in [0, 1]. Questions that take `&self` are asked after [`Rule::refresh`] only, so that
/// a rule may put off its work until somebody asks.
pub trait Rule: Clone + Debug + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// Its options.
    type Options: Options;

    /// Its line of the registry.
    const INFO: &'static PolicyInfo;

    /// Where intervals come from unless the caller says otherwise.
    const CERTIFY: Certify = Certify::Mixture;

    /// Whether arms certified worse are dropped unless the caller says otherwise.
    const ELIMINATE: bool = false;

    /// Whether the rule can do with quadratics in place of old rows of [`Rule::belief`]: it evaluates the loss, and never asks
    /// for a row. Then memory is bounded unless the caller says otherwise.
    const CONSOLIDATES: bool = false;

    /// Whether a pick changes what the next one would be, as a step of a Markov chain does.
    const IS_CHAIN: bool = false;

    /// Whether picks have nothing to do with what was learnt. A choice then leaves the estimate where the last question has
    /// left it, and the log-odds that it tells are as of then: a fit would be for nothing else.
    const PICKS_BLINDLY: bool = false;

    /// The rule before any data.
    ///
    /// # Errors
    /// If an option is out of range or missing, or there is no norm bound and the rule needs one.
    fn new(problem: &Problem, options: &Self::Options) -> Result<Self>;

    /// Checks a deserialised state against the dimension; serde has checked the types only.
    ///
    /// # Errors
    /// Names the part that does not fit.
    fn check(&self, dimension: usize) -> Result<()>;

    /// Nobody will ask for certificates: what is kept for them alone may go.
    fn forgo_certificates(&mut self) {}

    /// Checks that a row, whose numbers have been checked, is of a form that the rule can learn.
    ///
    /// # Errors
    /// If it is not.
    fn check_row(&self, row: &Row<'_>) -> Result<()> {
        match row {
            Row::Own { .. } => Err(undefined(Self::INFO, ArmKind::Hybrid)),
            Row::Dense(_) | Row::Sparse { .. } => Ok(()),
        }
    }

    /// Picks an arm of a list.
    ///
    /// # Errors
    /// If a computation has no answer; the caller's input has been checked.
    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick>;

    /// Picks an arm of a list that is sparse or hybrid.
    ///
    /// # Errors
    /// If the rule is not defined there.
    fn pick_row(&mut self, arms: &ArmSet<'_>, _round: Round<'_>) -> Result<Pick> {
        Err(undefined(Self::INFO, ArmKind::of(arms)))
    }

    /// Picks a point of the ball or the sphere.
    ///
    /// # Errors
    /// If the rule is not defined there.
    fn pick_direction(&mut self, kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        Err(undefined(Self::INFO, kind))
    }

    /// Learns an observation.
    fn learn(&mut self, x: &[f64], reward: f64);

    /// Learns an observation of a row of any form that [`Rule::check_row`] lets pass. Rules that are not defined for sparse
    /// arms are handed rows with their zeros.
    fn learn_row(&mut self, row: &Row<'_>, reward: f64) {
        self.learn(row.values(), reward);
    }

    /// Learns an observation that no set counts, and says so; false, and nothing is learnt, if the rule's own set would count it.
    fn prime(&mut self, row: &Row<'_>, reward: f64) -> bool {
        let counts = Self::INFO.keeps_set || self.belief().is_some();
        if !counts {
            self.learn_row(row, reward);
        }
        !counts
    }

    /// For how many rounds a play whose reward is out counts as if that were known; none if the rule does not do so.
    fn lends(&self) -> Option<u64> {
        None
    }

    /// Counts a play as if its reward were known. Returns the weight that was added along its features.
    fn lend(&mut self, _row: &Row<'_>) -> f64 {
        0.0
    }

    /// Takes that away again; `left` plays are open beside it.
    fn take_back(&mut self, _row: &Row<'_>, _weight: f64, _left: usize) {}

    /// How many of the features, the last ones, meet parameters of one arm alone.
    fn own_features(&self) -> usize {
        0
    }

    /// Takes in features that were zero in all that was learnt, and writes to `options` what they are then; see
    /// [`Policy::grow`](super::Policy::grow). There are no fewer features of a kind than before. What fails may leave the rule in
    /// any state: it is a copy.
    ///
    /// # Errors
    /// If the rule cannot.
    fn grow(&mut self, _options: &mut Self::Options, _dimension: usize, _own: usize) -> Result<()> {
        Err(cannot_grow(Self::INFO))
    }

    /// Brings the estimate and the rule's own set in step with the observations. What cannot be computed is an error of the
    /// question that needs it.
    fn refresh(&mut self) {}

    /// Brings a set in step that picks often do without, and that [`Rule::refresh`], which every choice calls, therefore
    /// leaves alone. Called before questions about the set.
    fn refresh_set(&mut self) {}

    /// The estimate of theta.
    fn estimate(&self) -> &[f64];

    /// Estimated log-odds of `x`.
    fn log_odds(&self, x: &[f64]) -> f64 {
        crate::numerics::dot(x, self.estimate())
    }

    /// Estimated log-odds of a row, as [`Rule::learn_row`] is handed it.
    fn log_odds_of(&self, row: &Row<'_>) -> f64 {
        self.log_odds(row.values())
    }

    /// What the rule's own set promises.
    fn claim(&self) -> Claim {
        Claim::None { why: "the choices follow a heuristic and no confidence set" }
    }

    /// Bounds on the log-odds of `x` by the rule's own set. Asked for only if that promises something. A lower bound above
    /// the upper one says that the set is empty. `answers` is memory for those that solve problems over level sets.
    ///
    /// # Errors
    /// If the set is empty, or there is none.
    fn bounds(&self, _x: &[f64], _answers: &mut Answers) -> Result<(f64, f64)> {
        Err(no_set(Self::INFO))
    }

    /// Whether the rule's own set contains `theta`.
    ///
    /// # Errors
    /// If there is no such set.
    fn contains(&self, _theta: &[f64]) -> Result<bool> {
        Err(no_set(Self::INFO))
    }

    /// The observations with the mixture set, for rules that keep them so.
    fn belief(&self) -> Option<&Belief> {
        None
    }

    /// [`Rule::belief`], to be brought up to date.
    fn belief_mut(&mut self) -> Option<&mut Belief> {
        None
    }

    /// One mixture set per arm, for rules that keep those: arms that share no parameters.
    fn sets_per_arm(&self) -> Option<&SetsPerArm> {
        None
    }

    /// The same, to be brought up to date.
    fn sets_per_arm_mut(&mut self) -> Option<&mut SetsPerArm> {
        None
    }

    /// Problems solved by all picks so far, as [`Policy::solves`](super::Policy::solves) counts them; none if picks are
    /// made in closed form.
    fn solves(&self) -> Option<u64> {
        None
    }

    /// What the picks are certified to have cost, for rules that keep books of it.
    fn insurance(&self) -> Option<Insurance> {
        None
    }

    /// The longest arm that the rule's theory allows.
    fn feature_bound(&self) -> f64 {
        f64::INFINITY
    }

    /// Writes the probability of each arm, if that is known without simulation, and says whether it did.
    ///
    /// # Errors
    /// As [`Rule::pick`].
    fn probabilities(&self, _arms: &FiniteArms, _round: u64, _out: &mut [f64]) -> Result<bool> {
        Ok(false)
    }

    /// The same for arms that are sparse or hybrid.
    ///
    /// # Errors
    /// As [`Rule::pick_row`].
    fn row_probabilities(&self, _arms: &ArmSet<'_>, _round: u64, _out: &mut [f64]) -> Result<bool> {
        Ok(false)
    }
}

/// No options.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoOptions {}

impl Options for NoOptions {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// The error of a policy whose state cannot be told for more features.
pub(super) fn cannot_grow(info: &PolicyInfo) -> Error {
    let why = "what it has learnt has no exact form with more of them; use bayes-ucb, laplace-ts, greedy or uniform, or build it \
               anew and let it observe its data again";
    Error::CannotGrow { policy: info.name, why: why.into() }
}

/// The error of a policy that is asked for a set it does not keep.
fn no_set(info: &PolicyInfo) -> Error {
    Error::NoSet { policy: info.name }
}

/// The error of a policy that is asked for a point of the ball or the sphere and knows lists only.
pub(super) fn undefined(info: &PolicyInfo, given: ArmKind) -> Error {
    let kinds: Vec<&str> = info.arm_sets.iter().map(|kind| kind.name()).collect();
    Error::ArmKind {
        what: format!("policy \"{}\"", info.name),
        given: given.name(),
        defined_for: kinds.join(", "),
        remedy: "give it a list, or choose a policy that is (\"optimist policies\" lists them)",
    }
}
