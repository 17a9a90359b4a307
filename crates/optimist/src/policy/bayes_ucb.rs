//! `bayes-ucb`: a posterior quantile as index, with sparse optimistic plays against lock-in.

use serde::{Deserialize, Serialize};

use super::info::{ArmKind, EVERY_KIND, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{Gaussian, HALF_LIFE, Laplace, OWN, POSTERIOR, PosteriorOptions, RIDGE, SetPlanner};
use super::rule::{Direction, Options, Pick, Round, Rule, undefined};
use super::schedule::is_milestone;
use super::sets_per_arm::SetsPerArm;
use crate::arms::{ArmSet, FiniteArms};
use crate::belief::Belief;
use crate::error::{Result, check_number};
use crate::link;
use crate::numerics::{Elementary, dot, farthest_point, square_form};
use crate::posterior::Row;
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
    /// four rounds of substitution. Neither is done where the list changes from round to round, which it cannot help.
    ///
    /// The posterior is exact while no more distinct arms were observed than the longest list offered holds, or 32 if that is more;
    /// beyond, for sparse and hybrid arms and with a half_life, it is a filter that looks at every reward once, at the same cost
    /// for ever (docs/contextual.md; option posterior). Of arms that share nothing it fits the first 64 rewards each.
    /// With option delayed, plays whose reward is out count in H as if it were known (Desautels, Krause, Burdick 2014).
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
        cost: "2 passes of n d^2 + K d^2 while n <= K, then 2 d^2 + K d^2",
        memory: "n d + K d; in one pass d^2 for each prior scale",
        arm_sets: EVERY_KIND,
        reference: "Kaufmann, Cappe, Garivier 2012; Lai 1987",
        randomised: false,
        order: RewardOrder::MattersInOnePass,
        constant_cost: true,
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
            DELAYED,
            RIDGE,
            POSTERIOR,
            OWN,
            HALF_LIFE,
        ],
        maker: PolicyMaker::of::<BayesUcb>(),
    }
}

pub(super) const DELAYED: OptionInfo = OptionInfo {
    name: "delayed",
    help: "for rewards that come late or in batches: for how many rounds at most a play counts as if its reward were known; \
           null: not at all",
};

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
            Quantile::Leverage => (3.0 + 2.0 * (share * link::variance(mean) * square).logarithm_1p()).sqrt(),
            Quantile::Fixed(z) => z,
        }
    }
}

/// Options of `bayes-ucb`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct BayesUcbOptions {
    /// z, how many posterior standard deviations above the mean.
    pub quantile: Quantile,
    /// Optimistic plays come whenever the logarithm of t to this base grows by one; none: never.
    pub optimism: Option<f64>,
    /// For how many rounds a play whose reward is out counts as if that were known.
    pub delayed: Option<u64>,
    /// How the posterior is kept.
    #[serde(flatten)]
    pub posterior: PosteriorOptions,
}

impl Default for BayesUcbOptions {
    fn default() -> Self {
        Self {
            quantile: Quantile::Leverage,
            optimism: Some(1.2),
            delayed: None,
            posterior: PosteriorOptions::default(),
        }
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
        if let Some(rounds) = self.delayed {
            check_number("delayed", rounds as f64, rounds > 0, "at least 1, or null")?;
        }
        self.posterior.validate()
    }

    fn uncertified(&self, dimension: usize) -> Option<&'static str> {
        self.posterior.uncertified(dimension)
    }
}

/// A posterior quantile as index.
#[derive(Debug, Serialize, Deserialize)]
#[serde(from = "Raw")]
pub struct BayesUcb {
    posterior: Laplace,
    options: BayesUcbOptions,
    planner: SetPlanner,
    /// Fingerprint of the list last offered.
    list: Option<u64>,
}

/// The serialised form: certificates of the planner are about the restored data.
#[derive(Deserialize)]
struct Raw {
    posterior: Laplace,
    options: BayesUcbOptions,
    planner: SetPlanner,
    list: Option<u64>,
}

