//! `epsilon-greedy`: the arm that looks best, and now and then any.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::Posterior;
use super::rule::{Direction, Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Result, check_number};
use crate::numerics::fill_normal;
use crate::problem::Problem;

policy_info! {
    /// Plays the arm with the largest x'theta_hat, theta_hat = argmin L(theta) + ridge/2 ||theta||^2, and with a small
    /// probability any arm, each with the same chance.
    ///
    /// ```text
    ///   eps_t = epsilon, or with `decay` = c: min(1, c K/t), K arms, t the round
    ///   P(arm k) = eps_t/K + (1 - eps_t) [k is the greedy arm]
    /// ```
    ///
    /// Guarantee: none for the choices. A constant epsilon loses a constant share of all rounds for ever; c K/t loses c K
    /// log t if c is large enough for the instance (for independent arms: Auer, Cesa-Bianchi, Fischer 2002, Theorem 3), and
    /// may settle on a bad arm if not. Intervals come from the mixture set. Arm probabilities are exact.
    ///
    /// On the ball and the sphere the random arm is a uniform direction, and `decay` counts d arms. The greedy direction is
    /// that of theta_hat.
    INFO {
        name: "epsilon-greedy",
        family: Family::Baseline,
        summary: "the arm that looks best, and now and then any",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "2 passes of n d^2 + K d",
        memory: "n d + d^2",
        arm_sets: ALL_ARMS,
        reference: "Auer, Cesa-Bianchi, Fischer 2002 (the schedule)",
        randomised: true,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "epsilon", help: "probability of a random arm, between 0 and 1; not used with decay" },
            OptionInfo { name: "decay", help: "c of eps_t = min(1, c K/t), positive; null: epsilon stays what it is" },
            OptionInfo { name: "ridge", help: "precision of the prior; null: d/S^2, or 1 without a norm bound" },
        ],
        maker: PolicyMaker::of::<EpsilonGreedy>(),
    }
}

/// Options of `epsilon-greedy`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EpsilonGreedyOptions {
    /// Probability of a random arm.
    pub epsilon: f64,
    /// c of eps_t = min(1, c K/t).
    pub decay: Option<f64>,
    /// Precision of the prior.
    pub ridge: Option<f64>,
}

impl Default for EpsilonGreedyOptions {
    fn default() -> Self {
        Self { epsilon: 0.05, decay: None, ridge: None }
    }
}

impl Options for EpsilonGreedyOptions {
    fn validate(&self) -> Result<()> {
        check_number("epsilon", self.epsilon, (0.0..=1.0).contains(&self.epsilon), "between 0 and 1")?;
        self.decay.map_or(Ok(()), |decay| check_number("decay", decay, decay > 0.0, "positive"))?;
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// The arm that looks best, and now and then any.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EpsilonGreedy {
    posterior: Posterior,
    options: EpsilonGreedyOptions,
}

impl EpsilonGreedy {
    /// eps_t with `arms` arms in round t.
    fn epsilon(&self, arms: usize, round: u64) -> f64 {
        let decayed = |c: f64| (c * arms as f64 / round.max(1) as f64).min(1.0);
        self.options.decay.map_or(self.options.epsilon, decayed)
    }

    fn explores(&self, arms: usize, round: u64, rng: &mut dyn Rng) -> bool {
        rng.random::<f64>() < self.epsilon(arms, round)
    }
}

impl Rule for EpsilonGreedy {
    type Options = EpsilonGreedyOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { posterior: Posterior::new(problem, options.ridge)?, options: options.clone() })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        self.posterior.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        if self.explores(arms.len(), round.number, round.rng) {
            return Ok(Pick::bare(round.rng.random_range(0..arms.len())));
        }
        Ok(Pick::bare(arms.best_for(self.posterior.theta())))
    }

    fn pick_direction(&mut self, _kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        let d = self.posterior.belief().dimension();
        if self.explores(d, round.number, round.rng) {
            // A normal vector has a uniform direction.
            let mut draw = vec![0.0; d];
            fill_normal(round.rng, &mut draw);
            return Ok(Direction::along(&draw));
        }
        Ok(Direction::along(self.posterior.theta()))
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

    fn belief(&self) -> Option<&Belief> {
        Some(self.posterior.belief())
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        Some(self.posterior.belief_mut())
    }

    fn probabilities(&self, arms: &FiniteArms, round: u64, out: &mut [f64]) -> Result<bool> {
        let epsilon = self.epsilon(arms.len(), round);
        out.fill(epsilon / arms.len() as f64);
        out[arms.best_for(self.posterior.current_theta())] += 1.0 - epsilon;
        Ok(true)
    }
}
