//! `glm-ucb`: upper confidence bounds for generalised linear models.

use serde::{Deserialize, Serialize};

use super::Claim;
use super::constants::Constants;
use super::info::{FINITE_ARMS, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{Objective, Posterior, ProjectionStatus, ScoreNorm, ScoreProjection, Widths, distance};
use super::norm_bound::kappa;
use super::rule::{EMPTY, Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result, check_number};
use crate::fit::Penalty;
use crate::link;
use crate::numerics::{Elementary, Precision, add_scaled, dot, half_width, norm, square_form};
use crate::plan::Answers;
use crate::problem::Problem;
use crate::set::guarantee::UNIT_ARMS_ANY_ORDER;
use crate::set::{Guarantee, Theorem};

policy_info! {
    /// Plays the arm with the largest estimated probability plus a multiple of its width in the design matrix. Nothing but
    /// the least slope 1/kappa of the link is used, so that the bonus is kappa times that of a linear model.
    ///
    /// ```text
    ///   kappa = 1/mu'(S),   V = ridge I + sum x x',   g(theta) = sum mu(x'theta) x + (ridge/kappa) theta
    ///   theta_hat = argmin L + (ridge/kappa)/2 ||theta||^2        so that g(theta_hat) = sum r x
    ///   theta~ = theta_hat if ||theta_hat|| <= S, else argmin over ||theta|| <= S of ||g(theta) - g(theta_hat)||_{V^{-1}}
    ///   radius = 1/2 sqrt(2 log(1/delta) + logdet V - d log ridge) + sqrt(ridge) S/kappa
    ///   x_t = argmax mu(x'theta~) + (kappa/4) (radius + ||g(theta~) - g(theta_hat)||_{V^{-1}}) ||x||_{V^{-1}}
    /// ```
    ///
    /// Guarantee: ||g(theta*) - g(theta_hat)||_{V^{-1}} <= radius at all times with probability 1 - delta: the noise is
    /// 1/2-sub-Gaussian, so that Theorem 1 of Abbasi-Yadkori et al. bounds sum (r - mu) x, and the ridge adds its own term.
    /// For any point c of the ball g(c) - g(theta*) = G(c - theta*) with G >= V/kappa, hence
    /// ```text
    ///   |x'(c - theta*)| <= kappa (radius + ||g(c) - g(theta_hat)||_{V^{-1}}) ||x||_{V^{-1}},
    /// ```
    /// and mu has slope 1/4 at most. Reported bounds are this interval of log-odds within [-S||x||, S||x||], which lies
    /// inside that of the probabilities.
    ///
    /// The projection is not convex; it is found by steps of Gauss and Newton. Theta* is a candidate, so that at the
    /// minimum the second distance is at most the radius: the factor 2 of the paper. Since what enters the bonus is the
    /// distance reached, a local minimum costs width and never validity, and where no projection is needed the factor is 1.
    ///
    /// constants = "published": bonus rho(t) ||x||_{V^{-1}} of Filippi et al. with rho(t) = (kappa/2) kappa_F sqrt(2 d log
    /// t log(2 d T/delta)) and kappa_F = sqrt(3 + 2 log(1 + 2/ridge)), T the option horizon. Their d initial plays of
    /// independent arms, which arms that change do not allow, are replaced by the ridge, and t counts them as if made.
    /// Nothing is claimed for it.
    INFO {
        name: "glm-ucb",
        family: Family::Index,
        summary: "estimate plus bonus for any link, paid for with kappa (GLM-UCB)",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta; none as published",
        guaranteed: true,
        planning: Planning::ClosedForm,
        cost: "2 passes of n d^2 + K d (fixed arms); some ten passes more while the estimate is outside the ball",
        memory: "n d + d^2 + K",
        arm_sets: FINITE_ARMS,
        reference: "Filippi, Cappe, Garivier, Szepesvari 2010; Abbasi-Yadkori, Pal, Szepesvari 2011 (Theorem 1)",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo { name: "ridge", help: "weight of the identity in V, kappa times that in the loss; null: d" },
            OptionInfo {
                name: "constants",
                help: "\"ours\" (proved) or \"published\" (needs horizon; nothing is claimed)",
            },
            OptionInfo { name: "horizon", help: "number of rounds, for constants = \"published\"; null: not given" },
        ],
        maker: PolicyMaker::of::<GlmUcb>(),
    }
}

/// Options of `glm-ucb`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GlmUcbOptions {
    /// Weight of the identity in V.
    pub ridge: Option<f64>,
    /// Whose constants.
    pub constants: Constants,
    /// Number of rounds, for the published constants.
    pub horizon: Option<u64>,
}