impl From<Raw> for BayesUcb {
    fn from(raw: Raw) -> Self {
        let Raw { posterior, options, mut planner, list } = raw;
        if let Some(belief) = posterior.belief() {
            planner.adopt(belief);
        }
        Self { posterior, options, planner, list }
    }
}

/// A copy of the data is another history, about which the copied certificates hold as well.
impl Clone for BayesUcb {
    fn clone(&self) -> Self {
        let Self { posterior, options, planner, list } = self;
        Raw { posterior: posterior.clone(), options: options.clone(), planner: planner.clone(), list: *list }.into()
    }
}

impl BayesUcb {
    /// The set over which this round's arm is chosen by optimism, if it is: where arms stay, and the data are few.
    fn optimistic_set(&mut self, round: u64, arms_stay: bool) -> Option<(&mut SetPlanner, &mut Belief)> {
        let due = self.options.optimism.is_some_and(|base| is_milestone(round, base));
        if !(due && arms_stay && self.posterior.is_exact()) {
            return None;
        }
        self.posterior.belief_mut().map(|belief| (&mut self.planner, belief))
    }
}

impl Rule for BayesUcb {
    type Options = BayesUcbOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;
    const ELIMINATE: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let posterior = Laplace::new(problem, &options.posterior)?;
        Ok(Self { posterior, options: options.clone(), planner: SetPlanner::new(problem.dimension)?, list: None })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        self.planner.check(dimension)?;
        self.posterior.check(dimension)
    }

    fn grow(&mut self, options: &mut Self::Options, dimension: usize, own: usize) -> Result<()> {
        self.posterior.grow(dimension, own)?;
        self.planner.grow(dimension)?;
        self.list = None;
        self.options.posterior = self.posterior.options().clone();
        *options = self.options.clone();
        Ok(())
    }

    learn_by_posterior!();

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        let stays = self.list.replace(arms.fingerprint()) == Some(arms.fingerprint());
        self.posterior.offer(arms.len());
        self.posterior.refresh();
        if let Some((planner, belief)) = self.optimistic_set(round.number, stays) {
            return planner.pick(belief, arms);
        }
        let (quantile, share) = (self.options.quantile, self.posterior.share());
        Ok(Pick::bare(self.posterior.best_index(arms, |mean, square| quantile.at(share, mean, square))))
    }

    fn pick_row(&mut self, arms: &ArmSet<'_>, _round: Round<'_>) -> Result<Pick> {
        let (quantile, share) = (self.options.quantile, self.posterior.share());
        Ok(Pick::bare(self.posterior.best_row(arms, |mean, square| quantile.at(share, mean, square))?))
    }

    fn pick_direction(&mut self, kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        self.posterior.refresh();
        if let Some((planner, belief)) = self.optimistic_set(round.number, true) {
            return planner.pick_direction(belief);
        }
        let (quantile, share) = (self.options.quantile, self.posterior.share());
        let Some(Gaussian { theta, inverse, matrix }) = self.posterior.gaussian() else {
            return Err(undefined(&INFO, kind));
        };
        let mut direction = Direction::along(theta);
        // Direction and quantile depend on each other; the quantile moves with a logarithm only.
        for _ in 0..4 {
            let x = &direction.features;
            let z = quantile.at(share, dot(x, theta), square_form(inverse, x).max(0.0));
            direction = Direction::along(&farthest_point(theta, &matrix, z));
        }
        Ok(direction)
    }

    fn lends(&self) -> Option<u64> {
        self.options.delayed
    }

    fn lend(&mut self, row: &Row<'_>) -> f64 {
        self.posterior.lend(row)
    }

    fn take_back(&mut self, row: &Row<'_>, weight: f64, left: usize) {
        self.posterior.take_back(row, weight, left);
    }

    fn solves(&self) -> Option<u64> {
        self.options.optimism.map(|_| self.planner.solves())
    }
}
