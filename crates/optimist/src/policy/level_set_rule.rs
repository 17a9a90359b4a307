//! Policies that are optimism over a level set, planned exactly. They differ in the set alone.

use std::fmt::Debug;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::info::{ArmKind, PolicyInfo};
use super::model::{SetPlanner, answers, check_dimension};
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::Result;
use crate::plan::Answers;
use crate::problem::Problem;
use crate::set::Radius;

/// What such a policy has of its own: options, and the radius of its set.
pub trait SetPolicy: Clone + Debug + Send + 'static {
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
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct LevelSetRule<P> {
    optimism: Planned,
    #[serde(skip)]
    set: PhantomData<P>,
}

impl<P: SetPolicy> Rule for LevelSetRule<P> {
    type Options = P::Options;
    const INFO: &'static PolicyInfo = P::INFO;
    const CERTIFY: Certify = if P::IS_MIXTURE { Certify::Mixture } else { Certify::Own };

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { optimism: Planned::new(P::radius(problem, options)?)?, set: PhantomData })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.optimism.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        self.optimism.pick(arms)
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        self.optimism.pick_direction()
    }

    fn learn(&mut self, x: &[f64], reward: f64) -> Result<()> {
        self.optimism.learn(x, reward)
    }

    fn estimate(&mut self) -> &[f64] {
        self.optimism.belief_mut().estimate()
    }

    fn claim(&self) -> Claim {
        self.optimism.belief().guarantee().into()
    }

    fn bounds(&mut self, x: &[f64]) -> Result<(f64, f64)> {
        self.optimism.bounds(x)
    }

    fn contains(&mut self, theta: &[f64]) -> Result<bool> {
        Ok(self.optimism.belief_mut().set().contains(theta))
    }

    fn belief(&mut self) -> Option<&mut Belief> {
        P::IS_MIXTURE.then(|| self.optimism.belief_mut())
    }

    fn solves(&self) -> Option<u64> {
        Some(self.optimism.solves())
    }

    fn feature_bound(&self) -> f64 {
        self.optimism.belief().feature_bound()
    }
}

/// Belief and planner of such a policy.
#[derive(Debug, Serialize, Deserialize)]
#[serde(from = "Raw", into = "Raw")]
struct Planned {
    belief: Belief,
    planner: SetPlanner,
    answers: Option<Box<Answers>>,
}

impl Planned {
    fn new(radius: Radius) -> Result<Self> {
        let belief = Belief::with_radius(radius)?;
        Ok(Self { planner: SetPlanner::new(belief.dimension())?, belief, answers: None })
    }

    /// The observations and the set.
    fn belief(&self) -> &Belief {
        &self.belief
    }

    fn belief_mut(&mut self) -> &mut Belief {
        &mut self.belief
    }

    /// The best arm of a list, with the certified upper bound of its log-odds.
    fn pick(&mut self, arms: &FiniteArms) -> Result<Pick> {
        self.planner.pick(&mut self.belief, arms)
    }

    /// The best direction of the ball.
    fn pick_direction(&mut self) -> Result<Direction> {
        self.planner.pick_direction(&mut self.belief)
    }

    /// Support problems solved by all picks so far.
    fn solves(&self) -> u64 {
        self.planner.solves()
    }

    fn learn(&mut self, x: &[f64], reward: f64) -> Result<()> {
        self.belief.observe(x, reward)
    }

    /// Bounds on x'theta over the set.
    fn bounds(&mut self, x: &[f64]) -> Result<(f64, f64)> {
        let interval = answers(&mut self.answers, x.len())?.interval(&self.belief.set(), x)?;
        Ok((interval.log_odds_lower, interval.log_odds_upper))
    }

    fn check(&self, expected: usize) -> Result<()> {
        check_dimension("belief", self.belief.dimension(), expected)?;
        self.planner.check(expected)
    }
}

/// A copy of the data is another history, about which the copied certificates hold as well.
impl Clone for Planned {
    fn clone(&self) -> Self {
        Raw { belief: self.belief.clone(), planner: self.planner.clone() }.into()
    }
}

/// The serialised form. A restored planner's certificates are about the restored data.
#[derive(Serialize, Deserialize)]
struct Raw {
    belief: Belief,
    planner: SetPlanner,
}

impl From<Raw> for Planned {
    fn from(raw: Raw) -> Self {
        let Raw { belief, mut planner } = raw;
        planner.adopt(&belief);
        Self { belief, planner, answers: None }
    }
}

impl From<Planned> for Raw {
    fn from(planned: Planned) -> Self {
        Self { belief: planned.belief, planner: planned.planner }
    }
}
