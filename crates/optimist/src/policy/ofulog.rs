//! `ofulog`: the algorithm of Abeille, Faury and Calauzenes over its own set, which is not convex.

use serde::{Deserialize, Serialize};

use super::info::{FINITE_ARMS, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::upper_bound;
use super::rule::{Options, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result, check_number};
use crate::plan::Answers;
use crate::plan::{BranchPlanner, BranchStatus};
use crate::problem::Problem;
use crate::set::{Corrected, DecrementSet, Guarantee, Paper, Radius};

policy_info! {
    /// Plays the arm that is best for the most favourable parameter of the set that Bernstein's inequality for the score
    /// gives directly, without the relaxation of ofulog-r. The set is smaller than the relaxed one but not convex.
    /// It is Algorithm 1 (OFULog) of the paper, over its C_t (Section 3.1, Proposition 1).
    ///
    /// ```text
    ///   L_t = L + lambda_t/2 ||theta||^2,   lambda_t = d (1 + log t),   H_t its Hessian
    ///   C_t = { theta : ||grad L_t(theta)||_{H_t(theta)^{-1}} <= gamma_t, ||theta|| <= S }
    ///   x_t = argmax over x of max over C_t of x'theta
    ///   gamma_t = sqrt(lambda_t)(S + 1/2) + (2/sqrt(lambda_t)) log(1/delta)
    ///             + (d/sqrt(lambda_t)) log(4 (lambda_t/d)(1 + n/(4 d lambda_t)))
    /// ```
    ///
    /// gamma = "printed" has lambda_t = d log t and (d/sqrt(lambda_t)) log((4/delta)(1 + t/(16 d lambda_t))) for the last
    /// two terms, as in the paper; it claims nothing, being below the radius of the paper's own theorem for d <= 3.
    ///
    /// Guarantee: theta* is in C_t at all times with probability 1 - delta, for arms in the unit ball, rewards in [0, 1]
    /// with mean mu(x'theta*) and ||theta*|| <= S, by Theorem 4 of the paper with its mixing density made independent of t.
    /// Upper bounds hold in any dimension; they are maxima over C_t only where the search is complete.
    ///
    /// The paper gives no way to plan. Here a convex relaxation bounds every arm that can still win, a local climb finds a
    /// point of the set, and in up to four dimensions branch and bound closes the gap to 1e-4 of the value or ends after 20
    /// 000 boxes for an arm. In more dimensions the arm is the best among local maxima, and its bound may be that of the
    /// relaxation. A round takes microseconds while the set holds the far end of the ball along the longest arm; where
    /// boxes are needed it takes about a tenth of a millisecond in two dimensions, some milliseconds in four, and more with
    /// thousands of distinct arms.
    INFO {
        name: "ofulog",
        family: Family::Optimism,
        summary: "optimism over the set of small Newton decrements, planned by branch and bound",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta; none with gamma as printed",
        guaranteed: true,
        planning: Planning::NonConvexSet,
        cost: "2 fits + a solve for each arm that may win + up to 20 000 boxes (2 passes of n d^2 each)",
        memory: "n d + boxes",
        arm_sets: FINITE_ARMS,
        reference: "Abeille, Faury, Calauzenes 2021 (AISTATS)",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[OptionInfo { name: "gamma", help: "\"corrected\", or \"printed\" as in the paper (no guarantee)" }],
        maker: PolicyMaker::of::<Ofulog>(),
    }
}

/// Boxes for an arm, after which the bound is taken as it stands: a round must end in reasonable time.
const NODE_LIMIT: usize = 20_000;

/// Which gamma the set has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gamma {
    /// What the paper's theorem supports.
    #[default]
    Corrected,
    /// As printed.
    Printed,
}

/// Options of `ofulog`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OfulogOptions {
    /// Which gamma the set has.
    pub gamma: Gamma,
}

impl Options for OfulogOptions {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// Optimism over a set that is not convex.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ofulog {
    /// The observations, with the estimate of the set's ridge.
    belief: Belief,
    problem: Problem,
    gamma: Gamma,
    /// Boxes bounded by all picks so far.
    solves: u64,
    #[serde(skip)]
    planner: Option<Box<BranchPlanner>>,
}

