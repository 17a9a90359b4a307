//! `uniform`: any arm, with equal probability.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::info::{ArmKind, EVERY_KIND, Family, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{Laplace, OWN, PosteriorKind, PosteriorOptions};
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::sets_per_arm::SetsPerArm;
use crate::arms::{ArmSet, FiniteArms};
use crate::belief::Belief;
use crate::error::Result;
use crate::numerics::{Elementary, fill_normal, norm};
use crate::posterior::Row;
use crate::problem::Problem;

policy_info! {
    /// Plays an arm at random, whatever has been seen: the baseline that learns but does not use what it has learnt, and
    /// the design of a randomised experiment.
    ///
    /// ```text
    ///   x_t uniform over the list, in the unit ball, or on the unit sphere
    /// ```
    ///
    /// The estimate is the ridge estimate with ridge d/S^2 (one without a norm bound), as for `greedy`; it is fitted when asked
    /// for, never by a choice, whose log-odds are therefore those of the estimate that was last asked for. Where arms have
    /// parameters of their own (option own) it is a filter that looks at every reward once. Guarantee: none for the choices,
    /// whose regret is linear. Intervals come from the mixture set, which holds whatever rule chooses the arms. Arm
    /// probabilities are exact: one over the number of arms.
    INFO {
        name: "uniform",
        family: Family::Baseline,
        summary: "any arm, with equal probability",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "d^2",
        memory: "n d + d^2",
        arm_sets: EVERY_KIND,
        reference: "none",
        randomised: true,
        order: RewardOrder::MattersInOnePass,
        constant_cost: true,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[OWN],
        maker: PolicyMaker::of::<Uniform>(),
    }
}

/// Options of `uniform`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UniformOptions {
    /// How many of the features, the last ones, meet parameters that belong to one arm alone.
    pub own: usize,
}

impl UniformOptions {
    /// The exact posterior where there is one: no choice waits for it.
    fn posterior(&self) -> PosteriorOptions {
        let posterior = if self.own > 0 { PosteriorKind::OnePass } else { PosteriorKind::Exact };
        PosteriorOptions { posterior, own: self.own, ..PosteriorOptions::default() }
    }
}

impl Options for UniformOptions {
    fn validate(&self) -> Result<()> {
        self.posterior().validate()
    }

    fn uncertified(&self, dimension: usize) -> Option<&'static str> {
        self.posterior().uncertified(dimension)
    }
}

/// Any arm, with equal probability.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Uniform {
    posterior: Laplace,
}

impl Rule for Uniform {
    type Options = UniformOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;
    const PICKS_BLINDLY: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { posterior: Laplace::new(problem, &options.posterior())? })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.posterior.check(dimension)
    }

    fn grow(&mut self, options: &mut Self::Options, dimension: usize, own: usize) -> Result<()> {
        options.own = own;
        self.posterior.grow(dimension, own)
    }

    learn_by_posterior!(all but the estimate);

    fn refresh(&mut self) {
        self.posterior.refit();
    }

    fn estimate(&self) -> &[f64] {
        self.posterior.last_theta()
    }

    fn log_odds_of(&self, row: &Row<'_>) -> f64 {
        self.posterior.last_log_odds(row)
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        Ok(Pick::bare(round.rng.random_range(0..arms.len())))
    }

    fn pick_row(&mut self, arms: &ArmSet<'_>, round: Round<'_>) -> Result<Pick> {
        Ok(Pick::bare(round.rng.random_range(0..arms.len().unwrap_or(1))))
    }

    fn pick_direction(&mut self, kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        let d = self.posterior.dimension();
        let mut features = vec![0.0; d];
        self.check_row(&Row::Dense(&features))?;
        // A normal vector has a uniform direction; only the zero vector has none, and that is drawn with probability zero.
        while norm(&features) == 0.0 {
            fill_normal(round.rng, &mut features);
        }
        // The volume of a ball grows with the d-th power of its radius.
        let radius = if kind == ArmKind::Ball { round.rng.random::<f64>().power(1.0 / d as f64) } else { 1.0 };
        let scale = radius / norm(&features);
        features.iter_mut().for_each(|v| *v *= scale);
        Ok(Direction { features, bounds: (None, None) })
    }

    fn probabilities(&self, arms: &FiniteArms, _round: u64, out: &mut [f64]) -> Result<bool> {
        out.fill(1.0 / arms.len() as f64);
        Ok(true)
    }

    fn row_probabilities(&self, _arms: &ArmSet<'_>, _round: u64, out: &mut [f64]) -> Result<bool> {
        out.fill(1.0 / out.len() as f64);
        Ok(true)
    }
}
