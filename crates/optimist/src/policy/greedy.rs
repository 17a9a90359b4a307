//! `greedy`: the arm that looks best.

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::Posterior;
use super::rule::{Direction, Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Result, check_number};
use crate::problem::Problem;

policy_info! {
    /// Plays the arm with the largest x'theta_hat, theta_hat = argmin L(theta) + ridge/2 ||theta||^2.
    ///
    /// Guarantee: none for the choices; it may settle on a bad arm for ever, and on some instances does. Intervals come
    /// from the mixture set. The yardstick for what a round costs: every history-based policy fits at least this estimate.
    INFO {
        name: "greedy",
        family: Family::Baseline,
        summary: "the arm that looks best; may never try the right one",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "2 passes of n d^2 + K d",
        memory: "n d + d^2",
        arm_sets: ALL_ARMS,
        reference: "folklore",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[OptionInfo { name: "ridge", help: "precision of the prior; null: d/S^2, or 1 without a norm bound" }],
        maker: PolicyMaker::of::<Greedy>(),
    }
}

/// Options of `greedy`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GreedyOptions {
    /// Precision of the prior.
    pub ridge: Option<f64>,
}

impl Options for GreedyOptions {
    fn validate(&self) -> Result<()> {
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// The arm that looks best.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Greedy {
    posterior: Posterior,
}

impl Rule for Greedy {
    type Options = GreedyOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { posterior: Posterior::new(problem, options.ridge)? })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.posterior.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        Ok(Pick::bare(arms.best_for(self.posterior.theta())))
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        Ok(Direction::along(self.posterior.theta()))
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.posterior.learn(x, reward);
    }

    fn refresh(&mut self) {
        self.posterior.refresh();
    }

    fn estimate(&self) -> &[f64] {
        self.posterior.current_theta()
    }

    fn belief(&self) -> Option<&Belief> {
        Some(self.posterior.belief())
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        Some(self.posterior.belief_mut())
    }
}
