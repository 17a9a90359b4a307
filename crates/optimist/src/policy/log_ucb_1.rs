//! `log-ucb-1`: upper confidence bounds from a Bernstein bound on the score.

use serde::{Deserialize, Serialize};

use super::Claim;
use super::info::{FINITE_ARMS, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{Bonus, ProjectionStatus, ScoreSet};
use super::rule::{Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::Result;
use crate::link;
use crate::numerics::{dot, norm};
use crate::plan::Answers;
use crate::problem::Problem;

policy_info! {
    /// Plays the arm with the largest estimated probability plus a multiple of its width in the design matrix, as glm-ucb
    /// does. The noise is measured by its variance, so that the bonus grows with sqrt(kappa) in place of kappa.
    ///
    /// ```text
    ///   lambda_t = d(1 + log t),   kappa = 1/mu'(S),   V = kappa lambda_t I + sum x x',   H(theta) = Hessian + lambda_t I
    ///   theta_hat = argmin L + lambda_t/2 ||theta||^2,   r(theta) = grad L + lambda_t theta = g(theta) - g(theta_hat)
    ///   c = theta_hat if ||theta_hat|| <= S, else argmin over ||theta|| <= S of ||r(theta)||_{H^{-1}(theta)}
    ///   x_t = argmax mu(x'c) + (1/4) sqrt(kappa) u_t ||x||_{V^{-1}}
    /// ```
    ///
    /// Guarantee: ||r(theta*)||_{H^{-1}(theta*)} <= gamma_t at all times with probability 1 - delta, with
    /// ```text
    ///   gamma_t = sqrt(lambda_t) S + min over 0 < a <= sqrt(lambda_t)/2 of a + W/a,
    ///   W = log(1/delta) + min(d log 2, log(F(2d)/F(lambda_t/2))) + 1/2 logdet(lambda_t I + sum x x'/4) - (d/2) log d,
    /// ```
    /// F the distribution function of chi^2 with d degrees of freedom. With rho = ||r(c)||_{H^{-1}(c)}, q = gamma_t + rho,
    /// G the averaged Hessian between c and theta*, and D the largest change of an observed log-odds between these two,
    /// self-concordance gives G >= H(c)/(1 + D) and G >= H(theta*)/(1 + D), hence ||c - theta*||_G <= sqrt(1 + D) q; and G
    /// >= V/kappa. So |x'(c - theta*)| <= sqrt(kappa) u_t ||x||_{V^{-1}}, which is also the interval that is reported,
    /// within [-S||x||, S||x||].
    ///
    /// bonus = "refined": u_t = q min(sqrt(1 + S + ||c||), h + sqrt(1 + h^2)), h = q/(2 sqrt(lambda_t)). The second comes
    /// from D <= u/sqrt(lambda_t) (G >= lambda_t I), thus u^2 <= (1 + u/sqrt(lambda_t)) q^2; it is the sharper one for
    /// small S only. bonus = "paper": u_t = sqrt(1 + 2S) gamma_t without projection and sqrt(4 + 8S) gamma_t with it. Both
    /// are proved.
    ///
    /// The projection is not convex; a local minimum is found by Newton-like steps. At the global one rho <= gamma_t, since
    /// theta* is a candidate; whatever is found, its own rho enters (in place of gamma_t where it is larger), so that a
    /// poor local minimum costs width and never validity.
    ///
    /// It departs from the paper in gamma_t, which is proved for a ridge that grows and has the deviation bound optimised.
    INFO {
        name: "log-ucb-1",
        family: Family::Index,
        summary: "estimate plus bonus from a Bernstein bound, paid for with sqrt(kappa) (LogUCB1)",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta",
        guaranteed: true,
        planning: Planning::ClosedForm,
        cost: "2 passes of n d^2 + d^3 + K d^2; some ten passes more while the estimate is outside the ball",
        memory: "n d + d^2",
        arm_sets: FINITE_ARMS,
        reference: "Faury, Abeille, Calauzenes, Fercoq 2020 (LogUCB1); Abeille, Faury, Calauzenes 2021 (gamma)",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[OptionInfo {
            name: "bonus",
            help: "\"refined\": with the norm of the centre and the distance of its score; \"paper\": for the worst centre",
        }],
        maker: PolicyMaker::of::<LogUcb1>(),
    }
}

/// Options of `log-ucb-1`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogUcb1Options {
    /// How wide the bonus is.
    pub bonus: Bonus,
}

impl Options for LogUcb1Options {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// LogUCB1.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogUcb1 {
    score: ScoreSet,
}

impl LogUcb1 {
    /// How the centre was found, as of the last refresh.
    pub fn projected(&self) -> ProjectionStatus {
        self.score.status()
    }

    /// gamma_t, as of the last refresh.
    pub fn gamma(&self) -> f64 {
        self.score.gamma()
    }

    fn clip(&self, x: &[f64], z: f64, width: f64) -> (f64, f64) {
        let most = self.score.norm_bound() * norm(x);
        ((z - width).max(-most), (z + width).min(most))
    }
}

impl Rule for LogUcb1 {
    type Options = LogUcb1Options;
    const INFO: &'static PolicyInfo = &INFO;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self { score: ScoreSet::new(problem, options.bonus, INFO.name)? })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.score.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        self.score.refresh(None);
        let (centre, deviation, v_inverse, _) = self.score.parts();
        let mut best = (0, f64::NEG_INFINITY, 0.0, 0.0);
        for (k, x) in arms.iter().enumerate() {
            let (z, width) = (dot(x, centre), deviation.global_width(v_inverse, x));
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
        self.score.learn(x, reward);
    }

    fn refresh(&mut self) {
        self.score.refresh(None);
    }

    fn estimate(&self) -> &[f64] {
        self.score.centre()
    }

    fn claim(&self) -> Claim {
        Claim::Holds(self.score.guarantee(INFO.name))
    }

    fn bounds(&self, x: &[f64], _answers: &mut Answers) -> Result<(f64, f64)> {
        let (centre, deviation, v_inverse, _) = self.score.parts();
        let (z, width) = (dot(x, centre), deviation.global_width(v_inverse, x));
        Ok(self.clip(x, z, width))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        Ok(self.score.contains(theta))
    }

    fn belief(&self) -> Option<&Belief> {
        Some(self.score.belief())
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        Some(self.score.belief_mut())
    }

    fn feature_bound(&self) -> f64 {
        1.0
    }
}
