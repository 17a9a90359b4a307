//! `ol2m`: online Newton steps with a fixed curvature, and an ellipsoid around the last iterate.

use serde::{Deserialize, Serialize};

use super::constants::Constants;
use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{CutEllipsoid, MirrorStep, Move, ONE_PASS, Widths};
use super::norm_bound::moderate_norm_bound;
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::error::{Result, check_count, check_number, check_vector};
use crate::link;
use crate::numerics::{Elementary, Precision, dot};
use crate::plan::Answers;
use crate::problem::Problem;
use crate::set::{Guarantee, Theorem};

policy_info! {
    /// Every observation moves the estimate by one Newton step in which the curvature of the loss is replaced by a lower
    /// bound; the arm with the largest log-odds over an ellipsoid around the estimate is played. Nothing but a vector and a
    /// matrix is kept.
    ///
    /// ```text
    ///   beta = 1/(2(1 + e^S)),   Z_1 = ridge I,   w_1 = 0,   g_s = (mu(x_s'w_s) - r_s) x_s
    ///   Z_{s+1} = Z_s + (beta/2) x_s x_s'
    ///   w_{s+1} = argmin_{||w|| <= S} g_s'(w - w_s) + ||w - w_s||^2_{Z_{s+1}} / 2
    ///   x_t = argmax x'w_t + radius ||x||_{Z_t^{-1}}
    ///
    ///   constants = "ours":       radius^2 = ridge S^2 + log(1/delta)/(4 m - beta) + sum_s G_s,   m = mu'(S)
    ///                             G_s = 2 g_s'(w_s - w_{s+1}) - ||w_s - w_{s+1}||^2_{Z_{s+1}} <= ||g_s||^2_{Z_{s+1}^{-1}}
    ///   constants = "published":  radius^2 = ridge S^2 + 8 S + (8/beta + 16 S/3) tau + (2/beta) logdet(Z_t/ridge)
    ///                             tau = log(2 ceil(2 log2 t) t^2/delta),   t = 1 + the number of observations
    /// ```
    ///
    /// Guarantee (ours): with probability 1 - delta theta* is in the ellipsoid at all times, if ||x|| <= 1 and ||theta*||
    /// <= S. Proof. The step is optimal over a ball that holds theta*, so with a_s = x_s'(w_s - theta*)
    /// ```text
    ///   ||w_{s+1} - theta*||^2_{Z_{s+1}} <= ||w_s - theta*||^2_{Z_s} + (beta/2) a_s^2 - 2 g_s'(w_s - theta*) + G_s.
    /// ```
    /// With xi_s = r_s - mu(x_s'theta*) and the mean value theorem, g_s'(w_s - theta*) >= m a_s^2 - xi_s a_s. A reward in
    /// [0, 1] is 1/2-sub-Gaussian, so exp(sum_s 2 v xi_s a_s - v^2 a_s^2/2) is a supermartingale and, for all t at once
    /// with probability 1 - delta, 2 sum xi_s a_s <= (v/2) sum a_s^2 + log(1/delta)/v (Ville). v = 4 m - beta > 0 cancels
    /// all a_s^2.
    ///
    /// The paper's radius pays for its Bernstein inequality with a union over time and a peeling, which the fixed v makes
    /// unnecessary. It is larger than ours term by term (G_s <= (2/beta) log(det Z_{s+1}/det Z_s), 4 m - beta >= 3 beta),
    /// so that its promise holds as well. Arms are ranked by log-odds. Public code adds the width, a difference of
    /// log-odds, to a probability, and rescales every iterate to norm S; here the projection is the one of the paper,
    /// exactly. The curvature bound makes the radius grow like e^(S/2): useful for small S only.
    INFO {
        name: "ol2m",
        family: Family::Index,
        summary: "online Newton steps with the least curvature; looks at every reward once",
        keeps_set: true,
        guarantee: "theta* in the ellipsoid at all times, ||x|| <= 1 (proof in the text)",
        guaranteed: true,
        planning: Planning::ClosedForm,
        cost: "d^2 + K d (fixed arms); d^3 more when a step leaves the ball",
        memory: "d^2 + K",
        arm_sets: ALL_ARMS,
        reference: "Zhang, Yang, Jin, Xiao, Zhou, ICML 2016",
        randomised: false,
        order: RewardOrder::Matters,
        constant_cost: true,
        uses_history: false,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "ridge", help: "multiple of the identity that Z starts from; positive" },
            OptionInfo {
                name: "constants",
                help: "\"ours\": the radius that is proved in the text; \"published\": the paper's, which is larger",
            },
        ],
        maker: PolicyMaker::of::<Ol2m>(),
    }
}

