//! `evill`: the arm that is best for the minimiser of a randomly tilted loss.

use serde::{Deserialize, Serialize};

use super::constants::Constants;
use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{Posterior, WarmUp};
use super::rule::{Direction, Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result, check_number};
use crate::fit::{Estimator, GRADIENT_TOLERANCE, Penalty, Tilt};
use crate::numerics::{Elementary, fill_normal};
use crate::problem::Problem;

policy_info! {
    /// Adds a random linear term to the loss, minimises it again and plays the arm that is best for the minimiser. To first
    /// order that is a draw from the Laplace posterior; where the loss is far from quadratic the draw follows its shape.
    ///
    /// ```text
    ///   theta_hat = argmin L(theta) + ridge/2 ||theta||^2,   H = Hessian there, ridge included
    ///   W ~ N(0, scale^2 H),   theta_tilde = argmin L(theta) + ridge/2 ||theta||^2 + W'theta,   x_t = argmax x'theta_tilde
    /// ```
    ///
    /// W is drawn as scale L xi with H = LL' and xi standard normal: the same law as one normal number for each
    /// observation, weighted by the root of its variance, and one for each coordinate of the ridge. This is what training
    /// on rewards with normal noise of that size would give.
    ///
    /// Guarantee: none for the choices. The regret bound of the paper is for its own constants, which are here with
    /// constants = "published" (it then needs a norm bound S and a horizon T), with p = delta/3:
    ///
    /// ```text
    ///   l = log max(1/p, e sqrt(1 + T/(4d))),  ridge = max(1, 2 d l/S),  scale = sqrt(ridge)(1/2 + S) + 2 d l/sqrt(ridge)
    ///   as long as some arm has ||x||^2_{V^{-1}} > b, V = ridge I + sum x x', the arm with the largest is played,
    ///   1/b = 22 (1 + D C^2) C^2 scale sqrt(kappa),  C = sqrt(d) + sqrt(2 log(1/q)),  q = min(p/T, 1/200),
    ///   D = Xi + Xi^2,  Xi = sqrt(2)(2 S + 1/2),  kappa = 2 + e^S + e^{-S}
    /// ```
    ///
    /// That warm-up does not end: 1/b, about the number of rounds it takes, is 10^9 for d = 2, S = 4 and T = 10^4. The
    /// default is what the authors' experiments use, scale = 1 and ridge = 1, but without a fixed number of random rounds
    /// at the start: the ridge's part of W explores where there are no data. Intervals come from the mixture set. Arm
    /// probabilities are found by simulation.
    INFO {
        name: "evill",
        family: Family::Sampling,
        summary: "best arm for the minimiser of a randomly tilted loss",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "5 passes of n d^2 + K d",
        memory: "n d + d^2",
        arm_sets: ALL_ARMS,
        reference: "Janz, Liu, Ayoub, Szepesvari 2024",
        randomised: true,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "scale", help: "size of the tilt, positive; null: 1, or the paper's" },
            OptionInfo { name: "ridge", help: "weight of ||theta||^2/2, positive; null: 1, or the paper's" },
            OptionInfo { name: "constants", help: "\"ours\", or \"published\": the paper's, with its warm-up" },
            OptionInfo { name: "horizon", help: "number of rounds, needed by published constants; null otherwise" },
        ],
        maker: PolicyMaker::of::<Evill>(),
    }
}

/// Options of `evill`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvillOptions {
    /// Size of the tilt.
    pub scale: Option<f64>,
    /// Weight of ||theta||^2/2.
    pub ridge: Option<f64>,
    /// Ours, or those of the paper.
    pub constants: Constants,
    /// Number of rounds.
    pub horizon: Option<u64>,
}

impl Options for EvillOptions {
    fn validate(&self) -> Result<()> {
        self.scale.map_or(Ok(()), |scale| check_number("scale", scale, scale > 0.0, "positive"))?;
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))?;
        self.horizon.map_or(Ok(()), |horizon| check_number("horizon", horizon as f64, horizon > 0, "at least 1"))
    }
}

/// The constants of the paper.
struct Published {
    ridge: f64,
    scale: f64,
    warm_up: f64,
}

