//! `oful`: optimism for a linear model of the rewards.

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{LinearModel, Widths};
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::error::{Result, check_number};
use crate::numerics::{Elementary, Ellipsoid};
use crate::problem::Problem;

policy_info! {
    /// Pretends that the mean reward is x'theta and plays the arm with the largest upper confidence bound.
    ///
    /// ```text
    ///   V = ridge I + sum x x',   theta_hat = V^{-1} sum r x
    ///   radius = R sqrt(2 log(1/delta) + logdet V - d log ridge) + sqrt(ridge) S,   R = 1/2
    ///   x_t = argmax x'theta_hat + radius ||x||_{V^{-1}}
    /// ```
    ///
    /// Guarantee: none. The bound is a theorem for linear rewards (Abbasi-Yadkori et al., Theorem 2); a logistic mean is
    /// not linear, so that even the best linear fit may prefer a wrong arm for ever. S is `linear_norm`: a reward has mean
    /// at most one, so that one is a sensible bound on the linear parameter, whatever the norm bound of the logistic one.
    /// Reported log-odds are those of x'theta_hat as a probability, cut to [0.001, 0.999].
    INFO {
        name: "oful",
        family: Family::Baseline,
        summary: "optimism for a linear model of the rewards (OFUL, LinUCB)",
        keeps_set: false,
        guarantee: "none: the model is misspecified for logistic rewards",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "d^2 + K d (fixed arms)",
        memory: "d^2 + K",
        arm_sets: ALL_ARMS,
        reference: "Abbasi-Yadkori, Pal, Szepesvari 2011",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: true,
        uses_history: false,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "ridge", help: "weight of ||theta||^2; positive" },
            OptionInfo { name: "linear_norm", help: "bound on the norm of the linear parameter; positive" },
        ],
        maker: PolicyMaker::of::<Oful>(),
    }
}

/// Options of `oful`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OfulOptions {
    /// Weight of ||theta||^2.
    pub ridge: f64,
    /// Bound on the norm of the linear parameter.
    pub linear_norm: f64,
}

impl Default for OfulOptions {
    fn default() -> Self {
        Self { ridge: 1.0, linear_norm: 1.0 }
    }
}

impl Options for OfulOptions {
    fn validate(&self) -> Result<()> {
        check_number("ridge", self.ridge, self.ridge > 0.0, "positive")?;
        check_number("linear_norm", self.linear_norm, self.linear_norm > 0.0, "positive")
    }
}

/// Optimism for a linear model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Oful {
    model: LinearModel,
    widths: Widths,
    delta: f64,
    options: OfulOptions,
}

/// R: a reward in [0, 1] is 1/2-sub-Gaussian.
const NOISE: f64 = 0.5;

impl Oful {
    fn radius(&self) -> f64 {
        let growth = self.model.log_growth(self.options.ridge);
        NOISE * (growth - 2.0 * self.delta.logarithm()).max(0.0).sqrt()
            + self.options.ridge.sqrt() * self.options.linear_norm
    }

    fn ellipsoid(&self) -> Ellipsoid<'_> {
        self.model.ellipsoid(self.radius())
    }
}

impl Rule for Oful {
    type Options = OfulOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let model = LinearModel::new(problem.dimension, options.ridge);
        Ok(Self { model, widths: Widths::default(), delta: problem.delta, options: options.clone() })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        check_number("delta", self.delta, self.delta > 0.0 && self.delta < 1.0, "strictly between 0 and 1")?;
        self.model.check(dimension)?;
        self.widths.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        let ellipsoid = self.model.ellipsoid(self.radius());
        Ok(Pick::bare(self.widths.best(ellipsoid, arms).arm))
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        Ok(Direction::along(&self.ellipsoid().farthest()))
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.model.learn(&mut self.widths, x, reward);
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
