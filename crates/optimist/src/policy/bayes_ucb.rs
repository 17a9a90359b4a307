//! `bayes-ucb`: a posterior quantile as index, with sparse optimistic plays against lock-in.

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, Maker, OptionInfo, PolicyInfo};
use super::parts::{Posterior, SetPlanner, farthest, is_milestone};
use super::rule::{Direction, Options, Pick, Rule, Turn};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Result, check_number};
use crate::set::SetOptions;

pub(super) const INFO: PolicyInfo = PolicyInfo {
    name: "bayes-ucb",
    family: Family::Index,
    summary: "posterior quantile as index, sparse optimistic plays, certified elimination: the practitioner's choice",
    doc: "\
Plays the arm whose log-odds have the largest upper quantile under the Laplace posterior.

  theta_hat = argmin L(theta) + ridge/2 ||theta||^2,   H = Hessian there,   ridge = d/S^2
  x_t = argmax x'theta_hat + z ||x||_{H^{-1}},         z = 2

A fixed quantile can lock in: the better arm looks bad after a few failures and is never tried again. So in the rounds t in
which floor(log_1.2 t) grows, 5.5 log t of them in all, the arm is chosen by optimism over the mixture set, as the policy
`optimist` does. If the set holds theta*, an arm that could be best is never given up for good. And arms of a fixed list that
the mixture set proves worse than another are dropped.

Guarantee: none for the choices. Intervals come from the mixture set, which holds whatever rule chooses the arms; what is
dropped is right, with probability 1 - delta.

Bayes-UCB is due to Kaufmann, Cappe and Garivier (2012) for independent arms, with a quantile that grows with t. The schedule
and the elimination are additions of this library.",
    guarantee: "none for the choices; intervals from the mixture set",
    guaranteed: false,
    cost: "2 passes of n d^2 + K d^2",
    memory: "n d + K d",
    arm_sets: ALL_ARMS,
    reference: "Kaufmann, Cappe, Garivier 2012",
    randomised: false,
    uses_history: true,
    needs_norm_bound: false,
    required: &[],
    options: &[
        OptionInfo { name: "quantile", help: "z, how many posterior standard deviations above the mean; zero or positive" },
        OptionInfo { name: "optimism", help: "whether the arm is chosen by optimism whenever floor(log_1.2 t) grows" },
        OptionInfo { name: "ridge", help: "precision of the prior; null: d/S^2, or 1 without a norm bound" },
    ],
    maker: Maker::of::<BayesUcb>(),
};

/// Options of `bayes-ucb`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BayesUcbOptions {
    /// z, how many posterior standard deviations above the mean.
    pub quantile: f64,
    /// Whether there are sparse optimistic plays.
    pub optimism: bool,
    /// Precision of the prior.
    pub ridge: Option<f64>,
}

impl Default for BayesUcbOptions {
    fn default() -> Self {
        Self { quantile: 2.0, optimism: true, ridge: None }
    }
}

impl Options for BayesUcbOptions {
    fn validate(&self) -> Result<()> {
        check_number("quantile", self.quantile, self.quantile >= 0.0, "zero or positive")?;
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// A posterior quantile as index.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Raw")]
pub struct BayesUcb {
    posterior: Posterior,
    options: BayesUcbOptions,
    planner: SetPlanner,
}

/// The serialised form: certificates of the planner are about the restored data.
#[derive(Deserialize)]
struct Raw {
    posterior: Posterior,
    options: BayesUcbOptions,
    planner: SetPlanner,
}

impl From<Raw> for BayesUcb {
    fn from(raw: Raw) -> Self {
        let Raw { posterior, options, mut planner } = raw;
        planner.adopt(posterior.belief());
        Self { posterior, options, planner }
    }
}

impl BayesUcb {
    fn is_optimistic(&self, round: u64) -> bool {
        self.options.optimism && is_milestone(round)
    }
}

impl Rule for BayesUcb {
    type Options = BayesUcbOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const ELIMINATE: bool = true;

    fn new(problem: &SetOptions, options: &Self::Options) -> Result<Self> {
        let posterior = Posterior::new(problem, options.ridge)?;
        Ok(Self { posterior, options: options.clone(), planner: SetPlanner::new(problem.dimension)? })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        self.planner.check(dimension)?;
        self.posterior.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, turn: Turn<'_>) -> Result<Pick> {
        if self.is_optimistic(turn.round) {
            return self.planner.pick(self.posterior.belief_mut(), arms);
        }
        Ok(Pick::bare(self.posterior.best_index(arms, self.options.quantile)))
    }

    fn pick_direction(&mut self, _kind: ArmKind, turn: Turn<'_>) -> Result<Direction> {
        if self.is_optimistic(turn.round) {
            return self.planner.pick_direction(self.posterior.belief_mut());
        }
        let (theta, matrix) = self.posterior.precision();
        Ok(Direction::along(&farthest(theta, &matrix, self.options.quantile)))
    }

    fn learn(&mut self, x: &[f64], reward: f64) -> Result<()> {
        self.posterior.learn(x, reward)
    }

    fn estimate(&mut self) -> &[f64] {
        self.posterior.theta()
    }

    fn belief(&mut self) -> Option<&mut Belief> {
        Some(self.posterior.belief_mut())
    }
}
