//! `ofulog-r`: the relaxed algorithm of Abeille, Faury and Calauzenes.

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::level_set_rule::{LevelSetRule, SetPolicy};
use super::rule::Options;
use crate::error::Result;
use crate::problem::Problem;
use crate::set::{Corrected, Paper, Radius, Tight};

policy_info! {
    /// Plays the arm that is best for the most favourable parameter of a level set of the penalised loss. The level is the
    /// least that is known to contain every parameter at which the score is as small as Bernstein's inequality makes it at
    /// the truth. It is Algorithm 2 (OFULog-r) of the paper, over its E_t (Section 6, Lemma 1).
    ///
    /// ```text
    ///   L_t = L + lambda_t/2 ||theta||^2,   lambda_t = d (1 + log t),   theta_hat = argmin L_t
    ///   E_t = { theta : L_t(theta) <= L_t(theta_hat) + B_t, ||theta|| <= S },   x_t = argmax over x of max over E_t of x'theta
    /// ```
    ///
    /// ```text
    ///   radius "tight":      B_t = min((2 + S + ||theta_hat||) gamma_t^2 / 4, beta_t^2), gamma_t with the realised determinant
    ///          "corrected":  B_t = beta_t^2 with beta_t = gamma_t + gamma_t^2/sqrt(lambda_t) and
    ///                        gamma_t = sqrt(lambda_t)(S + 1/2) + (2/sqrt(lambda_t)) log(1/delta)
    ///                                  + (d/sqrt(lambda_t)) log(4 (lambda_t/d)(1 + n/(4 d lambda_t)))
    ///          "paper":      as printed: lambda_t = d log t, (d/sqrt(lambda_t)) log((4/delta)(1 + t/(16 d lambda_t)))
    /// ```
    ///
    /// Guarantee: theta* is in E_t at all times with probability 1 - delta, for arms in the unit ball, rewards in [0, 1]
    /// with mean mu(x'theta*) and ||theta*|| <= S, by Theorem 4 of the paper with its mixing density made independent of t.
    /// Not for radius = "paper", which claims nothing: the printed closed form is below the theorem's own radius for d <=
    /// 3.
    ///
    /// The paper solves its relaxation for every arm; here the same maximum is found with about one solve per round, proved
    /// to 1e-9. "tight" replaces the paper's relaxation by Taylor's formula at theta, which divides the level by about
    /// twenty: with "paper" and "corrected" the set is the whole ball for thousands of rounds, in which the longest arm is
    /// played.
    INFO {
        name: "ofulog-r",
        family: Family::Optimism,
        summary: "optimism over a level set of the ridge loss, from a Bernstein bound of the score",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta; none as printed",
        guaranteed: true,
        planning: Planning::LevelSet,
        cost: "about 1 solve (5 passes of n d^2) + K",
        memory: "n d + K d",
        arm_sets: ALL_ARMS,
        reference: "Abeille, Faury, Calauzenes 2021 (AISTATS)",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[OptionInfo {
            name: "radius",
            help: "\"tight\", \"corrected\", or \"paper\" (as printed: no guarantee)",
        }],
        maker: PolicyMaker::of::<OfulogR>(),
    }
}

/// The radii of the paper's set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BernsteinRadius {
    /// Without simplifications.
    #[default]
    Tight,
    /// The paper's form with constants that its proof supports.
    Corrected,
    /// As printed.
    Paper,
}

/// Options of `ofulog-r`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OfulogROptions {
    /// Which radius the set has.
    pub radius: BernsteinRadius,
}

impl Options for OfulogROptions {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// Optimism over the relaxation of the paper's set.
pub type OfulogR = LevelSetRule<RelaxedSet>;

/// The set of `ofulog-r`.
#[derive(Debug, Clone)]
pub struct RelaxedSet;

impl SetPolicy for RelaxedSet {
    type Options = OfulogROptions;
    const INFO: &'static PolicyInfo = &INFO;

    fn radius(problem: &Problem, options: &Self::Options) -> Result<Radius> {
        Ok(match options.radius {
            BernsteinRadius::Tight => Radius::from(Tight::new(problem)?),
            BernsteinRadius::Corrected => Radius::from(Corrected::new(problem)?),
            BernsteinRadius::Paper => Radius::from(Paper::new(problem)?),
        })
    }
}
