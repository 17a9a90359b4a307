//! The radius of OFULog-r with the constants that its proof supports.
//!
//! **Idea.** As [`Paper`](super::Paper): the level set of the ridge-penalised loss that contains every point whose
//! gradient has norm at most gamma in the metric of the inverse Hessian.
//!
//! **Level.** In round t = n + 1, with lambda_t = d(1 + log t) and lambda_0 = d,
//!
//! ```text
//! gamma_t = sqrt(lambda_t)(S + 1/2) + (2/sqrt(lambda_t)) log(1/delta)
//!           + (d/sqrt(lambda_t)) log(4 (lambda_t/lambda_0)(1 + n/(4 d lambda_t)))
//! beta_t  = gamma_t + gamma_t^2/sqrt(lambda_t)
//! c_t     = min L_lambda + beta_t^2
//! ```
//!
//! **Guarantee.** The true parameter is in the set at all times with probability 1 - delta. This gamma_t is that of
//! [`bernstein`](super::bernstein) with a = sqrt(lambda_t)/2, c = d log 2 and the determinant bounded through its trace,
//! det H <= (lambda_t + n/(4d))^d, because a variance is at most 1/4 and a squared norm at most 1. It differs from the
//! printed one in the 4 (for 16), in the factor 2 (for d) before log(1/delta), and in lambda_t/lambda_0, the price of a
//! ridge that grows. [`Tight`](super::Tight) does without these simplifications.
//!
//! **In the paper** (Abeille, Faury and Calauzenes 2021): gamma_t is what Theorem 4 implies with the determinant bounded by
//! Lemma 11, instead of the gamma_t of Proposition 1; beta_t and E_t(delta) are those of Section 6 and Lemma 1.

use serde::{Deserialize, Serialize};

use super::bernstein::{Bounded, check_range, ridge_loss, squared_beta};
use super::guarantee::{Guarantee, Theorem, UNIT_ARMS_ANY_ORDER};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::Result;
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::numerics::Elementary;
use crate::problem::Problem;

/// The radius of Abeille, Faury and Calauzenes 2021 with proved constants.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Problem", into = "Problem")]
pub struct Corrected {
    bounded: Bounded,
}

impl Corrected {
    /// The radius for the given options.
    ///
    /// # Errors
    /// If an option is out of range or there is no norm bound.
    pub fn new(options: &Problem) -> Result<Self> {
        Ok(Self { bounded: Bounded::new(options, "radius \"corrected\"")? })
    }

    /// gamma_t after n = `observations`.
    pub(super) fn gamma(&self, observations: f64) -> f64 {
        self.gamma_between(observations, observations)
    }

    /// A bound on gamma_t for every n from `least` to `most`, which is gamma_t itself where the two are equal. As n grows
    /// gamma_t may fall before it rises, so each of its terms is taken at the end where it is largest.
    ///
    /// # Errors
    /// If `least` and `most` are not numbers with 0 <= `least` <= `most`.
    pub fn largest_gamma(&self, least: f64, most: f64) -> Result<f64> {
        check_range(least, most)?;
        Ok(self.gamma_between(least, most))
    }

    fn gamma_between(&self, least: f64, most: f64) -> f64 {
        let Bounded { d, norm_bound, confidence, .. } = self.bounded;
        let (low, high) = (self.ridge(least), self.ridge(most));
        let growth = high / self.bounded.least_ridge() * (1.0 + most / (4.0 * d * high));
        high.sqrt() * (norm_bound + 0.5) + (2.0 * confidence + d * (4.0 * growth).logarithm()) / low.sqrt()
    }
}

serialise_as_options!(Corrected, bounded.options);

/// What is proved of it.
static THEOREM: Theorem = Theorem {
    assumptions: UNIT_ARMS_ANY_ORDER,
    order_free: true,
    citation: "Abeille, Faury and Calauzenes, Instance-wise minimax-optimal algorithms for logistic bandits, AISTATS 2021, \
               constants corrected",
};

impl RegisteredStrategy for Corrected {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "corrected",
        summary: "the same in the paper's form, with constants that its proof supports; arms in the unit ball",
        guaranteed: true,
        needs_norm_bound: true,
        unit_arms: true,
        needs_order: false,
        theorem: &THEOREM,
        maker: RadiusMaker::of::<Self>(),
    };

    fn build(problem: &Problem) -> Result<Self> {
        Self::new(problem)
    }
}

impl Strategy for Corrected {
    fn dimension(&self) -> usize {
        self.bounded.options.dimension
    }

    fn guarantee(&self) -> Guarantee {
        let (delta, norm_bound) = (Some(self.bounded.options.delta), Some(self.bounded.norm_bound));
        Guarantee { name: Self::INFO.name, delta, norm_bound, theorem: &THEOREM }
    }

    fn feature_bound(&self) -> f64 {
        1.0
    }

    fn penalty(&self, observations: f64) -> Penalty {
        Penalty::ridge(self.ridge(observations))
    }

    fn ridge(&self, observations: f64) -> f64 {
        self.bounded.ridge(observations)
    }

    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64 {
        let n = history.observations();
        let ridge = self.ridge(n);
        ridge_loss(estimate, ridge) + squared_beta(self.gamma(n), ridge)
    }
}
