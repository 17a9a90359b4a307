//! `optimist-stream`: optimism in constant memory.

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{CutEllipsoid, Widths};
use super::norm_bound::sane_norm_bound;
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::error::{Result, check_number, check_vector};
use crate::link;
use crate::numerics::{Precision, add_scaled, dot, least_curvature, mixed_loss, norm, posterior_logit};
use crate::plan::Answers;
use crate::problem::Problem;
use crate::set::guarantee::{MEAN, NORM, ONCE, ORDER};
use crate::set::{Guarantee, Theorem};

policy_info! {
    /// Keeps an estimate theta, a matrix W and a radius b, d^2 numbers in all, and plays the arm with the largest upper
    /// bound x'theta + b ||x||_{W^{-1}}. Every reward moves the estimate by one exact proximal step; what the step gained
    /// over a Bayesian forecast of the same reward is what the radius may shrink by.
    ///
    /// ```text
    ///   theta' = argmin 1/2 ||theta' - theta||_W^2 + l(x'theta', r),   u = x'theta'     (one monotone scalar equation)
    ///   W'     = W + 2k x x',   k = least (l(z) - l(u) - l'(u)(z - u))/(z - u)^2 over the z that the set still allows
    ///   b'^2   = b^2 + 2 (m - l(u)) - ||theta' - theta||_W^2
    ///   m      = -log E exp(-l(z, r)),   z ~ N(x'theta, ||x||^2_{W^{-1}})
    /// ```
    ///
    /// from theta = 0, W = lambda I, b^2 = lambda S^2 + 2 log(1/delta), with lambda = d/S^2 by default.
    ///
    /// Guarantee: ||theta - theta*||_W <= b at all times with probability 1 - delta, for arms of any norm. Proof. The
    /// optimality of theta' says
    /// ```text
    ///   l'(u) x'(theta' - theta*) = (||theta - theta*||_W^2 - ||theta' - theta*||_W^2 - ||theta' - theta||_W^2)/2.
    /// ```
    /// As long as theta* has been in the set, the definition of k says
    /// ```text
    ///   l(x'theta*) >= l(u) + l'(u) x'(theta* - theta') + k (x'(theta' - theta*))^2.
    /// ```
    /// Together, ||theta' - theta*||^2_{W'} <= ||theta - theta*||_W^2 - ||theta' - theta||_W^2 + 2 (l(x'theta*) - l(u)).
    /// The sum of l(x'theta*) - m never exceeds log(1/delta), with probability 1 - delta, because E exp(l(x'theta*) - m) <=
    /// 1 given the past (Ville): so theta* is in the next set, and so on by induction. The expectation is a 24-point
    /// Gauss-Hermite rule, which is itself the distribution that is mixed over. k is at u or at an end of the interval of
    /// allowed z, because the quotient first rises and then falls on either side of u.
    ///
    /// The proximal step is that of ECOLog (Faury et al. 2022), which counts 1/(2 + D) of the variance as curvature, for a
    /// diameter D, or pays for all of it with a radius that grows with S for ever. Here the interval shrinks with the set
    /// and 2k tends to the variance, if the set shrinks fast enough. What b^2 exceeds d + 2 log(1/delta) + logdet(W/lambda)
    /// by is what was lost while it did, and no bound on that is proved. It is small for moderate S and not for large: measured
    /// under its own play (d = 2, twenty arms, ||theta*|| = S - 1/2; `--bench radii`), after 1,000, 10,000 and 100,000 rounds
    /// it was 11, 15 and 16 for S = 8; 112, 244 and 287 for S = 16; 574, 3,505 and 21,975 for S = 32, where the set stops
    /// shrinking and regret is linear. So declare a norm bound within a factor of a few of the truth, and at most about 10; the
    /// policy `optimist` does not depend on it like this. No warm-up, no log of failures, no horizon.
    ///
    /// Rewards may come late, and in any order that does not depend on their values.
    INFO {
        name: "optimist-stream",
        family: Family::Optimism,
        summary: "optimism in constant memory: one implicit step a reward, a radius that the data set",
        keeps_set: true,
        guarantee: "theta* in the ellipsoid at all times, probability 1 - delta",
        guaranteed: true,
        planning: Planning::ClosedForm,
        cost: "d^2 + K d (fixed arms)",
        memory: "d^2 + K",
        arm_sets: ALL_ARMS,
        reference: "Faury, Abeille, Jun, Calauzenes 2022 (the step); Kirschner et al. 2025, Clerico et al. 2025 (the forecast)",
        randomised: false,
        order: RewardOrder::Matters,
        constant_cost: true,
        uses_history: false,
        needs_norm_bound: true,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[OptionInfo { name: "ridge", help: "lambda, the precision of the start; null: d/S^2" }],
        maker: PolicyMaker::of::<OptimistStream>(),
    }
}

