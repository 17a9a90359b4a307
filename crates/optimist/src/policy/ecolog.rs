//! `ecolog`: implicit steps, a log of the rounds in which none is safe, and an ellipsoid around the last iterate.

use serde::{Deserialize, Serialize};

use super::constants::Constants;
use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{EcologLearner, ONE_PASS};
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::error::{Result, check_number};
use crate::plan::Answers;
use crate::problem::Problem;
use crate::set::{Guarantee, Theorem};

policy_info! {
    /// Every observation moves the estimate by an implicit step: the minimiser of its own loss plus the distance from the
    /// last estimate. The arm with the largest log-odds over an ellipsoid around the estimate is played. Where the
    /// curvature after the step is too uncertain beforehand, no step is made; the observation goes to a log with a set of
    /// its own instead.
    ///
    /// ```text
    ///   theta_1 = 0,   W_1 = ridge I,   for each observation (x, r), before r is seen:
    ///   [lo, hi] = what ball, log and the learner's own ellipsoid say about x'theta*;   c = 2 + hi - lo
    ///   theta^r = argmin { ||theta - theta_s||^2_{W_s}/c + l(x'theta, r) : lo <= x'theta <= hi }
    ///   theta_bar: the same with l(x'theta, 0) + l(x'theta, 1) in place of l(x'theta, r)
    ///   if mu'(x'theta_bar) <= 2 min_r mu'(x'theta^r):  theta_{s+1} = theta^r,  W_{s+1} = W_s + mu'(x'theta_{s+1}) x x'
    ///   else:                                           (x, r) is added to the log
    ///   x_t = argmax x'theta_t + b_t ||x||_{W_t^{-1}}
    ///
    ///   constants = "ours":       b_t^2 = ridge S^2 + (2 + 2S) log(2/delta) + sum_s c_s (m_s - l(x_s'theta_{s+1}, r_s))
    ///                                     - sum_s ||theta_{s+1} - theta_s||^2_{W_s}
    ///                             m_s = -log E exp(-l(z, r_s)),   z ~ N(x_s'theta_s, (c_s/2)||x_s||^2_{W_s^{-1}})
    ///   constants = "published":  b_t^2 = 2 ridge S^2 + (1 + S)^2 gamma
    ///                                     + sum_s 2 (1 + S)(l(x_s'theta_bar, r_s) - l(x_s'theta_{s+1}, r_s))
    ///                                     - ||theta_{s+1} - theta_bar||_{W_s}/2,   with [lo, hi] from ball and log only
    ///                             gamma = sqrt(ridge)/2 + 2 log(2 sqrt(1 + t/(4 ridge))/delta)/sqrt(ridge)
    /// ```
    ///
    /// Guarantee (ours): with probability 1 - delta theta* is at all times in ellipsoid, ball and log set, if ||x|| <= 1
    /// and ||theta*|| <= S. Proof. The log set is the mixture set at delta/2 over rounds that were selected before their
    /// rewards, with the ellipsoid around it. Let theta* be in all sets so far. Then it is in the slab lo <= x'theta <= hi,
    /// over which the step is optimal, and |x'(theta_{s+1} - theta*)| <= hi - lo, so that self-concordance gives a
    /// curvature term with 1/c_s:
    /// ```text
    ///   c_s (l_s(theta_{s+1}) - l_s(theta*)) <= ||theta_s - theta*||^2_{W_s} - ||theta_{s+1} - theta*||^2_{W_{s+1}}
    ///                                           - ||theta_{s+1} - theta_s||^2_{W_s}.
    /// ```
    /// c_s and the distribution of z are known before r_s, and c_s <= C = 2 + 2S. As E[exp(l_s(theta*) - m_s)] <= 1, Jensen
    /// gives E[exp((c_s/C)(l_s(theta*) - m_s))] <= 1, and with probability 1 - delta/2 sum_s c_s (l_s(theta*) - m_s) <= C
    /// log(2/delta) for all t at once (Ville). Add both: theta* is in the next ellipsoid, and so on by induction. The
    /// expectation is a 24-point Gauss-Hermite rule, which is itself the distribution that is mixed over, so that no
    /// quadrature error enters.
    ///
    /// The default ridge 1 + S keeps every step below one, (c/2)||x||^2_{W^{-1}} <= 1: then the test above hardly ever
    /// fails. A smaller ridge makes the radius smaller and the log longer, which does not pay: while rounds go to the log
    /// the estimate stands still.
    ///
    /// Departures from the paper. The step is solved to the last digit, as one scalar equation, because it is constrained
    /// to a slab rather than to ball and log set: the slab holds theta* just as well. The own ellipsoid cuts [lo, hi] too,
    /// so that c_s falls towards 2 as the ellipsoid shrinks. The log's set is the mixture set instead of an ellipsoid with
    /// the least curvature. The published radius is that of the authors' code, which has no proof: it claims nothing. Its
    /// code ranks by a probability plus a width of log-odds; here both are log-odds.
    INFO {
        name: "ecolog",
        family: Family::Index,
        summary: "implicit mirror descent with a radius read off the data (ada-OFU-ECOLog); looks at every reward once",
        keeps_set: true,
        guarantee: "theta* in the ellipsoid at all times, ||x|| <= 1 (proof in the text)",
        guaranteed: true,
        planning: Planning::ClosedForm,
        cost: "d^2 + K d (fixed arms); a fit of the log in the few rounds that enter it",
        memory: "d^2 + K + the log",
        arm_sets: ALL_ARMS,
        reference: "Faury, Abeille, Jun, Calauzenes, AISTATS 2022",
        randomised: false,
        order: RewardOrder::Matters,
        constant_cost: true,
        uses_history: false,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo {
                name: "ridge",
                help: "multiple of the identity that W starts from; null: 1 + S, or 1 with the published constants",
            },
            OptionInfo {
                name: "constants",
                help: "\"ours\": the radius that is proved in the text; \"published\": that of the authors' code, without \
                       guarantee",
            },
        ],
        maker: PolicyMaker::of::<Ecolog>(),
    }
}

