//! `laplace-ts`: Thompson sampling from the Laplace approximation of the posterior.

use serde::{Deserialize, Serialize};

use super::info::{ArmKind, EVERY_KIND, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{HALF_LIFE, Laplace, OWN, POSTERIOR, PosteriorOptions, RIDGE};
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::sets_per_arm::SetsPerArm;
use crate::arms::{ArmSet, FiniteArms};
use crate::belief::Belief;
use crate::error::{Result, check_number};
use crate::posterior::Row;
use crate::problem::Problem;

policy_info! {
    /// Draws a parameter from a normal approximation of the posterior and plays the arm that is best for it. An arm is
    /// played as often as it may be best.
    ///
    /// ```text
    ///   theta_hat = argmin L(theta) + ridge/2 ||theta||^2,   H = Hessian there
    ///   theta ~ N(theta_hat, scale^2 H^{-1}),                x_t = argmax x'theta
    /// ```
    ///
    /// Guarantee: none for the choices. Intervals come from the mixture set, which holds whatever rule chooses the arms.
    /// Arm probabilities are found by simulation.
    ///
    /// The default ridge is d/S^2, so that the prior N(0, I/ridge) has the scale of the ball; one without a norm bound.
    /// scale = 1 is the posterior; larger values explore more.
    ///
    /// The posterior is exact while no more distinct arms were observed than the longest list offered holds, or 32 if that is more;
    /// beyond, for sparse and hybrid arms and with a half_life, it is a filter that looks at every reward once, at the same cost
    /// for ever (docs/contextual.md; option posterior). Of arms that share nothing it fits the first 64 rewards each.
    /// Own parameters of hybrid arms are drawn given the shared ones: together a draw from the joint posterior.
    INFO {
        name: "laplace-ts",
        family: Family::Sampling,
        summary: "Thompson sampling from the Laplace posterior",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "2 passes of n d^2 + K d while n <= K, then d^3/6 + K d",
        memory: "n d + d^2",
        arm_sets: EVERY_KIND,
        reference: "Chapelle, Li 2011; Abeille, Lazaric 2017 (inflation)",
        randomised: true,
        order: RewardOrder::MattersInOnePass,
        constant_cost: true,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "scale", help: "multiple of the posterior's standard deviation; positive" },
            RIDGE,
            POSTERIOR,
            OWN,
            HALF_LIFE,
        ],
        maker: PolicyMaker::of::<LaplaceTs>(),
    }
}

/// Options of `laplace-ts`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct LaplaceTsOptions {
    /// Multiple of the posterior's standard deviation.
    pub scale: f64,
    /// How the posterior is kept.
    #[serde(flatten)]
    pub posterior: PosteriorOptions,
}

impl Default for LaplaceTsOptions {
    fn default() -> Self {
        Self { scale: 1.0, posterior: PosteriorOptions::default() }
    }
}

impl Options for LaplaceTsOptions {
    fn validate(&self) -> Result<()> {
        check_number("scale", self.scale, self.scale > 0.0, "positive")?;
        self.posterior.validate()
    }

    fn uncertified(&self, dimension: usize) -> Option<&'static str> {
        self.posterior.uncertified(dimension)
    }
}

/// Thompson sampling from the Laplace posterior.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LaplaceTs {
    posterior: Laplace,
    scale: f64,
}

impl Rule for LaplaceTs {
    type Options = LaplaceTsOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { posterior: Laplace::new(problem, &options.posterior)?, scale: options.scale })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_number("scale", self.scale, self.scale > 0.0, "positive")?;
        self.posterior.check(dimension)
    }

    fn grow(&mut self, options: &mut Self::Options, dimension: usize, own: usize) -> Result<()> {
        self.posterior.grow(dimension, own)?;
        options.posterior = self.posterior.options().clone();
        Ok(())
    }

    learn_by_posterior!();

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        self.posterior.offer(arms.len());
        Ok(Pick::bare(arms.best_for(self.posterior.draw(self.scale, round.rng))))
    }

    fn pick_row(&mut self, arms: &ArmSet<'_>, round: Round<'_>) -> Result<Pick> {
        Ok(Pick::bare(self.posterior.best_drawn_row(arms, self.scale, round.rng)?))
    }

    fn pick_direction(&mut self, _kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        Ok(Direction::along(self.posterior.draw(self.scale, round.rng)))
    }
}
