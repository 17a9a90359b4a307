//! Likelihood ratios against a running estimate.
//!
//! **Idea.** Before each reward let theta_s be an estimate and 0 < w_s <= 1 a weight, both made from the past alone (and
//! the arm played). The product of (exp(-l(x_s'theta_s, r_s)) / exp(-l(x_s'theta*, r_s)))^{w_s} is a non-negative
//! supermartingale that starts at one, by Jensen's inequality, so with probability 1 - delta it never exceeds 1/delta
//! (Ville).
//!
//! **Level.** With the weighted loss L^w(theta) = sum_s w_s l(x_s'theta, r_s),
//!
//! ```text
//! c_t = log(1/delta) + sum_s w_s l(x_s'theta_s, r_s)
//! ```
//!
//! and the set is { L^w_t(theta) <= c_t }, in the ball if a norm bound is known.
//!
//! **Estimate and weights.** theta_s is that of the [`filter`](super::filter), pulled back into the ball if it has left
//! it. With a norm bound S the weights discount observations of which the past says little,
//!
//! ```text
//! w_s = 1/(1 + b_s^2/4),   b_s^2 = 2 S^2 x_s'V_s^{-1}x_s,   V_s = I + (1/kappa) sum_{u<s} x_u x_u',
//! kappa = 2 + e^S + e^-S
//! ```
//!
//! (1/4 bounds the curvature of the loss, 1/kappa bounds it from below for arms in the unit ball). Without a norm bound,
//! and if they are asked to be ([`LikelihoodRatio::plain`]), all weights are one: the plain sequential likelihood ratio.
//!
//! Long runs of one arm are treated in blocks that grow with the run; within a block theta_s and w_s stay the same, which
//! they may, being made from the past. So counts of any size are fast.
//!
//! **Guarantee.** The true parameter is in the set at all times with probability 1 - delta, for arms of any norm. Rewards
//! between 0 and 1 are covered because exp(r u) is convex in r. A fit that has seen r_s before its loss at r_s is counted
//! would break the guarantee; the filter predicts first and learns afterwards.
//!
//! **Order matters.** The observations must come as they were made, and a count stands for equal outcomes one after
//! another. Data sorted by outcome void the guarantee: use [`Mixture`](super::Mixture) for those.

use serde::{Deserialize, Serialize, Serializer};

use super::filter::{self, ASSUMPTIONS, Run};
use super::guarantee::{Guarantee, Theorem};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::{Error, Result, check_number};
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::link;
use crate::numerics::{Elementary, Precision, norm};
use crate::posterior::DenseFilter;
use crate::problem::Problem;

/// The radius of Emmenegger, Mutny and Krause 2023.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "State")]
pub struct LikelihoodRatio {
    state: State,
}

/// All that the radius remembers, and its serialised form.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    options: Problem,
    filter: DenseFilter,
    /// Sum of w_s l(x_s'theta_s, r_s).
    lost: f64,
    /// The run of one arm that is going on.
    run: Run,
    /// Present if observations are weighed, for which a norm bound must be known.
    discount: Option<Box<Discount>>,
}

/// The weights of the observations.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Discount {
    norm_bound: f64,
    /// V_s.
    design: Precision,
    /// The observations with their weights.
    history: History,
    /// V_s^{-1}x for the arm at hand.
    #[serde(skip)]
    direction: Vec<f64>,
}

impl Discount {
    fn new(options: &Problem, norm_bound: f64) -> Result<Self> {
        let d = options.dimension;
        let design = Precision::new(d, 1.0);
        Ok(Self { norm_bound, design, history: History::new(d)?, direction: vec![0.0; d] })
    }

    /// The weight of an observation of `x`, from what was learnt so far.
    fn weight(&mut self, x: &[f64]) -> f64 {
        self.direction.resize(x.len(), 0.0);
        let square = self.design.solve(x, &mut self.direction);
        1.0 / (1.0 + 0.5 * self.norm_bound * self.norm_bound * square)
    }

    /// V += (count/kappa) x x'.
    fn learn(&mut self, x: &[f64], count: f64) {
        self.direction.resize(x.len(), 0.0);
        let square = self.design.solve(x, &mut self.direction);
        let kappa = 2.0 + self.norm_bound.exponential() + (-self.norm_bound).exponential();
        self.design.add(count / kappa, x, &self.direction, square);
    }
}

