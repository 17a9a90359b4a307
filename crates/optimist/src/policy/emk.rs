//! `emk`: likelihood ratios against a running estimate, after Emmenegger, Mutny and Krause.

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::level_set_rule::{LevelSetRule, SetPolicy};
use super::rule::Options;
use crate::error::Result;
use crate::problem::Problem;
use crate::set::{LikelihoodRatio, Radius};

policy_info! {
    /// Plays the arm that is best for the most favourable parameter of a level set of the log-loss. The level is what a
    /// running estimate has lost, forecasting every reward before it saw it.
    ///
    /// ```text
    ///   L^w(theta) = sum_s w_s l(x_s'theta, r_s)
    ///   E_t = { theta : L^w(theta) <= log(1/delta) + sum_s w_s l(x_s'theta_s, r_s), ||theta|| <= S }
    ///   x_t = argmax over x of max over E_t of x'theta
    /// ```
    ///
    /// theta_s is a Laplace filter's estimate from the rewards before r_s, pulled back into the ball. With a norm bound S
    /// the weights are "discounted" where the past says little about the arm,
    ///
    /// ```text
    ///   w_s = 1/(1 + S^2 x_s'V_s^{-1}x_s / 2),   V_s = I + (1/kappa) sum_{u<s} x_u x_u',   kappa = 2 + e^S + e^-S
    /// ```
    ///
    /// or all one with weights = "plain" and without a norm bound.
    ///
    /// Guarantee: theta* is in E_t at all times with probability 1 - delta, for arms of any norm, rewards in [0, 1] with
    /// mean mu(x'theta*), and ||theta*|| <= S if S is declared: weight and estimate are made from the past, so that the
    /// ratio is a supermartingale (Jensen, Ville). The past of a reward are those that arrived before it: rewards may be
    /// late or out of order as long as the delay does not depend on the outcome. Rewards sorted by outcome void the
    /// guarantee.
    ///
    /// The authors' program refits before it counts the loss, which voids the guarantee; here a reward is forecast first.
    /// Their estimate is a full fit, ours a recursion of cost d^2; runs of one arm are forecast in blocks that grow with
    /// the run. Planning is that of `optimist`: exact, about one solve per round.
    INFO {
        name: "emk",
        family: Family::Optimism,
        summary: "optimism over the set of likelihood ratios against a running estimate",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta, if delays do not depend on outcomes",
        guaranteed: true,
        planning: Planning::LevelSet,
        cost: "about 1 solve (5 passes of n d^2) + K",
        memory: "2 n d + K d",
        arm_sets: ALL_ARMS,
        reference: "Emmenegger, Mutny, Krause 2023 (NeurIPS)",
        randomised: false,
        order: RewardOrder::Matters,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[OptionInfo {
            name: "weights",
            help: "\"discounted\" (needs a norm bound, else plain) or \"plain\": all one",
        }],
        maker: PolicyMaker::of::<Emk>(),
    }
}

/// How observations are weighed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Less where the past says little about the arm, if a norm bound is known.
    #[default]
    Discounted,
    /// All alike.
    Plain,
}

/// Options of `emk`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmkOptions {
    /// How observations are weighed.
    pub weights: Weights,
}

impl Options for EmkOptions {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// Optimism over the set of likelihood ratios.
pub type Emk = LevelSetRule<RatioSet>;

/// The set of `emk`.
#[derive(Debug, Clone)]
pub struct RatioSet;

impl SetPolicy for RatioSet {
    type Options = EmkOptions;
    const INFO: &'static PolicyInfo = &INFO;

    fn radius(problem: &Problem, options: &Self::Options) -> Result<Radius> {
        Ok(Radius::from(match options.weights {
            Weights::Discounted => LikelihoodRatio::new(problem)?,
            Weights::Plain => LikelihoodRatio::plain(problem)?,
        }))
    }
}