impl Options for GlmUcbOptions {
    fn validate(&self) -> Result<()> {
        if let Some(ridge) = self.ridge {
            check_number("ridge", ridge, ridge > 0.0, "positive")?;
        }
        match (self.constants, self.horizon) {
            (Constants::Published, None) => {
                Err(Error::Missing { field: "horizon", needed_by: "glm-ucb with constants = \"published\"" })
            }
            (_, Some(horizon)) => check_number("horizon", horizon as f64, horizon > 0, "at least 1"),
            (Constants::Ours, None) => Ok(()),
        }
    }
}

/// GLM-UCB.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GlmUcb {
    posterior: Posterior,
    /// V.
    precision: Precision,
    widths: Widths,
    options: GlmUcbOptions,
    delta: f64,
    norm_bound: f64,
    /// Weight of the identity in V.
    ridge: f64,
    #[serde(skip)]
    centre: Option<Box<Centre>>,
    /// Whether the centre is in step with the observations.
    #[serde(skip)]
    current: bool,
}

/// theta~, how it was found, and ||g(theta~) - g(theta_hat)||_{V^{-1}}.
#[derive(Debug, Clone)]
struct Centre {
    projection: ScoreProjection,
    theta: Vec<f64>,
    distance: f64,
    status: ProjectionStatus,
    direction: Vec<f64>,
}

impl Centre {
    fn new(d: usize) -> Box<Self> {
        let (theta, direction) = (vec![0.0; d], vec![0.0; d]);
        Box::new(Self {
            projection: ScoreProjection::new(d),
            theta,
            distance: 0.0,
            status: ProjectionStatus::Skipped,
            direction,
        })
    }
}

impl GlmUcb {
    /// kappa = 1/mu'(S).
    fn kappa(&self) -> f64 {
        1.0 / link::variance(self.norm_bound)
    }

    fn dimension(&self) -> usize {
        self.posterior.belief().dimension()
    }

    fn radius(&self) -> f64 {
        let d = self.dimension() as f64;
        match (self.options.constants, self.options.horizon) {
            (Constants::Published, Some(horizon)) => {
                // The rounds after the d initial ones that the ridge stands for.
                let t = d + self.posterior.belief().history().observations() + 1.0;
                let factor = (3.0 + 2.0 * (2.0 / self.ridge).logarithm_1p()).sqrt();
                factor * (2.0 * d * t.logarithm() * (2.0 * d * horizon as f64 / self.delta).logarithm()).max(0.0).sqrt()
            }
            _ => {
                let growth = (self.precision.log_det() - d * self.ridge.logarithm()).max(0.0);
                0.5 * (growth - 2.0 * self.delta.logarithm()).sqrt()
                    + self.ridge.sqrt() * self.norm_bound / self.kappa()
            }
        }
    }

    /// What multiplies ||x||_{V^{-1}} in the bound on |x'(theta~ - theta*)|.
    fn scale(&self, distance: f64) -> f64 {
        let radius = self.radius();
        let both = if self.options.constants == Constants::Published { 2.0 * radius } else { radius + distance };
        self.kappa() * both
    }

    fn objective<'a>(posterior: &'a Posterior, precision: &'a Precision, norm_bound: f64) -> Objective<'a> {
        Objective {
            history: posterior.belief().history(),
            penalty: Penalty { ridge: posterior.ridge(), norm_bound },
            metric: ScoreNorm::Fixed(precision.inverse()),
            slabs: None,
        }
    }

    fn find_centre(&mut self) -> &Centre {
        let d = self.dimension();
        let centre = self.centre.get_or_insert_with(|| Centre::new(d));
        if self.current {
            return centre;
        }
        centre.theta.copy_from_slice(self.posterior.theta());
        if norm(&centre.theta) <= self.norm_bound {
            // What is left of the gradient after an inexact fit counts as distance.
            centre.direction.copy_from_slice(&self.posterior.estimator().evaluation().gradient);
            add_scaled(&mut centre.direction, self.posterior.ridge(), &centre.theta);
            let square = square_form(self.precision.inverse(), &centre.direction);
            (centre.distance, centre.status) = (square.max(0.0).sqrt(), ProjectionStatus::Skipped);
        } else {
            let objective = Self::objective(&self.posterior, &self.precision, self.norm_bound);
            centre.status = centre.projection.search(objective, &centre.theta);
            centre.theta.copy_from_slice(centre.projection.theta());
            centre.distance = centre.projection.distance();
        }
        self.current = true;
        centre
    }

