//! `bayes-ucb`: a posterior quantile as index, with sparse optimistic plays against lock-in.

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{Posterior, SetPlanner};
use super::rule::{Direction, Options, Pick, Round, Rule};
use super::schedule::is_milestone;
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Result, check_number};
use crate::link;
use crate::numerics::{dot, farthest_point, square_form};
use crate::problem::Problem;

policy_info! {
    /// Plays the arm whose log-odds have the largest upper quantile under the Laplace posterior.
    ///
    /// ```text
    ///   theta_hat = argmin L(theta) + ridge/2 ||theta||^2,   H = Hessian there,   ridge = d/S^2
    ///   x_t = argmax x'theta_hat + z_t(x) ||x||_{H^{-1}}
    ///   z_t(x)^2 = 3 + 2 log(1 + (t/d) v(x)),   v(x) = mu'(x'theta_hat) ||x||^2_{H^{-1}},   t = rewards seen + 1
    /// ```
    ///
    /// v(x) is the leverage of one more play of x: it takes about 1/v(x) plays of x to learn as much as is known of it. The
    /// leverages of the t observations made add up to d at most, so that (t/d) v(x) compares what x would teach with what
    /// the average play has taught. An arm that is well known for its time gets just under two standard deviations; one
    /// that was given up early gets ever more, as sqrt(2 log t), until it is tried again. This is Lai's boundary for
    /// independent arms, sqrt(2 log(t/n)), with the leverage in place of 1/n, and three added under the root.
    ///
    /// The factor two decides about the tail. The better arm of two is given up after bad luck that happens with probability
    /// exp(-z^2/2), about (d/(t v))^(a/2) for z^2 = 3 + a log(1 + (t/d) v), and stays given up until z has grown beyond that
    /// luck. With a = 1 that is 1/sqrt(t): the expected cost of such runs grows like sqrt(T), however rare they are. With
    /// a = 2 it is 1/t, and their cost grows like log T, as the cost of exploring does. A smaller factor, or a fixed quantile
    /// (option quantile = 2), has a smaller mean regret in short runs, and pays for it in the worst of many long ones.
    ///
    /// Against what the Laplace approximation does not see, the arm is chosen by optimism over the mixture set, as the
    /// policy `optimist` does, in the rounds t in which floor(log_1.2 t) grows, 5.5 log t of them in all: as long as the
    /// set holds theta*, an arm that could be best is never given up for good. And arms of a fixed list that the mixture
    /// set proves worse than another are dropped. On the ball and the sphere z is that of the direction chosen, found in
    /// four rounds of substitution.
    ///
    /// Guarantee: none for the choices. Intervals come from the mixture set, which holds whatever rule chooses the arms;
    /// what is dropped is right, with probability 1 - delta.
    ///
    /// Bayes-UCB is due to Kaufmann, Cappe and Garivier (2012) for independent arms, with the quantile 1 - 1/t; the
    /// boundary is due to Lai (1987). The leverage, the schedule and the elimination are additions of this library.
    INFO {
        name: "bayes-ucb",
        family: Family::Index,
        summary: "posterior quantile as index, sparse optimistic plays, certified elimination: the practitioner's choice",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::Milestones,
        cost: "2 passes of n d^2 + K d^2",
        memory: "n d + K d",
        arm_sets: ALL_ARMS,
        reference: "Kaufmann, Cappe, Garivier 2012; Lai 1987",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo {
                name: "quantile",
                help: "\"leverage\": z^2 = 3 + 2 log(1 + (t/d) v(x)); or a number z, the same for all arms",
            },
            OptionInfo {
                name: "optimism",
                help: "the arm is chosen by optimism whenever floor(log t), to this base, grows; null: never",
            },
            OptionInfo { name: "ridge", help: "precision of the prior; null: d/S^2, or 1 without a norm bound" },
        ],
        maker: PolicyMaker::of::<BayesUcb>(),
    }
}