/// Options of `ol2m`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ol2mOptions {
    /// Multiple of the identity that Z starts from.
    pub ridge: f64,
    /// Which radius.
    pub constants: Constants,
}

impl Default for Ol2mOptions {
    fn default() -> Self {
        Self { ridge: 1.0, constants: Constants::Ours }
    }
}

impl Options for Ol2mOptions {
    fn validate(&self) -> Result<()> {
        check_number("ridge", self.ridge, self.ridge > 0.0, "positive")
    }
}

/// Online Newton steps with the least curvature.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ol2m {
    w: Vec<f64>,
    precision: Precision,
    widths: Widths,
    /// Sum of G_s.
    cost: f64,
    observations: u64,
    delta: f64,
    norm_bound: f64,
    options: Ol2mOptions,
    step: MirrorStep,
}

impl Ol2m {
    fn beta(&self) -> f64 {
        0.5 * link::mean(-self.norm_bound)
    }

    fn squared_radius(&self) -> f64 {
        let (ridge, bound, beta) = (self.options.ridge, self.norm_bound, self.beta());
        match self.options.constants {
            Constants::Ours => {
                ridge * bound * bound - self.delta.logarithm() / (4.0 * link::variance(bound) - beta) + self.cost
            }
            Constants::Published => {
                let t = self.observations as f64 + 1.0;
                // In the first round the paper's tau is the logarithm of zero: it is begun one round later.
                let looks = (2.0 * t.max(2.0).logarithm_2()).ceil();
                let tau = (2.0 * looks).logarithm() + 2.0 * t.logarithm() - self.delta.logarithm();
                let growth = self.precision.log_det() - self.w.len() as f64 * ridge.logarithm();
                ridge * bound * bound + 8.0 * bound + (8.0 / beta + 16.0 * bound / 3.0) * tau + 2.0 / beta * growth
            }
        }
    }

    fn set(&self) -> CutEllipsoid<'_> {
        let squared_radius = self.squared_radius();
        let ellipsoid = self.precision.ellipsoid(&self.w, squared_radius.max(0.0).sqrt());
        CutEllipsoid { ellipsoid, squared_radius, norm_bound: self.norm_bound }
    }
}

/// What is proved of its sets.
static THEOREM: Theorem = Theorem {
    assumptions: ONE_PASS,
    order_free: false,
    citation: "Zhang, Yang, Jin, Xiao and Zhou, Online stochastic linear optimization under one-bit feedback, ICML 2016, \
               with the constants of the policy's documentation",
};

impl Rule for Ol2m {
    type Options = Ol2mOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let d = problem.dimension;
        Ok(Self {
            w: vec![0.0; d],
            precision: Precision::new(d, options.ridge),
            widths: Widths::default(),
            cost: 0.0,
            observations: 0,
            delta: problem.delta,
            norm_bound: moderate_norm_bound(problem, INFO.name)?,
            options: options.clone(),
            step: MirrorStep::default(),
        })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        check_vector("w", &self.w, dimension)?;
        check_number("cost", self.cost, true, "a number")?;
        let problem = Problem { dimension, delta: self.delta, norm_bound: Some(self.norm_bound) };
        moderate_norm_bound(&problem, INFO.name)?;
        self.precision.check(dimension)?;
        self.step.check()?;
        check_count("observations", self.observations)?;
        self.widths.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        let radius = self.squared_radius().max(0.0).sqrt();
        let best = self.widths.best(self.precision.ellipsoid(&self.w, radius), arms);
        Ok(self.set().pick(best, arms.arm(best.arm)))
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        Ok(self.set().direction())
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        let slope = link::mean(dot(x, &self.w)) - reward;
        let weight = 0.5 * self.beta();
        let step = Move { precision: &self.precision, weight, x, slope };
        self.cost += self.step.take(&mut self.w, step, self.norm_bound);
        self.widths.add(&mut self.precision, weight, x, self.step.direction(), self.step.square());
        self.observations += 1;
    }

    fn estimate(&self) -> &[f64] {
        &self.w
    }

    fn claim(&self) -> Claim {
        let (delta, norm_bound) = (Some(self.delta), Some(self.norm_bound));
        Claim::Holds(Guarantee { name: INFO.name, delta, norm_bound, theorem: &THEOREM })
    }

    fn bounds(&self, x: &[f64], _answers: &mut Answers) -> Result<(f64, f64)> {
        Ok(self.set().bounds(x))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        Ok(self.set().contains(theta))
    }

    fn feature_bound(&self) -> f64 {
        1.0
    }
}