    /// How the centre was found, as of the last refresh.
    pub fn projected(&self) -> ProjectionStatus {
        self.centre.as_ref().map_or(ProjectionStatus::Skipped, |centre| centre.status)
    }

    /// Bounds on a log-odds from its estimate and half-width.
    fn clip(&self, x: &[f64], z: f64, width: f64) -> (f64, f64) {
        let most = self.norm_bound * norm(x);
        ((z - width).max(-most), (z + width).min(most))
    }
}

/// What is proved of its sets.
static THEOREM: Theorem = Theorem {
    assumptions: UNIT_ARMS_ANY_ORDER,
    order_free: true,
    citation: "Abbasi-Yadkori, Pal and Szepesvari, Improved algorithms for linear stochastic bandits, NeurIPS 2011, Theorem 1, \
               applied to the score of Filippi, Cappe, Garivier and Szepesvari, NeurIPS 2010",
};

impl Rule for GlmUcb {
    type Options = GlmUcbOptions;
    const INFO: &'static PolicyInfo = &INFO;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let norm_bound = problem.require_norm_bound(INFO.name)?;
        let kappa = kappa(norm_bound)?;
        let ridge = options.ridge.unwrap_or(problem.dimension as f64);
        Ok(Self {
            posterior: Posterior::new(problem, Some(ridge / kappa))?,
            precision: Precision::new(problem.dimension, ridge),
            widths: Widths::default(),
            options: options.clone(),
            delta: problem.delta,
            norm_bound,
            ridge,
            centre: None,
            current: false,
        })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        check_number("delta", self.delta, self.delta > 0.0 && self.delta < 1.0, "strictly between 0 and 1")?;
        check_number("norm_bound", self.norm_bound, self.norm_bound > 0.0, "positive")?;
        kappa(self.norm_bound)?;
        check_number("ridge", self.ridge, self.ridge > 0.0, "positive")?;
        self.posterior.check(dimension)?;
        self.precision.check(dimension)?;
        self.widths.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        let distance = self.find_centre().distance;
        let scale = self.scale(distance);
        let squares = self.widths.squares(&self.precision, arms);
        let Some(centre) = &self.centre else { return Ok(Pick::bare(0)) };
        let mut best = (0, f64::NEG_INFINITY, 0.0, 0.0);
        for ((k, x), square) in arms.iter().enumerate().zip(squares) {
            let (z, width) = (dot(x, &centre.theta), half_width(scale, *square));
            let value = link::mean(z) + 0.25 * width;
            if value > best.1 {
                best = (k, value, z, width);
            }
        }
        let (arm, _, z, width) = best;
        let (lower, upper) = self.clip(arms.arm(arm), z, width);
        Ok(Pick { arm, bounds: (Some(lower), Some(upper)) })
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.posterior.learn(x, reward);
        let d = x.len();
        let centre = self.centre.get_or_insert_with(|| Centre::new(d));
        let square = self.precision.solve(x, &mut centre.direction);
        self.widths.add(&mut self.precision, 1.0, x, &centre.direction, square);
        self.current = false;
    }

    fn refresh(&mut self) {
        self.find_centre();
    }

    fn estimate(&self) -> &[f64] {
        self.centre.as_ref().map_or(&[], |centre| &centre.theta)
    }

    fn claim(&self) -> Claim {
        if self.options.constants == Constants::Published {
            return Claim::None { why: "the published constants are not proved without d initial plays" };
        }
        let (delta, norm_bound) = (Some(self.delta), Some(self.norm_bound));
        Claim::Holds(Guarantee { name: INFO.name, delta, norm_bound, theorem: &THEOREM })
    }

    fn bounds(&self, x: &[f64], _answers: &mut Answers) -> Result<(f64, f64)> {
        let Some(centre) = &self.centre else { return Ok(EMPTY) };
        let (z, distance) = (dot(x, &centre.theta), centre.distance);
        let width = half_width(self.scale(distance), square_form(self.precision.inverse(), x));
        Ok(self.clip(x, z, width))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        let objective = Self::objective(&self.posterior, &self.precision, self.norm_bound);
        Ok(norm(theta) <= self.norm_bound && distance(objective, theta) <= self.radius())
    }

    fn belief(&self) -> Option<&Belief> {
        Some(self.posterior.belief())
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        Some(self.posterior.belief_mut())
    }

    fn feature_bound(&self) -> f64 {
        1.0
    }
}
