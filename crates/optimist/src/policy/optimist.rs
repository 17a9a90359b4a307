//! `optimist`: the default policy.

use super::info::{ALL_ARMS, Family, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::level_set_rule::{LevelSetRule, SetPolicy};
use super::rule::NoOptions;
use crate::error::Result;
use crate::problem::Problem;
use crate::set::Radius;

policy_info! {
    /// Plays the arm that is best for the most favourable parameter of one of the tightest confidence sets known, the level
    /// set of the log-loss whose level is a Gaussian mixture of likelihood ratios. An arm is played because it may be best,
    /// and playing it either pays or shows that it is not.
    ///
    /// ```text
    ///   E_t = { theta : L(theta) <= c_t, ||theta|| <= S },   x_t = argmax over x of max over E_t of x'theta
    ///   c_t = L(theta_hat) + lambda/2 ||theta_hat||^2 + log(1/delta) + 1/2 logdet(I + W/lambda)
    /// ```
    ///
    /// with theta_hat the ridge estimate in the ball, lambda = d/S^2, and W the curvature of the parabola that touches the
    /// loss at theta_hat from above. Without a norm bound S, six priors are mixed and there is no ball.
    ///
    /// Guarantee: theta* is in E_t at all times with probability 1 - delta, for rewards in [0, 1] with mean mu(x'theta*),
    /// whatever the arms and whenever rewards come. The chosen arm's upper bound comes with each choice; both bounds of any
    /// arm on request.
    ///
    /// Planning is exact: certificates of earlier rounds stay valid, so that a round takes about one convex solve, proved
    /// by weak duality to 1e-9. On the ball and the sphere the maximum is certified in up to four dimensions, local beyond.
    ///
    /// Of ever-new arms 200 per feature are kept (option memory); older ones are merged into quadratics, which stand for them in
    /// the set and in its level, at the same delta. A round costs the same then, however many there were, and the set is
    /// wider by less than a tenth.
    ///
    /// It is the algorithm OFULog-r of Abeille, Faury and Calauzenes with another set: see ofulog-r for theirs.
    INFO {
        name: "optimist",
        family: Family::Optimism,
        summary: "optimism over the mixture set, planned exactly: the default",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta",
        guaranteed: true,
        planning: Planning::LevelSet,
        cost: "about 1 solve (5 passes of n d^2) + K, n at most 200 d",
        memory: "n d + K d, n at most 200 d",
        arm_sets: ALL_ARMS,
        reference: "Abeille, Faury, Calauzenes 2021 (planning); method of mixtures, Robbins 1970; Jaakkola, Jordan 2000",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: true,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[],
        maker: PolicyMaker::of::<Optimist>(),
    }
}

/// Optimism over the mixture set.
pub type Optimist = LevelSetRule<MixtureSet>;

/// The set of `optimist`.
#[derive(Debug, Clone)]
pub struct MixtureSet;

impl SetPolicy for MixtureSet {
    type Options = NoOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const IS_MIXTURE: bool = true;

    fn radius(problem: &Problem, _options: &Self::Options) -> Result<Radius> {
        Radius::by_name("mixture", problem)
    }
}
