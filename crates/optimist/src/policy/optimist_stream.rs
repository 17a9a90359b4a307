//! `optimist-stream`: optimism in constant memory.

mod stream;

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::memory::Memory;
use super::model::check_dimension;
use super::norm_bound::sane_norm_bound;
use super::optimist::Optimist;
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::consolidation::Beneath;
use crate::error::{Error, Result, check_number};
use crate::plan::Answers;
use crate::problem::Problem;
use crate::set::guarantee::{MEAN, NORM, ONCE, ORDER};
use crate::set::{Guarantee, Theorem};
use stream::Stream;

/// A norm bound up to which the stream starts from the ball.
const FAR: f64 = 8.0;

/// Features beyond which the first stage would take too long, if there is a norm bound that does without it.
const MANY: usize = 50;

/// The share of the curvature that must be certain for the stream to go on from the mixture set.
const ENOUGH: f64 = 0.5;

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
    /// by is what was lost while it did, and no bound on that is proved. It is small for moderate S and not for large: started
    /// from the ball (d = 2, twenty arms, ||theta*|| = S - 1/2, under its own play), after 1,000, 10,000 and 100,000 rounds it
    /// was 11, 15 and 16 for S = 8; 112, 244 and 287 for S = 16; 574, 3,505 and 21,975 for S = 32, where the set stops shrinking.
    ///
    /// **So it starts from the ball only up to S = 8** (or with more than 50 features, where anything else would take too long at
    /// first). With a larger norm bound, or none, it starts as the policy `optimist`, with
    /// the observations and their mixture set { L <= c }, and goes on in one pass from there once half of the curvature is
    /// certain: at a choice or a question, with A = sum_s k_s x_s x_s', the k_s over the log-odds that this set allows each
    /// observation, if trace(H^{-1}A) >= d/2. It then goes on with
    /// ```text
    ///   W = A,   theta = c0 - A^{-1}g,   b^2 = 2 (c - L(c0)) + ||g||^2_{A^{-1}}       (c0 the set's centre, g the gradient there)
    /// ```
    /// and nothing of delta is spent, because the wealth goes on: with the prior pi of the mixture, int exp(L(theta*) - L) dpi
    /// times the product of all later exp(l(x'theta*) - m) is a supermartingale, so that with probability 1 - delta at all times
    /// L(theta*) + sum (l(x'theta*) - m) <= log(1/delta) - log int exp(-L) dpi <= c. On this event theta* is in the mixture set,
    /// L(theta*) >= L(c0) + g'y + ||y||_A^2/2 for y = theta* - c0, and the induction begins with what that says about
    /// ||theta* - theta||_W.
    ///
    /// Rounding: what the sums in W may be too large by is kept, allowed for in b, and taken off W when it has grown; a
    /// term that would bring more of it than a thousandth of the least eigenvalue is left out. Arms a million times as
    /// long as others, in one direction, so make bounds across it wider, not wrong.
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
        cost: "d^2 + K d (fixed arms); S > 8 or none: at first that of optimist",
        memory: "d^2 + K",
        arm_sets: ALL_ARMS,
        reference: "Faury, Abeille, Jun, Calauzenes 2022 (the step); Kirschner et al. 2025, Clerico et al. 2025 (the forecast)",
        randomised: false,
        order: RewardOrder::Matters,
        constant_cost: true,
        uses_history: false,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo {
                name: "start",
                help: "\"ball\": from the ball of the norm bound; \"mixture\": as optimist, with all observations, until one pass \
                       loses little; \"auto\": from the ball if S is at most 8, or given and d > 50",
            },
            OptionInfo { name: "ridge", help: "lambda, the precision of the start where that is the ball (S at most 8); null: d/S^2" },
        ],
        maker: PolicyMaker::of::<OptimistStream>(),
    }
}

/// Options of `optimist-stream`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptimistStreamOptions {
    /// Where it starts from.
    pub start: StartFrom,
    /// lambda, the precision of the start.
    pub ridge: Option<f64>,
}

/// Where `optimist-stream` starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartFrom {
    /// From the ball if that is small or there are many features, otherwise from the mixture set.
    #[default]
    Auto,
    /// From the ball of the norm bound.
    Ball,
    /// From the mixture set of all observations, once that is small.
    Mixture,
}

impl StartFrom {
    fn is_ball(self, problem: &Problem) -> bool {
        match self {
            StartFrom::Auto => problem.norm_bound.is_some_and(|bound| bound <= FAR || problem.dimension > MANY),
            StartFrom::Ball => true,
            StartFrom::Mixture => false,
        }
    }
}

impl Options for OptimistStreamOptions {
    fn validate(&self) -> Result<()> {
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// Optimism in constant memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OptimistStream {
    problem: Problem,
    stage: Stage,
    /// Problems solved in the first stage; none if there was no such stage.
    solves: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    Start(Box<Start>),
    Stream(Box<Stream>),
}

/// Optimism over the mixture set, until that is small enough.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Start {
    rule: Optimist,
    /// After so many observations it is tried whether it is.
    next: f64,
}

