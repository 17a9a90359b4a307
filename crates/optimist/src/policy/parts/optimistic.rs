//! Policies that are optimism over a level set, planned exactly. They differ in the set alone.

use std::fmt::Debug;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::{Constants, Optimism};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::Result;
use crate::plan::Answers;
use crate::policy::info::{ArmKind, PolicyInfo};
use crate::policy::rule::{Direction, Options, Pick, Rule, Turn};
use crate::policy::{Certify, Claim};
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
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Optimistic<P> {
    optimism: Optimism,
    #[serde(skip)]
    set: PhantomData<P>,
}

impl<P: SetPolicy> Rule for Optimistic<P> {
    type Options = P::Options;
    const INFO: &'static PolicyInfo = P::INFO;
    const CERTIFY: Certify = if P::IS_MIXTURE { Certify::Mixture } else { Certify::Own };

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { optimism: Optimism::new(P::radius(problem, options)?)?, set: PhantomData })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.optimism.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _turn: Turn<'_>) -> Result<Pick> {
        self.optimism.pick(arms)
    }

    fn pick_direction(&mut self, _kind: ArmKind, _turn: Turn<'_>) -> Result<Direction> {
        self.optimism.pick_direction()
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.optimism.learn(x, reward);
    }

    fn refresh(&mut self) {
        self.optimism.belief_mut().refresh();
    }

    fn estimate(&self) -> &[f64] {
        self.optimism.belief().current_estimate()
    }

    fn claim(&self) -> Claim {
        self.optimism.belief().guarantee().into()
    }

    fn bounds(&self, x: &[f64], answers: &mut Answers) -> Result<(f64, f64)> {
        self.optimism.bounds(x, answers)
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        Ok(self.optimism.belief().current_set().contains(theta))
    }

    fn belief(&self) -> Option<&Belief> {
        P::IS_MIXTURE.then(|| self.optimism.belief())
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        P::IS_MIXTURE.then(|| self.optimism.belief_mut())
    }

    fn solves(&self) -> Option<u64> {
        Some(self.optimism.solves())
    }

    fn feature_bound(&self) -> f64 {
        self.optimism.belief().feature_bound()
    }
}

/// Options of policies that have a choice of constants and no other.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConstantsOptions {
    /// Which constants the set has.
    pub constants: Constants,
}

impl Options for ConstantsOptions {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}
