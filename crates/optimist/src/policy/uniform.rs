//! `uniform`: any arm, with equal probability.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::Posterior;
use super::rule::{Direction, NoOptions, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::Result;
use crate::numerics::{fill_normal, norm};
use crate::problem::Problem;

policy_info! {
    /// Plays an arm at random, whatever has been seen: the baseline that learns but does not use what it has learnt, and
    /// the design of a randomised experiment.
    ///
    /// ```text
    ///   x_t uniform over the list, in the unit ball, or on the unit sphere
    /// ```
    ///
    /// The estimate is the ridge estimate with ridge d/S^2 (one without a norm bound), as for `greedy`; it is computed when
    /// asked for. Guarantee: none for the choices, whose regret is linear. Intervals come from the mixture set, which holds
    /// whatever rule chooses the arms. Arm probabilities are exact: one over the number of arms.
    INFO {
        name: "uniform",
        family: Family::Baseline,
        summary: "any arm, with equal probability",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "1",
        memory: "n d + d^2",
        arm_sets: ALL_ARMS,
        reference: "none",
        randomised: true,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[],
        maker: PolicyMaker::of::<Uniform>(),
    }
}

/// Any arm, with equal probability.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Uniform {
    posterior: Posterior,
}

impl Rule for Uniform {
    type Options = NoOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;

    fn new(problem: &Problem, _options: &Self::Options) -> Result<Self> {
        Ok(Self { posterior: Posterior::new(problem, None)? })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.posterior.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        Ok(Pick::bare(round.rng.random_range(0..arms.len())))
    }

    fn pick_direction(&mut self, kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        let d = self.posterior.belief().dimension();
        let mut features = vec![0.0; d];
        // A normal vector has a uniform direction; only the zero vector has none, and that is drawn with probability zero.
        while norm(&features) == 0.0 {
            fill_normal(round.rng, &mut features);
        }
        // The volume of a ball grows with the d-th power of its radius.
        let radius = if kind == ArmKind::Ball { round.rng.random::<f64>().powf(1.0 / d as f64) } else { 1.0 };
        let scale = radius / norm(&features);
        features.iter_mut().for_each(|v| *v *= scale);
        Ok(Direction { features, bounds: (None, None) })
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

    fn probabilities(&self, arms: &FiniteArms, _round: u64, out: &mut [f64]) -> Result<bool> {
        out.fill(1.0 / arms.len() as f64);
        Ok(true)
    }
}