impl Ofulog {
    /// The planner, started from the estimate so that nothing depends on what it planned before, and the set.
    fn plan(&mut self) -> Result<(&mut BranchPlanner, DecrementSet<'_>)> {
        let d = self.belief.dimension();
        let planner = self.planner.get_or_insert_with(|| Box::new(BranchPlanner::new(d).with_node_limit(NODE_LIMIT)));
        planner.start_from(self.belief.estimate())?;
        let set = decrement_set(&self.belief, &self.problem, self.gamma)?;
        Ok((planner, set))
    }
}

/// An upper bound on x'theta over a set, minus infinity if that is empty.
fn upper(planner: &mut BranchPlanner, set: &DecrementSet<'_>, x: &[f64]) -> Result<f64> {
    let plan = planner.maximise(set, x)?;
    Ok(if plan.status == BranchStatus::Empty { f64::NEG_INFINITY } else { plan.upper_bound })
}

/// The set of the observations.
fn decrement_set<'a>(belief: &'a Belief, problem: &Problem, gamma: Gamma) -> Result<DecrementSet<'a>> {
    let norm_bound = problem.require_norm_bound(INFO.name)?;
    match gamma {
        Gamma::Corrected => DecrementSet::corrected(belief.history(), problem.delta, norm_bound),
        Gamma::Printed => DecrementSet::printed(belief.history(), problem.delta, norm_bound),
    }
}

impl Rule for Ofulog {
    type Options = OfulogOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let radius = match options.gamma {
            Gamma::Corrected => Radius::from(Corrected::new(problem)?),
            Gamma::Printed => Radius::from(Paper::new(problem)?),
        };
        let belief = Belief::with_radius(radius)?;
        Ok(Self { belief, problem: *problem, gamma: options.gamma, solves: 0, planner: None })
    }

    fn check(&self, expected: usize) -> Result<()> {
        self.problem.validate()?;
        let norm_bound = self.problem.require_norm_bound(INFO.name)?;
        let same = self.belief.guarantee().norm_bound == Some(norm_bound);
        check_number("problem.norm_bound", norm_bound, same, "that of the belief")?;
        for (field, got) in [("belief", self.belief.dimension()), ("problem", self.problem.dimension)] {
            if got != expected {
                return Err(Error::Dimension { field: field.into(), expected, got });
            }
        }
        Ok(())
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        let (planner, set) = self.plan()?;
        let choice = planner.choose(&set, arms)?;
        self.solves = self.solves.saturating_add(choice.plan.nodes as u64);
        Ok(Pick {
            arm: choice.arm,
            bounds: upper_bound(choice.plan.upper_bound, choice.plan.status == BranchStatus::Empty),
        })
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.belief.record(x, reward, 1);
    }

    fn refresh(&mut self) {
        self.belief.refresh();
    }

    fn estimate(&self) -> &[f64] {
        self.belief.current_estimate()
    }

    fn claim(&self) -> Claim {
        let name = match self.gamma {
            Gamma::Corrected => "decrement",
            Gamma::Printed => "decrement-printed",
        };
        Guarantee { name, ..self.belief.guarantee() }.into()
    }

    fn bounds(&self, x: &[f64], _answers: &mut Answers) -> Result<(f64, f64)> {
        let set = decrement_set(&self.belief, &self.problem, self.gamma)?;
        let mut planner = BranchPlanner::new(x.len()).with_node_limit(NODE_LIMIT);
        let opposite: Vec<f64> = x.iter().map(|v| -v).collect();
        let mut bound = |x: &[f64]| {
            planner.start_from(self.belief.current_estimate())?;
            upper(&mut planner, &set, x)
        };
        Ok((-bound(&opposite)?, bound(x)?))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        Ok(decrement_set(&self.belief, &self.problem, self.gamma)?.contains(theta))
    }

    fn solves(&self) -> Option<u64> {
        Some(self.solves)
    }

    fn feature_bound(&self) -> f64 {
        self.belief.feature_bound()
    }
}
