//! Policies that are optimism over a level set, planned exactly. They differ in the set alone.

use std::fmt::Debug;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::info::{ArmKind, PolicyInfo};
use super::model::{SetPlanner, check_dimension};
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::Result;
use crate::plan::Answers;
use crate::problem::Problem;
use crate::set::Radius;

/// What such a policy has of its own: options, and the radius of its set.
pub trait SetPolicy: Clone + Debug + Send + Sync + 'static {
    /// Its options.
    type Options: Options;

    /// Its line of the registry.
    const INFO: &'static PolicyInfo;

    /// Whether its set is the mixture set, which serves for certificates then.
    const IS_MIXTURE: bool = false;

    /// The radius of its set.
    ///
    /// # Errors
    /// If there is no norm bound and the radius needs one.
    fn radius(problem: &Problem, options: &Self::Options) -> Result<Radius>;
}

/// The arm that is best for the most favourable parameter of a level set.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "", from = "Raw")]
pub struct LevelSetRule<P> {
    belief: Belief,
    planner: SetPlanner,
    #[serde(skip)]
    set: PhantomData<P>,
}

/// The serialised form. A restored planner's certificates are about the restored data.
#[derive(Deserialize)]
struct Raw {
    belief: Belief,
    planner: SetPlanner,
}

impl<P> From<Raw> for LevelSetRule<P> {
    fn from(raw: Raw) -> Self {
        let Raw { belief, mut planner } = raw;
        planner.adopt(&belief);
        Self { belief, planner, set: PhantomData }
    }
}

/// A copy of the data is another history, about which the copied certificates hold as well.
impl<P> Clone for LevelSetRule<P> {
    fn clone(&self) -> Self {
        Raw { belief: self.belief.clone(), planner: self.planner.clone() }.into()
    }
}

impl<P: SetPolicy> Rule for LevelSetRule<P> {
    type Options = P::Options;
    const INFO: &'static PolicyInfo = P::INFO;
    const CERTIFY: Certify = if P::IS_MIXTURE { Certify::Mixture } else { Certify::Own };
    const CONSOLIDATES: bool = P::IS_MIXTURE;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let belief = Belief::with_radius(P::radius(problem, options)?)?;
        Ok(Self { planner: SetPlanner::new(belief.dimension())?, belief, set: PhantomData })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_dimension("belief", self.belief.dimension(), dimension)?;
        self.planner.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        self.planner.pick(&mut self.belief, arms)
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        self.planner.pick_direction(&mut self.belief)
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.belief.record(x, reward, 1);
    }

    fn refresh(&mut self) {
        self.belief.refresh();
    }

    fn estimate(&self) -> &[f64] {
        self.belief.current_estimate()
    }

    fn claim(&self) -> Claim {
        self.belief.guarantee().into()
    }

    fn bounds(&self, x: &[f64], answers: &mut Answers) -> Result<(f64, f64)> {
        let interval = answers.interval(&self.belief.current_set(), x)?;
        Ok((interval.log_odds_lower, interval.log_odds_upper))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        Ok(self.belief.current_set().contains(theta))
    }

    fn belief(&self) -> Option<&Belief> {
        P::IS_MIXTURE.then_some(&self.belief)
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        P::IS_MIXTURE.then_some(&mut self.belief)
    }

    fn solves(&self) -> Option<u64> {
        Some(self.planner.solves())
    }

    fn feature_bound(&self) -> f64 {
        self.belief.feature_bound()
    }
}
