//! `gloc`: an online learner's predictions turned into a confidence set.

use serde::{Deserialize, Serialize};

use super::constants::Constants;
use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{CutEllipsoid, LinearModel, MirrorStep, Move, ONE_PASS, Widths};
use super::norm_bound::moderate_norm_bound;
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::error::{Result, check_number, check_vector};
use crate::link;
use crate::numerics::{Elementary, dot};
use crate::plan::Answers;
use crate::problem::Problem;
use crate::set::{Guarantee, Theorem};

policy_info! {
    /// An online Newton learner predicts the log-odds of each arm before its reward comes in. A learner of small regret
    /// cannot have predicted badly, so the truth lies near the linear regression on its predictions.
    ///
    /// ```text
    ///   k = mu'(S),   V = ridge I + sum x_s x_s',   theta_1 = 0,   z_s = x_s'theta_s,   g_s = (mu(z_s) - r_s) x_s
    ///   theta_{s+1} = argmin_{||theta|| <= S} g_s'(theta - theta_s) + (k/2)||theta - theta_s||^2_{V_{s+1}}
    ///   centre = V^{-1} sum z_s x_s,   rest = sum z_s^2 - centre'sum z_s x_s
    ///   x_t = argmax x'centre + radius ||x||_{V^{-1}}
    ///
    ///   constants = "ours":       radius^2 = (4/k) B + (2/k^2) log(1/delta) + ridge S^2 - rest
    ///                             B = k ridge S^2/2 + sum_s G_s/2
    ///                             G_s = 2 g_s'(theta_s - theta_{s+1}) - k ||theta_s - theta_{s+1}||^2_{V_{s+1}}
    ///   constants = "published":  radius^2 = 1 + (4/k) B + (8R^2/k^2) log((2/delta) sqrt(1 + (2/k) B + 4R^4/(k^4 delta^2)))
    ///                                        + ridge S^2 - rest,   R = 1/2
    ///                             B = 2 k ridge S^2 + sum_s ||g_s||^2_{V_{s+1}^{-1}} / (2k)
    /// ```
    ///
    /// Guarantee (ours): with probability 1 - delta theta* is in the ellipsoid at all times, if ||x|| <= 1 and ||theta*||
    /// <= S. Proof. Let a_s = z_s - x_s'theta*. On the ball the loss has curvature at least k in x'theta. The step is
    /// optimal over a ball that holds theta*, so sum_s l_s(theta_s) - l_s(theta*) <= B: the curvature pays for the growth
    /// of k V. The curvature at theta* gives l_s(theta_s) - l_s(theta*) >= -xi_s a_s + (k/2) a_s^2 with xi_s = r_s -
    /// mu(x_s'theta*), hence (k/2) sum a_s^2 <= B + sum xi_s a_s. A reward in [0, 1] is 1/2-sub-Gaussian, so exp(sum_s v
    /// xi_s a_s - v^2 a_s^2/8) is a supermartingale, and for all t at once sum xi_s a_s <= (v/8) sum a_s^2 + log(1/delta)/v
    /// (Ville); v = 2k gives sum a_s^2 <= (4/k) B + (2/k^2) log(1/delta). Add ridge ||theta*||^2 <= ridge S^2 and complete
    /// the square.
    ///
    /// The paper mixes over v, which costs the logarithm of the square root; with v = 2k that is saved. Its radius is
    /// larger than ours term by term, so that its promise holds as well. Public code has another noise constant, leaves
    /// ridge S^2 and rest out and ranks by the learner's iterate; here the centre is the regression, as in the paper. The
    /// curvature bound makes the radius grow like e^S: useful for small S only.
    INFO {
        name: "gloc",
        family: Family::Index,
        summary: "a confidence set from the predictions of an online learner; looks at every reward once",
        keeps_set: true,
        guarantee: "theta* in the ellipsoid at all times, ||x|| <= 1 (Jun et al., Theorem 1; proof in the text)",
        guaranteed: true,
        planning: Planning::ClosedForm,
        cost: "d^2 + K d (fixed arms); d^3 more when a step leaves the ball",
        memory: "d^2 + K",
        arm_sets: ALL_ARMS,
        reference: "Jun, Bhargava, Nowak, Willett, NIPS 2017",
        randomised: false,
        order: RewardOrder::Matters,
        constant_cost: true,
        uses_history: false,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "ridge", help: "multiple of the identity that V starts from; positive" },
            OptionInfo {
                name: "constants",
                help: "\"ours\": the radius that is proved in the text; \"published\": the paper's, which is larger",
            },
        ],
        maker: PolicyMaker::of::<Gloc>(),
    }
}

