//! Sequential mixing: the level is what a running Bayesian forecaster has lost.
//!
//! **Idea.** Before each reward let P_s be any distribution over the logit of the arm that was played, made from the past
//! alone. The product of E_{z ~ P_s}[exp(-l(z, r_s))] / exp(-l(x_s'theta*, r_s)) is a non-negative martingale of mean
//! one, so with probability 1 - delta it never exceeds 1/delta (Ville).
//!
//! **Level.**
//!
//! ```text
//! c_t = log(1/delta) + sum_s m_s,   m_s = -log E_{z ~ P_s}[exp(-l(z, r_s))]
//! ```
//!
//! and the set is { L_t(theta) <= c_t }, in the ball if a norm bound is known.
//!
//! **The forecaster.** P_s is the Laplace approximation N(x_s'theta_s, x_s'H_s^{-1}x_s) of the
//! [`filter`](super::filter), through a Gauss-Hermite rule of 24 points. The rule itself, with its weights summing to
//! one, is the distribution that is mixed over: there is no quadrature error that could break the guarantee.
//!
//! Long runs of one arm are forecast in blocks that grow with the run: within a block P_s stays the same and the
//! likelihood of the block as a whole is mixed, which is again the likelihood of a mixture chosen beforehand. So counts of
//! any size are fast, and nothing is lost in validity.
//!
//! **Guarantee.** The true parameter is in the set at all times with probability 1 - delta, for arms of any norm. Rewards
//! between 0 and 1 are covered because exp(r u) is convex in r, so that its mean is largest for rewards of 0 and 1.
//!
//! **Order matters.** Unlike that of [`Mixture`](super::Mixture) the level depends on the order of the observations. They
//! must come as they were made, and a count stands for equal outcomes one after another. Sorted by outcome, as a table
//! of successes and failures is, the forecaster would profit from an order that it did not forecast, and the guarantee
//! is lost by orders of magnitude: use [`Mixture`](super::Mixture) for such data.

use serde::{Deserialize, Serialize, Serializer};

use super::filter::{self, ASSUMPTIONS, Run};
use super::guarantee::{Guarantee, Theorem};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::{Error, Result, check_number};
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::numerics::{Elementary, mixed_loss};
use crate::posterior::{DenseFilter, Prediction};
use crate::problem::Problem;

/// The sequential-mixing radius.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "State")]
pub struct SequentialMixing {
    state: State,
}

/// All that the radius remembers, and its serialised form.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    options: Problem,
    filter: DenseFilter,
    /// Sum of m_s.
    lost: f64,
    /// The run of one arm that is going on.
    run: Run,
}

impl SequentialMixing {
    /// The radius for the given options; a norm bound is not needed.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(options: &Problem) -> Result<Self> {
        options.validate()?;
        let filter = filter::start(options);
        Ok(Self { state: State { options: *options, filter, lost: 0.0, run: Run::default() } })
    }
}

impl TryFrom<State> for SequentialMixing {
    type Error = Error;

    fn try_from(state: State) -> Result<Self> {
        state.options.validate()?;
        state.filter.check(state.options.dimension)?;
        state.run.check(state.options.dimension)?;
        check_number("lost", state.lost, true, "a number")?;
        Ok(Self { state })
    }
}

impl Serialize for SequentialMixing {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.state.serialize(serializer)
    }
}

impl State {
    /// The mixed loss of the open block, given what was predicted when it was opened.
    fn open_loss(&self, prior: Prediction) -> f64 {
        let block = self.run.open_block();
        block.map_or(0.0, |b| mixed_loss(prior.mean, prior.variance.sqrt(), b.mean_reward, b.count))
    }

    /// Lets the filter learn the open block.
    fn close_block(&mut self) {
        if let Some(block) = self.run.open_block() {
            let prior = self.filter.prepare(self.run.arm());
            self.filter.learn(self.run.arm(), block.mean_reward, block.count, prior);
            self.run.close();
        }
    }
}

/// What is proved of it.
static THEOREM: Theorem = Theorem {
    assumptions: ASSUMPTIONS,
    order_free: false,
    citation: "Kirschner, Krause, Meziu and Mutny, Confidence estimation via sequential likelihood mixing, 2025; Clerico, Flynn, \
               Kotlowski and Neu, Confidence sequences for generalized linear models via regret analysis, 2025",
};

impl RegisteredStrategy for SequentialMixing {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "sequential-mixing",
        summary: "losses of a running Bayesian forecaster; tight, but needs the data in order, norm bound optional",
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

impl Strategy for SequentialMixing {
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
        if !self.state.run.continues(x) {
            self.state.close_block();
            self.state.run.restart(x);
        }
        let mut left = count;
        while left > 0 {
            let prior = self.state.filter.prepare(x);
            let before = self.state.open_loss(prior);
            left -= self.state.run.take(reward, left);
            self.state.lost += self.state.open_loss(prior) - before;
            if self.state.run.is_full() {
                self.state.close_block();
            }
        }
    }

    fn level(&mut self, _history: &History, _estimate: &mut Estimator) -> f64 {
        self.state.lost - self.state.options.delta.logarithm()
    }
}