/// Options of `optimist-stream`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimistStreamOptions {
    /// lambda, the precision of the start.
    pub ridge: Option<f64>,
}

impl Options for OptimistStreamOptions {
    fn validate(&self) -> Result<()> {
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// Optimism in constant memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OptimistStream {
    theta: Vec<f64>,
    precision: Precision,
    /// b^2. Negative only if the promise is broken.
    squared_radius: f64,
    norm_bound: f64,
    delta: f64,
    widths: Widths,
    #[serde(skip)]
    direction: Vec<f64>,
}

impl OptimistStream {
    fn radius(&self) -> f64 {
        self.squared_radius.max(0.0).sqrt()
    }

    fn set(&self) -> CutEllipsoid<'_> {
        let ellipsoid = self.precision.ellipsoid(&self.theta, self.radius());
        CutEllipsoid { ellipsoid, squared_radius: self.squared_radius, norm_bound: self.norm_bound }
    }
}

/// What is proved of its sets.
static THEOREM: Theorem = Theorem {
    assumptions: &[MEAN, ONCE, ORDER, NORM],
    order_free: false,
    citation: "the proximal step of Faury, Abeille, Jun and Calauzenes, AISTATS 2022, with the exact curvature over the set; \
               sequential likelihood mixing, Kirschner et al. 2025, Clerico et al. 2025",
};

impl Rule for OptimistStream {
    type Options = OptimistStreamOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let (d, norm_bound) = (problem.dimension, sane_norm_bound(problem, INFO.name)?);
        let ridge = options.ridge.unwrap_or_else(|| problem.default_ridge());
        Ok(Self {
            theta: vec![0.0; d],
            precision: Precision::new(d, ridge),
            squared_radius: ridge * norm_bound * norm_bound - 2.0 * problem.delta.ln(),
            norm_bound,
            delta: problem.delta,
            widths: Widths::default(),
            direction: vec![0.0; d],
        })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_vector("theta", &self.theta, dimension)?;
        check_number("squared_radius", self.squared_radius, true, "a number")?;
        let norm_bound = Some(self.norm_bound);
        sane_norm_bound(&Problem { dimension, delta: self.delta, norm_bound }, INFO.name)?;
        self.precision.check(dimension)?;
        self.widths.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        let radius = self.radius();
        let ellipsoid = self.precision.ellipsoid(&self.theta, radius);
        let best = self.widths.best(ellipsoid, arms);
        Ok(self.set().pick(best, arms.arm(best.arm)))
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        Ok(self.set().direction())
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.direction.resize(x.len(), 0.0);
        let square = self.precision.solve(x, &mut self.direction);
        let mean = dot(x, &self.theta);
        if square == 0.0 {
            // A zero arm says nothing: the forecast is certain and the step is nil.
            return;
        }
        let (low, high) = match self.set().bounds(x) {
            (low, high) if low <= high => (low, high),
            // The promise is broken; what is learnt from now on is sound given the ball alone.
            _ => (-self.norm_bound * norm(x), self.norm_bound * norm(x)),
        };
        let logit = posterior_logit(mean, square, reward, 1.0);
        let curvature = 2.0 * least_curvature(logit, low, high);
        let forecast = mixed_loss(mean, square.sqrt(), reward, 1.0);
        let step = (logit - mean) / square;
        self.squared_radius += 2.0 * (forecast - link::log_loss(logit, reward)) - step * step * square;
        add_scaled(&mut self.theta, step, &self.direction);
        self.widths.add(&mut self.precision, curvature, x, &self.direction, square);
    }

    fn estimate(&self) -> &[f64] {
        &self.theta
    }

    fn claim(&self) -> Claim {
        let (delta, norm_bound) = (Some(self.delta), Some(self.norm_bound));
        Guarantee { name: INFO.name, delta, norm_bound, theorem: &THEOREM }.into()
    }

    fn bounds(&self, x: &[f64], _answers: &mut Answers) -> Result<(f64, f64)> {
        Ok(self.set().bounds(x))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        Ok(self.set().contains(theta))
    }
}
