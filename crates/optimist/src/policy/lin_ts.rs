//! `lin-ts`: Thompson sampling for a linear model of the rewards.

use serde::{Deserialize, Serialize};

use super::constants::Constants;
use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{LinearModel, Widths};
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::error::{Result, check_number};
use crate::numerics::{Draws, Elementary};
use crate::problem::Problem;

policy_info! {
    /// Pretends that the mean reward is x'theta, draws a parameter from a normal distribution around the ridge estimate and
    /// plays the arm that is best for it.
    ///
    /// ```text
    ///   V = ridge I + sum x x',   theta_hat = V^{-1} sum r x
    ///   theta ~ N(theta_hat, v^2 V^{-1}),   x_t = argmax x'theta
    ///   constants = "ours":       v = scale R,                          R = 1/2
    ///   constants = "published":  v = scale R sqrt(9 d log(t/delta)),   t the round
    /// ```
    ///
    /// R = 1/2 because a reward in [0, 1] is 1/2-sub-Gaussian. With scale = 1 the first is the posterior under normal noise
    /// of that size, which is what is used in practice; the second is the inflated one for which Agrawal and Goyal prove a
    /// regret bound (Theorem 1) if rewards are linear.
    ///
    /// Guarantee: none. A logistic mean is not linear in the features, so that even the best linear fit may prefer a wrong
    /// arm for ever. Reported log-odds are those of x'theta_hat as a probability, cut to [0.001, 0.999]. Arm probabilities
    /// are found by simulation. The factor of V is computed once after each reward that comes in.
    INFO {
        name: "lin-ts",
        family: Family::Baseline,
        summary: "Thompson sampling for a linear model of the rewards",
        keeps_set: false,
        guarantee: "none: the model is misspecified for logistic rewards",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "d^3/3 + K d",
        memory: "d^2",
        arm_sets: ALL_ARMS,
        reference: "Agrawal, Goyal 2013; Abeille, Lazaric 2017",
        randomised: true,
        order: RewardOrder::Irrelevant,
        constant_cost: true,
        uses_history: false,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "scale", help: "multiple of the standard deviation; positive" },
            OptionInfo { name: "ridge", help: "weight of ||theta||^2; positive" },
            OptionInfo {
                name: "constants",
                help: "\"ours\": the posterior's deviation; \"published\": inflated by sqrt(9 d log(t/delta))",
            },
        ],
        maker: PolicyMaker::of::<LinTs>(),
    }
}

/// Options of `lin-ts`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinTsOptions {
    /// Multiple of the standard deviation.
    pub scale: f64,
    /// Weight of ||theta||^2.
    pub ridge: f64,
    /// Whether the deviation is inflated.
    pub constants: Constants,
}

impl Default for LinTsOptions {
    fn default() -> Self {
        Self { scale: 1.0, ridge: 1.0, constants: Constants::Ours }
    }
}

impl Options for LinTsOptions {
    fn validate(&self) -> Result<()> {
        check_number("scale", self.scale, self.scale > 0.0, "positive")?;
        check_number("ridge", self.ridge, self.ridge > 0.0, "positive")
    }
}

/// Thompson sampling for a linear model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LinTs {
    model: LinearModel,
    delta: f64,
    options: LinTsOptions,
    #[serde(skip)]
    draws: Draws,
}

/// R: a reward in [0, 1] is 1/2-sub-Gaussian.
const NOISE: f64 = 0.5;

impl LinTs {
    /// v.
    fn deviation(&self, round: u64) -> f64 {
        let inflation = match self.options.constants {
            Constants::Ours => 1.0,
            Constants::Published => {
                let d = self.model.theta().len() as f64;
                (9.0 * d * ((round as f64).logarithm() - self.delta.logarithm())).sqrt()
            }
        };
        self.options.scale * NOISE * inflation
    }

    fn sample(&mut self, round: Round<'_>) -> &[f64] {
        let ellipsoid = self.model.ellipsoid(self.deviation(round.number));
        self.draws.draw(ellipsoid, round.rng)
    }
}

impl Rule for LinTs {
    type Options = LinTsOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let model = LinearModel::new(problem.dimension, options.ridge);
        Ok(Self { model, delta: problem.delta, options: options.clone(), draws: Draws::default() })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        check_number("delta", self.delta, self.delta > 0.0 && self.delta < 1.0, "strictly between 0 and 1")?;
        self.model.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        Ok(Pick::bare(arms.best_for(self.sample(round))))
    }

    fn pick_direction(&mut self, _kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        Ok(Direction::along(self.sample(round)))
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        // No list's widths are kept: a draw needs none.
        self.model.learn(&mut Widths::default(), x, reward);
        self.draws.outdate();
    }

    fn estimate(&self) -> &[f64] {
        self.model.theta()
    }

    fn log_odds(&self, x: &[f64]) -> f64 {
        self.model.log_odds(x)
    }

    fn claim(&self) -> Claim {
        Claim::None { why: "a logistic mean is not linear in the features" }
    }
}
