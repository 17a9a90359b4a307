//! `ofuglb`: the level set of Lee, Yun and Jun from a uniform mixture on the ball.

use super::constants::{Constants, ConstantsOptions};
use super::info::{ALL_ARMS, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::level_set_rule::{LevelSetRule, SetPolicy};
use crate::error::Result;
use crate::problem::Problem;
use crate::set::{Ofuglb as Uniform, Radius};

policy_info! {
    /// Plays the arm that is best for the most favourable parameter of a level set of the log-loss. The level is a mixture
    /// of likelihood ratios that is uniform on the ball, bounded from below on a small ball near the estimate.
    ///
    /// ```text
    ///   theta_hat = argmin of L over ||theta|| <= S
    ///   E_t = { theta : L(theta) <= L(theta_hat) + B_t, ||theta|| <= S },   x_t = argmax over x of max over E_t of x'theta
    ///   B_t = log(1/delta) + min over 0 < c <= 1 of (d log(1/c) + A c),   A = S sum_s ||x_s||
    /// ```
    ///
    /// constants = "published" has A = 2 S Lip with the paper's Lipschitz constant Lip = (1 + S/2) n, for arms in the unit
    /// ball. Ours uses that the loss of one observation varies by exactly S||x|| over the ball, and that it is convex; once
    /// A >= d the level is lower by d log(2 + S) or more.
    ///
    /// Guarantee: theta* is in E_t at all times with probability 1 - delta, for rewards in [0, 1] with mean mu(x'theta*),
    /// ||theta*|| <= S and arms of any norm (in the unit ball with the published constants, whose level is larger there),
    /// by Theorem 3.1 of the paper.
    ///
    /// Planning is that of `optimist`: exact, about one solve per round.
    INFO {
        name: "ofuglb",
        family: Family::Optimism,
        summary: "optimism over a level set from a uniform mixture on the ball",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta",
        guaranteed: true,
        planning: Planning::LevelSet,
        cost: "about 1 solve (5 passes of n d^2) + K",
        memory: "n d + K d",
        arm_sets: ALL_ARMS,
        reference: "Lee, Yun, Jun 2024 (NeurIPS)",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: true,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[OptionInfo {
            name: "constants",
            help: "\"ours\": range of the loss; \"published\": Lipschitz constant",
        }],
        maker: PolicyMaker::of::<Ofuglb>(),
    }
}

/// Optimism over the set of a uniform mixture.
pub type Ofuglb = LevelSetRule<UniformSet>;

/// The set of `ofuglb`.
#[derive(Debug, Clone)]
pub struct UniformSet;

impl SetPolicy for UniformSet {
    type Options = ConstantsOptions;
    const INFO: &'static PolicyInfo = &INFO;

    fn radius(problem: &Problem, options: &Self::Options) -> Result<Radius> {
        Ok(Radius::from(match options.constants {
            Constants::Ours => Uniform::new(problem)?,
            Constants::Published => Uniform::published(problem)?,
        }))
    }
}