impl Start {
    fn new(problem: &Problem) -> Result<Self> {
        let mut rule = Optimist::new(problem, &Default::default())?;
        if let Some(belief) = rule.belief_mut() {
            belief.limit_memory(Memory::Auto.rows(problem.dimension))?;
        }
        Ok(Self { rule, next: 0.0 })
    }

    /// The stream that goes on from here, if it is time.
    fn hand_over(&mut self, problem: &Problem) -> Option<Stream> {
        let belief = self.rule.belief_mut()?;
        let observations = belief.history().observations();
        if observations < self.next {
            return None;
        }
        let found = Beneath::of(&belief.set()).filter(|found| found.share >= ENOUGH);
        // The trial costs some passes over the data: so seldom that they add little to a round.
        self.next = 1.2 * observations + problem.dimension as f64;
        found.map(|found| Stream::resume(problem, found))
    }
}

impl OptimistStream {
    /// Goes on in one pass, if it is time. Only at a look: what is known in the middle of a batch must not become permanent.
    fn move_on(&mut self) {
        if let Stage::Start(start) = &mut self.stage
            && let Some(stream) = start.hand_over(&self.problem)
        {
            self.solves = start.rule.solves();
            self.stage = Stage::Stream(Box::new(stream));
        }
    }
}

/// What is proved of its sets.
static THEOREM: Theorem = Theorem { assumptions: &[MEAN, ONCE, ORDER, NORM], order_free: false, citation: CITATION };

/// The same without a norm bound.
static THEOREM_WITHOUT_NORM: Theorem =
    Theorem { assumptions: &[MEAN, ONCE, ORDER], order_free: false, citation: CITATION };

const CITATION: &str = "the proximal step of Faury, Abeille, Jun and Calauzenes, AISTATS 2022, with the exact curvature over the \
                        set; sequential likelihood mixing, Kirschner et al. 2025, Clerico et al. 2025";

impl Rule for OptimistStream {
    type Options = OptimistStreamOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        problem.validate()?;
        let refused = |field: &str, what: &str| Err(Error::Option { field: field.into(), what: what.into() });
        let stage = if options.start.is_ball(problem) {
            if problem.norm_bound.is_none() {
                return refused("start", "is \"ball\": that needs a norm bound; \"mixture\" and \"auto\" do without");
            }
            sane_norm_bound(problem, INFO.name)?;
            Stage::Stream(Box::new(Stream::new(problem, options.ridge)))
        } else if options.ridge.is_some() {
            return refused("ridge", "is for a start from the ball: leave it out, or add start = \"ball\"");
        } else {
            Stage::Start(Box::new(Start::new(problem)?))
        };
        Ok(Self { problem: *problem, stage, solves: None })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.problem.validate()?;
        check_dimension("problem", self.problem.dimension, dimension)?;
        match &self.stage {
            Stage::Start(start) => {
                check_number("next", start.next, start.next >= 0.0, "zero or positive")?;
                start.rule.check(dimension)
            }
            Stage::Stream(stream) => stream.check(&self.problem),
        }
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        self.move_on();
        match &mut self.stage {
            Stage::Start(start) => start.rule.pick(arms, round),
            Stage::Stream(stream) => Ok(stream.pick(arms)),
        }
    }

    fn pick_direction(&mut self, kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        self.move_on();
        match &mut self.stage {
            Stage::Start(start) => start.rule.pick_direction(kind, round),
            Stage::Stream(stream) => Ok(stream.set().direction()),
        }
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        match &mut self.stage {
            Stage::Start(start) => start.rule.learn(x, reward),
            Stage::Stream(stream) => stream.learn(x, reward),
        }
    }

    fn refresh(&mut self) {
        self.move_on();
        if let Stage::Start(start) = &mut self.stage {
            start.rule.refresh();
        }
    }

    fn estimate(&self) -> &[f64] {
        match &self.stage {
            Stage::Start(start) => start.rule.estimate(),
            Stage::Stream(stream) => stream.theta(),
        }
    }

    fn claim(&self) -> Claim {
        let Problem { delta, norm_bound, .. } = self.problem;
        let theorem = if norm_bound.is_some() { &THEOREM } else { &THEOREM_WITHOUT_NORM };
        Guarantee { name: INFO.name, delta: Some(delta), norm_bound, theorem }.into()
    }

    fn bounds(&self, x: &[f64], answers: &mut Answers) -> Result<(f64, f64)> {
        match &self.stage {
            Stage::Start(start) => start.rule.bounds(x, answers),
            Stage::Stream(stream) => Ok(stream.set().bounds(x)),
        }
    }

    fn solves(&self) -> Option<u64> {
        match &self.stage {
            Stage::Start(start) => start.rule.solves(),
            Stage::Stream(_) => self.solves,
        }
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        match &self.stage {
            Stage::Start(start) => start.rule.contains(theta),
            Stage::Stream(stream) => Ok(stream.set().contains(theta)),
        }
    }
}