impl State {
    /// Counts `count` observations of `x`, all within the open block.
    fn lose(&mut self, x: &[f64], reward: f64, count: f64) {
        let prior = self.filter.prepare(x);
        let shrink = self.options.norm_bound.map_or(1.0, |bound| (bound / norm(self.filter.theta())).min(1.0));
        let mut weight = 1.0;
        if let Some(discount) = &mut self.discount {
            weight = discount.weight(x);
            discount.history.record(x, reward, weight * count);
        }
        self.lost += weight * count * link::log_loss(shrink * prior.mean, reward);
    }

    /// Learns the open block.
    fn close_block(&mut self) {
        if let Some(block) = self.run.open_block() {
            let prior = self.filter.prepare(self.run.arm());
            self.filter.learn(self.run.arm(), block.mean_reward, block.count, prior);
            if let Some(discount) = &mut self.discount {
                discount.learn(self.run.arm(), block.count);
            }
            self.run.close();
        }
    }
}

impl LikelihoodRatio {
    /// The radius for the given options; a norm bound is not needed.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(options: &Problem) -> Result<Self> {
        options.validate()?;
        let filter = filter::start(options);
        let discount = options.norm_bound.map(|bound| Discount::new(options, bound).map(Box::new)).transpose()?;
        Ok(Self { state: State { options: *options, filter, lost: 0.0, run: Run::default(), discount } })
    }

    /// The radius with all weights one.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn plain(options: &Problem) -> Result<Self> {
        let mut radius = Self::new(options)?;
        radius.state.discount = None;
        Ok(radius)
    }
}

impl TryFrom<State> for LikelihoodRatio {
    type Error = Error;

    fn try_from(state: State) -> Result<Self> {
        let expected = state.options.dimension;
        state.options.validate()?;
        state.filter.check(expected)?;
        state.run.check(expected)?;
        check_number("lost", state.lost, state.lost >= 0.0, "zero or positive")?;
        if let Some(discount) = &state.discount {
            let matches = state.options.norm_bound == Some(discount.norm_bound);
            check_number("norm_bound", discount.norm_bound, matches, "the same in options and discount")?;
            discount.design.check(expected)?;
            let got = discount.history.dimension();
            if got != expected {
                return Err(Error::Dimension { field: "history".into(), expected, got });
            }
        }
        Ok(Self { state })
    }
}

impl Serialize for LikelihoodRatio {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.state.serialize(serializer)
    }
}

/// What is proved of it.
static THEOREM: Theorem = Theorem {
    assumptions: ASSUMPTIONS,
    order_free: false,
    citation: "Emmenegger, Mutny and Krause, Likelihood ratio confidence sets for sequential decision making, NeurIPS 2023",
};

impl RegisteredStrategy for LikelihoodRatio {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "likelihood-ratio",
        summary: "ratios against a running estimate (Emmenegger, Mutny, Krause 2023); data in order, norm bound optional",
        guaranteed: true,
        needs_norm_bound: false,
        unit_arms: false,
        needs_order: true,
        theorem: &THEOREM,
        maker: RadiusMaker::of::<Self>(),
    };

    fn build(problem: &Problem) -> Result<Self> {
        Self::new(problem)
    }
}

impl Strategy for LikelihoodRatio {
    fn dimension(&self) -> usize {
        self.state.options.dimension
    }

    fn guarantee(&self) -> Guarantee {
        let Problem { delta, norm_bound, .. } = self.state.options;
        Guarantee { name: Self::INFO.name, delta: Some(delta), norm_bound, theorem: &THEOREM }
    }

    fn penalty(&self, _observations: f64) -> Penalty {
        self.state.options.norm_bound.map_or(Penalty::ridge(1.0), Penalty::ball)
    }

    fn ridge(&self, _observations: f64) -> f64 {
        0.0
    }

    fn observe(&mut self, x: &[f64], reward: f64, count: u64) {
        let state = &mut self.state;
        if !state.run.continues(x) {
            state.close_block();
            state.run.restart(x);
        }
        let mut left = count;
        while left > 0 {
            let taken = state.run.take(reward, left);
            state.lose(x, reward, taken as f64);
            left -= taken;
            if state.run.is_full() {
                state.close_block();
            }
        }
    }

    fn level(&mut self, _history: &History, _estimate: &mut Estimator) -> f64 {
        self.state.lost - self.state.options.delta.logarithm()
    }

    fn weighted_history(&self) -> Option<&History> {
        self.state.discount.as_ref().map(|discount| &discount.history)
    }
}