/// Options of `ecolog`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EcologOptions {
    /// Multiple of the identity that W starts from.
    pub ridge: Option<f64>,
    /// Which radius.
    pub constants: Constants,
}

impl Options for EcologOptions {
    fn validate(&self) -> Result<()> {
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// What is proved of the learner's sets.
static THEOREM: Theorem = Theorem {
    assumptions: ONE_PASS,
    order_free: false,
    citation: "Faury, Abeille, Jun and Calauzenes, Jointly efficient and optimal algorithms for logistic bandits, AISTATS 2022, \
               with the radius that the documentation of \"ecolog\" proves",
};

/// What the learner's sets promise under the name of a policy.
pub(super) fn promise(learner: &EcologLearner, name: &'static str) -> Claim {
    let (delta, norm_bound) = (Some(learner.delta()), Some(learner.norm_bound()));
    match learner.constants() {
        Constants::Ours => Claim::Holds(Guarantee { name, delta, norm_bound, theorem: &THEOREM }),
        Constants::Published => Claim::None { why: "the radius of the published code has no proof" },
    }
}

/// Implicit steps with a radius read off the data.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ecolog {
    learner: EcologLearner,
}

impl Rule for Ecolog {
    type Options = EcologOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { learner: EcologLearner::new(problem, options.ridge, options.constants, INFO.name)? })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.learner.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        let (ellipsoid, widths) = self.learner.indexed();
        let arm = widths.best(ellipsoid, arms).arm;
        let (low, high) = self.learner.bounds(arms.arm(arm));
        Ok(Pick { arm, bounds: (Some(low), Some(high)) })
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        let Direction { features, .. } = Direction::along(&self.learner.ellipsoid().farthest());
        let (low, high) = self.learner.bounds(&features);
        Ok(Direction { features, bounds: (Some(low), Some(high)) })
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.learner.learn(x, reward);
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
