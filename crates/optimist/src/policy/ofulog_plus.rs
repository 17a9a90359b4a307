//! `ofulog-plus`: the level set of Lee, Yun and Jun from the regret of an online learner.

use super::constants::{Constants, ConstantsOptions};
use super::info::{ALL_ARMS, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::level_set_rule::{LevelSetRule, SetPolicy};
use crate::error::Result;
use crate::problem::Problem;
use crate::set::{OfulogPlus as Conversion, Radius};

policy_info! {
    /// Plays the arm that is best for the most favourable parameter of a level set of the log-loss. The level is what an
    /// online learner, which need not be run, would have lost more than the best parameter of the ball.
    ///
    /// ```text
    ///   theta_hat = argmin of L over ||theta|| <= S
    ///   E_t = { theta : L(theta) <= L(theta_hat) + B_t, ||theta|| <= S },   x_t = argmax over x of max over E_t of x'theta
    ///   B_t = 10 d log(S n/(2d) + e) + 2 (e - 2 + S) log(1/delta)
    /// ```
    ///
    /// constants = "published" has S n/(4d), as in the paper's text; the default is the larger value of its authors'
    /// program.
    ///
    /// Guarantee: theta* is in E_t at all times with probability 1 - delta, for arms in the unit ball, rewards in [0, 1]
    /// with mean mu(x'theta*) and ||theta*|| <= S, with either constant: B_t is never below the level of ofuglb, whose
    /// proof is simpler, because with a = S n/d, 10 log(a/4 + e) >= 10 for a <= 1 and 10 log(a/4 + e) >= 1 + log a + 9.8
    /// for all a > 0.
    ///
    /// Planning is that of `optimist`: exact, about one solve per round. ofuglb and optimist have smaller sets.
    INFO {
        name: "ofulog-plus",
        family: Family::Optimism,
        summary: "optimism over a level set whose level is the regret of an online learner",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta",
        guaranteed: true,
        planning: Planning::LevelSet,
        cost: "about 1 solve (5 passes of n d^2) + K",
        memory: "n d + K d",
        arm_sets: ALL_ARMS,
        reference: "Lee, Yun, Jun 2024 (AISTATS)",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[OptionInfo { name: "constants", help: "\"ours\": S n/(2d) in the level; \"published\": S n/(4d)" }],
        maker: PolicyMaker::of::<OfulogPlus>(),
    }
}

/// Optimism over the set of a regret bound.
pub type OfulogPlus = LevelSetRule<RegretSet>;

/// The set of `ofulog-plus`.
#[derive(Debug, Clone)]
pub struct RegretSet;

impl SetPolicy for RegretSet {
    type Options = ConstantsOptions;
    const INFO: &'static PolicyInfo = &INFO;

    fn radius(problem: &Problem, options: &Self::Options) -> Result<Radius> {
        Ok(Radius::from(match options.constants {
            Constants::Ours => Conversion::new(problem)?,
            Constants::Published => Conversion::printed(problem)?,
        }))
    }
}