/// Options of `gloc`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GlocOptions {
    /// Multiple of the identity that V starts from.
    pub ridge: f64,
    /// Which radius.
    pub constants: Constants,
}

impl Default for GlocOptions {
    fn default() -> Self {
        Self { ridge: 1.0, constants: Constants::Ours }
    }
}

impl Options for GlocOptions {
    fn validate(&self) -> Result<()> {
        check_number("ridge", self.ridge, self.ridge > 0.0, "positive")
    }
}

/// An online learner's predictions turned into a confidence set.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Gloc {
    /// The learner's iterate.
    theta: Vec<f64>,
    /// The regression on its predictions, which is the centre.
    model: LinearModel,
    widths: Widths,
    /// Sum of k G_s, and of ||g_s||^2_{V_{s+1}^{-1}}.
    cost: f64,
    full_cost: f64,
    rest: f64,
    delta: f64,
    norm_bound: f64,
    options: GlocOptions,
    step: MirrorStep,
}

impl Gloc {
    /// k, the least curvature.
    fn curvature(&self) -> f64 {
        link::variance(self.norm_bound)
    }

    fn squared_radius(&self) -> f64 {
        let k = self.curvature();
        let ball = self.options.ridge * self.norm_bound * self.norm_bound;
        let confidence = -self.delta.logarithm();
        let spread = match self.options.constants {
            // (4/k) B = 2 ridge S^2 + (2/k) sum G.
            Constants::Ours => 2.0 * ball + 2.0 * self.cost / (k * k) + 2.0 * confidence / (k * k),
            Constants::Published => {
                let regret = 2.0 * k * ball + self.full_cost / (2.0 * k);
                // log(1 + 2 B/k + 1/(4 k^4 delta^2)), whose last term may be beyond the range of doubles.
                let (first, last) =
                    ((2.0 * regret / k).logarithm_1p(), 2.0 * confidence - 4.0 * k.logarithm() - 4.0_f64.logarithm());
                let inside = first.max(last) + (-(first - last).abs()).exponential().logarithm_1p();
                let log = 2.0_f64.logarithm() + confidence + 0.5 * inside;
                1.0 + 4.0 * regret / k + 2.0 * log / (k * k)
            }
        };
        spread + ball - self.rest
    }

    fn set(&self) -> CutEllipsoid<'_> {
        let squared_radius = self.squared_radius();
        let ellipsoid = self.model.ellipsoid(squared_radius.max(0.0).sqrt());
        CutEllipsoid { ellipsoid, squared_radius, norm_bound: self.norm_bound }
    }
}

/// What is proved of its sets.
static THEOREM: Theorem = Theorem {
    assumptions: ONE_PASS,
    order_free: false,
    citation: "Jun, Bhargava, Nowak and Willett, Scalable generalized linear bandits: online computation and hashing, NIPS \
               2017, Theorem 1, with the constants of the policy's documentation",
};

impl Rule for Gloc {
    type Options = GlocOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let d = problem.dimension;
        Ok(Self {
            theta: vec![0.0; d],
            model: LinearModel::new(d, options.ridge),
            widths: Widths::default(),
            cost: 0.0,
            full_cost: 0.0,
            rest: 0.0,
            delta: problem.delta,
            norm_bound: moderate_norm_bound(problem, INFO.name)?,
            options: options.clone(),
            step: MirrorStep::default(),
        })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        check_vector("theta", &self.theta, dimension)?;
        check_vector("sums", &[self.cost, self.full_cost, self.rest], 3)?;
        let problem = Problem { dimension, delta: self.delta, norm_bound: Some(self.norm_bound) };
        moderate_norm_bound(&problem, INFO.name)?;
        self.model.check(dimension)?;
        self.step.check()?;
        self.widths.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        let radius = self.squared_radius().max(0.0).sqrt();
        let best = self.widths.best(self.model.ellipsoid(radius), arms);
        Ok(self.set().pick(best, arms.arm(best.arm)))
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        Ok(self.set().direction())
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        let prediction = dot(x, &self.theta);
        let gradient = link::mean(prediction) - reward;
        let k = self.curvature();
        let error = prediction - dot(x, self.model.theta());
        // The step in the norm of V, for the gradient over k.
        let step = Move { precision: self.model.precision(), weight: 1.0, x, slope: gradient / k };
        self.cost += k * k * self.step.take(&mut self.theta, step, self.norm_bound);
        let square = self.step.square();
        self.full_cost += gradient * gradient * square / (1.0 + square);
        // What a regression leaves unexplained grows by the squared error of its forecast, shrunk.
        self.rest += error * error / (1.0 + square);
        self.model.learn(&mut self.widths, x, prediction);
    }

    fn estimate(&self) -> &[f64] {
        self.model.theta()
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
