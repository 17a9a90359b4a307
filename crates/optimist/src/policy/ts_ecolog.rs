//! `ts-ecolog`: Thompson sampling around the estimate of `ecolog`.

use serde::{Deserialize, Serialize};

use super::constants::Constants;
use super::ecolog::promise;
use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::EcologLearner;
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::error::{Result, check_number};
use crate::numerics::Draws;
use crate::plan::Answers;
use crate::problem::Problem;

policy_info! {
    /// Draws a parameter around the estimate of `ecolog`, as far as the radius of its ellipsoid says, and plays the arm
    /// that is best for it. Nothing is remembered but what `ecolog` remembers.
    ///
    /// ```text
    ///   theta ~ N(theta_t, (scale b_t)^2 W_t^{-1}),   x_t = argmax x'theta
    /// ```
    ///
    /// theta_t, W_t and b_t are those of `ecolog`, whose documentation has the formulas, both choices of constants and the
    /// proof.
    ///
    /// Guarantee: that of the set of `ecolog`, which holds whatever rule chooses the arms, at all times with probability 1
    /// - delta, if ||x|| <= 1 and ||theta*|| <= S. Nothing is claimed for the regret: the paper's bound for Thompson
    /// sampling is for its own radius and for draws that are inflated by sqrt(d), as b_t W^{-1/2} xi with xi ~ N(0, I) is.
    /// scale = 1 is the paper's draw; smaller values explore less: in simulations 0.1 to 0.3 had a fraction of its regret.
    /// Arm probabilities are found by simulation. The factor of W is computed once after each reward that comes in.
    INFO {
        name: "ts-ecolog",
        family: Family::Sampling,
        summary: "Thompson sampling around the one-pass estimate of ecolog",
        keeps_set: true,
        guarantee: "theta* in the ellipsoid of ecolog at all times, ||x|| <= 1; none for the choices",
        guaranteed: true,
        planning: Planning::ClosedForm,
        cost: "d^3/3 + K d; a fit of the log in the few rounds that enter it",
        memory: "d^2 + the log",
        arm_sets: ALL_ARMS,
        reference: "Faury, Abeille, Jun, Calauzenes, AISTATS 2022",
        randomised: true,
        order: RewardOrder::Matters,
        constant_cost: true,
        uses_history: false,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "scale", help: "multiple of the radius; positive" },
            OptionInfo {
                name: "ridge",
                help: "multiple of the identity that W starts from; null: 1 + S, or 1 with the published constants",
            },
            OptionInfo {
                name: "constants",
                help: "\"ours\": the radius that is proved for ecolog; \"published\": that of the authors' code, without \
                       guarantee",
            },
        ],
        maker: PolicyMaker::of::<TsEcolog>(),
    }
}

/// Options of `ts-ecolog`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TsEcologOptions {
    /// Multiple of the radius.
    pub scale: f64,
    /// Multiple of the identity that W starts from.
    pub ridge: Option<f64>,
    /// Which radius.
    pub constants: Constants,
}

impl Default for TsEcologOptions {
    fn default() -> Self {
        Self { scale: 1.0, ridge: None, constants: Constants::Ours }
    }
}

impl Options for TsEcologOptions {
    fn validate(&self) -> Result<()> {
        check_number("scale", self.scale, self.scale > 0.0, "positive")?;
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// Thompson sampling around a one-pass estimate.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TsEcolog {
    learner: EcologLearner,
    scale: f64,
    #[serde(skip)]
    draws: Draws,
}

impl TsEcolog {
    fn sample(&mut self, round: Round<'_>) -> &[f64] {
        let mut ellipsoid = self.learner.ellipsoid();
        ellipsoid.radius *= self.scale;
        self.draws.draw(ellipsoid, round.rng)
    }
}

impl Rule for TsEcolog {
    type Options = TsEcologOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let learner = EcologLearner::new(problem, options.ridge, options.constants, INFO.name)?;
        Ok(Self { learner, scale: options.scale, draws: Draws::default() })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_number("scale", self.scale, self.scale > 0.0, "positive")?;
        self.learner.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        Ok(Pick::bare(arms.best_for(self.sample(round))))
    }

    fn pick_direction(&mut self, _kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        Ok(Direction::along(self.sample(round)))
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.learner.learn(x, reward);
        self.draws.outdate();
    }

    fn estimate(&self) -> &[f64] {
        self.learner.theta()
    }

    fn claim(&self) -> Claim {
        promise(&self.learner, INFO.name)
    }

    fn bounds(&self, x: &[f64], _answers: &mut Answers) -> Result<(f64, f64)> {
        Ok(self.learner.bounds(x))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        Ok(self.learner.contains(theta))
    }

    fn feature_bound(&self) -> f64 {
        1.0
    }
}
