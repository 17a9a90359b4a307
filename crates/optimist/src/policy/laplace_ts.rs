//! `laplace-ts`: Thompson sampling from the Laplace approximation of the posterior.

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::Posterior;
use super::rule::{Direction, Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Result, check_number};
use crate::numerics::perturb;
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
    INFO {
        name: "laplace-ts",
        family: Family::Sampling,
        summary: "Thompson sampling from the Laplace posterior",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "2 passes of n d^2 + K d",
        memory: "n d + d^2",
        arm_sets: ALL_ARMS,
        reference: "Chapelle, Li 2011; Abeille, Lazaric 2017 (inflation)",
        randomised: true,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "scale", help: "multiple of the posterior's standard deviation; positive" },
            OptionInfo { name: "ridge", help: "precision of the prior; null: d/S^2, or 1 without a norm bound" },
        ],
        maker: PolicyMaker::of::<LaplaceTs>(),
    }
}

/// Options of `laplace-ts`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LaplaceTsOptions {
    /// Multiple of the posterior's standard deviation.
    pub scale: f64,
    /// Precision of the prior.
    pub ridge: Option<f64>,
}

impl Default for LaplaceTsOptions {
    fn default() -> Self {
        Self { scale: 1.0, ridge: None }
    }
}

impl Options for LaplaceTsOptions {
    fn validate(&self) -> Result<()> {
        check_number("scale", self.scale, self.scale > 0.0, "positive")?;
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// Thompson sampling from the Laplace posterior.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LaplaceTs {
    posterior: Posterior,
    scale: f64,
    #[serde(skip)]
    draw: Vec<f64>,
}

impl LaplaceTs {
    fn sample(&mut self, round: Round<'_>) {
        let (theta, cholesky) = self.posterior.gaussian();
        perturb(theta, self.scale, cholesky, round.rng, &mut self.draw);
    }
}

impl Rule for LaplaceTs {
    type Options = LaplaceTsOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { posterior: Posterior::new(problem, options.ridge)?, scale: options.scale, draw: Vec::new() })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_number("scale", self.scale, self.scale > 0.0, "positive")?;
        self.posterior.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        self.sample(round);
        Ok(Pick::bare(arms.best_for(&self.draw)))
    }

    fn pick_direction(&mut self, _kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        self.sample(round);
        Ok(Direction::along(&self.draw))
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
