//! `greedy`: the arm that looks best.

use serde::{Deserialize, Serialize};

use super::info::{ArmKind, EVERY_KIND, Family, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{HALF_LIFE, Laplace, OWN, POSTERIOR, PosteriorOptions, RIDGE};
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::sets_per_arm::SetsPerArm;
use crate::arms::{ArmSet, FiniteArms};
use crate::belief::Belief;
use crate::error::Result;
use crate::posterior::Row;
use crate::problem::Problem;

policy_info! {
    /// Plays the arm with the largest x'theta_hat, theta_hat = argmin L(theta) + ridge/2 ||theta||^2.
    ///
    /// Guarantee: none for the choices; it may settle on a bad arm for ever, and on some instances does. Intervals come
    /// from the mixture set. The yardstick for what a round costs: every history-based policy fits at least this estimate.
    ///
    /// The posterior is exact while no more distinct arms were observed than the longest list offered holds, or 32 if that is more;
    /// beyond, for sparse and hybrid arms and with a half_life, it is a filter that looks at every reward once, at the same cost
    /// for ever (docs/contextual.md; option posterior). Of arms that share nothing it fits the first 64 rewards each.
    INFO {
        name: "greedy",
        family: Family::Baseline,
        summary: "the arm that looks best; may never try the right one",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "2 passes of n d^2 + K d while n <= K, then 2 d^2 + K d",
        memory: "n d + d^2",
        arm_sets: EVERY_KIND,
        reference: "folklore",
        randomised: false,
        order: RewardOrder::MattersInOnePass,
        constant_cost: true,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[RIDGE, POSTERIOR, OWN, HALF_LIFE],
        maker: PolicyMaker::of::<Greedy>(),
    }
}

/// Options of `greedy`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GreedyOptions {
    /// How the posterior is kept.
    #[serde(flatten)]
    pub posterior: PosteriorOptions,
}

impl Options for GreedyOptions {
    fn validate(&self) -> Result<()> {
        self.posterior.validate()
    }

    fn uncertified(&self, dimension: usize) -> Option<&'static str> {
        self.posterior.uncertified(dimension)
    }
}

/// The arm that looks best.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Greedy {
    posterior: Laplace,
}

impl Rule for Greedy {
    type Options = GreedyOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { posterior: Laplace::new(problem, &options.posterior)? })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.posterior.check(dimension)
    }

    fn grow(&mut self, options: &mut Self::Options, dimension: usize, own: usize) -> Result<()> {
        self.posterior.grow(dimension, own)?;
        options.posterior = self.posterior.options().clone();
        Ok(())
    }

    learn_by_posterior!();

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        self.posterior.offer(arms.len());
        Ok(Pick::bare(arms.best_for(self.posterior.theta())))
    }

    fn pick_row(&mut self, arms: &ArmSet<'_>, _round: Round<'_>) -> Result<Pick> {
        Ok(Pick::bare(self.posterior.best_mean_row(arms)?))
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        Ok(Direction::along(self.posterior.theta()))
    }
}