impl Published {
    fn new(problem: &Problem, options: &EvillOptions) -> Result<Self> {
        let missing = |field| Error::Missing { field, needed_by: "evill with published constants" };
        let s = problem.norm_bound.ok_or(missing("norm_bound"))?;
        let horizon = options.horizon.ok_or(missing("horizon"))? as f64;
        let (d, p) = (problem.dimension as f64, problem.delta / 3.0);
        let l = (-p.logarithm()).max(1.0 + 0.5 * (1.0 + horizon / (4.0 * d)).logarithm());
        let ridge = options.ridge.unwrap_or((2.0 * d * l / s).max(1.0));
        let scale = options.scale.unwrap_or(ridge.sqrt() * (0.5 + s) + 2.0 * d * l / ridge.sqrt());
        let c = d.sqrt() + (-2.0 * (p / horizon).min(1.0 / 200.0).logarithm()).sqrt();
        let xi = std::f64::consts::SQRT_2 * (2.0 * s + 0.5);
        let kappa = 2.0 + s.exponential() + (-s).exponential();
        let warm_up = 1.0 / (22.0 * (1.0 + (xi + xi * xi) * c * c) * c * c * scale * kappa.sqrt());
        Ok(Self { ridge, scale, warm_up })
    }
}

/// The arm that is best for the minimiser of a randomly tilted loss.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Evill {
    posterior: Posterior,
    scale: f64,
    warm_up: Option<WarmUp>,
    #[serde(skip)]
    tilt: Vec<f64>,
    /// The second estimator. Every fit starts from theta_hat, so that nothing of the last one matters.
    #[serde(skip)]
    tilted: Option<Estimator>,
}

impl Evill {
    /// theta_tilde.
    fn sample(&mut self, round: Round<'_>) -> &[f64] {
        let d = self.posterior.belief().dimension();
        self.tilt.resize(d, 0.0);
        fill_normal(round.rng, &mut self.tilt);
        let (theta, cholesky) = self.posterior.gaussian();
        cholesky.multiply_lower(&mut self.tilt);
        let tilted = self.tilted.get_or_insert_with(|| Estimator::new(d));
        tilted.restart(theta);
        // A tilt of the solver is a term -scale direction'theta: the sign of a normal vector does not matter.
        let tilt = Tilt { direction: &self.tilt, scale: self.scale };
        let penalty = Penalty::ridge(self.posterior.ridge());
        tilted.minimise(self.posterior.belief().history(), penalty, Some(tilt), GRADIENT_TOLERANCE);
        tilted.theta()
    }
}

impl Rule for Evill {
    type Options = EvillOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CONSOLIDATES: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let (ridge, scale, warm_up) = match options.constants {
            Constants::Ours => (options.ridge.unwrap_or(1.0), options.scale.unwrap_or(1.0), None),
            Constants::Published => {
                let Published { ridge, scale, warm_up } = Published::new(problem, options)?;
                (ridge, scale, Some(WarmUp::new(problem.dimension, ridge, warm_up)))
            }
        };
        let posterior = Posterior::new(problem, Some(ridge))?;
        Ok(Self { posterior, scale, warm_up, tilt: Vec::new(), tilted: None })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        check_number("scale", self.scale, self.scale > 0.0, "positive")?;
        self.warm_up.as_ref().map_or(Ok(()), |warm_up| warm_up.check(dimension))?;
        self.posterior.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        if let Some(arm) = self.warm_up.as_mut().and_then(|warm_up| warm_up.pick(arms)) {
            return Ok(Pick::bare(arm));
        }
        Ok(Pick::bare(arms.best_for(self.sample(round))))
    }

    fn pick_direction(&mut self, _kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        let d = self.posterior.belief().dimension();
        match self.warm_up.as_ref().and_then(|warm_up| warm_up.direction(d)) {
            Some(direction) => Ok(direction),
            None => Ok(Direction::along(self.sample(round))),
        }
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.posterior.learn(x, reward);
        if let Some(warm_up) = &mut self.warm_up {
            warm_up.learn(x);
        }
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
}