/// How many posterior standard deviations above the mean an index lies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantile {
    /// The more, the less is known of an arm for the time that has passed.
    Leverage,
    /// Always the same.
    #[serde(untagged)]
    Fixed(f64),
}

impl Quantile {
    /// z for an arm with mean log-odds `mean` of variance `square`; `share` is t/d.
    fn at(self, share: f64, mean: f64, square: f64) -> f64 {
        match self {
            Quantile::Leverage => (3.0 + 2.0 * (share * link::variance(mean) * square).ln_1p()).sqrt(),
            Quantile::Fixed(z) => z,
        }
    }
}

/// Options of `bayes-ucb`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BayesUcbOptions {
    /// z, how many posterior standard deviations above the mean.
    pub quantile: Quantile,
    /// Optimistic plays come whenever the logarithm of t to this base grows by one; none: never.
    pub optimism: Option<f64>,
    /// Precision of the prior.
    pub ridge: Option<f64>,
}

impl Default for BayesUcbOptions {
    fn default() -> Self {
        Self { quantile: Quantile::Leverage, optimism: Some(1.2), ridge: None }
    }
}

impl Options for BayesUcbOptions {
    fn validate(&self) -> Result<()> {
        if let Quantile::Fixed(z) = self.quantile {
            check_number("quantile", z, z >= 0.0, "\"leverage\", zero or positive")?;
        }
        if let Some(base) = self.optimism {
            check_number("optimism", base, base > 1.0, "greater than 1, or null")?;
        }
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// A posterior quantile as index.
#[derive(Debug, Serialize, Deserialize)]
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

/// A copy of the data is another history, about which the copied certificates hold as well.
impl Clone for BayesUcb {
    fn clone(&self) -> Self {
        let Self { posterior, options, planner } = self;
        Raw { posterior: posterior.clone(), options: options.clone(), planner: planner.clone() }.into()
    }
}

impl BayesUcb {
    /// t/d, t the number of observations, this round's included.
    fn share(&self) -> f64 {
        let history = self.posterior.belief().history();
        (history.observations() + 1.0) / history.dimension() as f64
    }

    fn is_optimistic(&self, round: u64) -> bool {
        self.options.optimism.is_some_and(|base| is_milestone(round, base))
    }
}

impl Rule for BayesUcb {
    type Options = BayesUcbOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;
    const ELIMINATE: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let posterior = Posterior::new(problem, options.ridge)?;
        Ok(Self { posterior, options: options.clone(), planner: SetPlanner::new(problem.dimension)? })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        self.planner.check(dimension)?;
        self.posterior.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        if self.is_optimistic(round.number) {
            return self.planner.pick(self.posterior.belief_mut(), arms);
        }
        let (quantile, share) = (self.options.quantile, self.share());
        Ok(Pick::bare(self.posterior.best_index(arms, |mean, square| quantile.at(share, mean, square))))
    }

    fn pick_direction(&mut self, _kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        if self.is_optimistic(round.number) {
            return self.planner.pick_direction(self.posterior.belief_mut());
        }
        let (quantile, share) = (self.options.quantile, self.share());
        let (theta, inverse) = self.posterior.moments();
        let (theta, inverse) = (theta.to_vec(), inverse.to_vec());
        let matrix = self.posterior.precision();
        let mut direction = Direction::along(&theta);
        // Direction and quantile depend on each other; the quantile moves with a logarithm only.
        for _ in 0..4 {
            let x = &direction.features;
            let z = quantile.at(share, dot(x, &theta), square_form(&inverse, x).max(0.0));
            direction = Direction::along(&farthest_point(&theta, &matrix, z));
        }
        Ok(direction)
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.posterior.learn(x, reward);
    }

    fn refresh(&mut self) {
        self.posterior.refresh();
    }

    fn estimate(&self) -> &[f64] {
        self.posterior.current_theta()
    }

    fn solves(&self) -> Option<u64> {
        self.options.optimism.map(|_| self.planner.solves())
    }

    fn belief(&self) -> Option<&Belief> {
        Some(self.posterior.belief())
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        Some(self.posterior.belief_mut())
    }
}
