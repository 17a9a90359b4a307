//! The tightest radius of the family of OFULog-r: its gamma without simplifications, and a sharper relaxation.
//!
//! **Idea.** Taylor's formula at theta, with self-concordance for the remainder, bounds the excess of the loss at theta
//! over that at any other point theta_hat: with u = ||theta_hat - theta|| in the metric of the Hessian at theta,
//! g = ||grad L_lambda(theta)|| in the metric of its inverse, and |x_s'(theta - theta_hat)| <= D,
//!
//! ```text
//! L_lambda(theta) - L_lambda(theta_hat) <= g u - u^2/(2 + D) <= (2 + D) g^2 / 4
//! ```
//!
//! **Level.** In round t = n + 1, with lambda_t = d(1 + log t), lambda_0 = d, V = sum_s x_s x_s', D = S + ||theta_hat||
//! and gamma_t, W and c of [`bernstein`](super::bernstein) for logdet(lambda_t I + V/4) >= logdet H_t(theta*),
//!
//! ```text
//! c_t = L_lambda(theta_hat) + min((2 + D) gamma_t^2/4, beta_t^2)
//! ```
//!
//! where beta_t = gamma_t + gamma_t^2/sqrt(lambda_t) is the least of the two only for a very long theta_hat.
//!
//! **Guarantee.** The true parameter is in the set at all times with probability 1 - delta. Either bound holds for any
//! theta_hat, so an inexact estimate costs width, never validity. The level is never above that of
//! [`Corrected`](super::Corrected).
//!
//! **In the paper** (Abeille, Faury and Calauzenes 2021): the set takes the place of E_t(delta) in Section 6. The bound on the
//! excess takes the place of beta_t^2 in the proof of Lemma 1, which goes through Lemma 2; here it follows from Lemma 8, the
//! second of those on self-concordance, by Taylor's formula at theta instead of theta_hat.

use serde::{Deserialize, Serialize};

use super::bernstein::{Bounded, ridge_loss, squared_beta};
use super::guarantee::{Guarantee, Theorem, UNIT_ARMS_ANY_ORDER};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::Result;
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::loss::{additions, design};
use crate::numerics::{Cholesky, Elementary, norm};
use crate::problem::Problem;

/// The tight radius of Bernstein type.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Problem", into = "Problem")]
pub struct Tight {
    bounded: Bounded,
    /// V/4.
    variance_bound: Vec<f64>,
    cholesky: Cholesky,
}

impl Tight {
    /// The radius for the given options.
    ///
    /// # Errors
    /// If an option is out of range or there is no norm bound.
    pub fn new(options: &Problem) -> Result<Self> {
        let d = options.dimension;
        let bounded = Bounded::new(options, "radius \"tight\"")?;
        Ok(Self { bounded, variance_bound: vec![0.0; d * d], cholesky: Cholesky::new(d) })
    }

    /// logdet(lambda I + V/4), which bounds logdet H_t(theta) for every theta because variances are at most 1/4.
    fn log_det(&mut self, history: &History, ridge: f64) -> f64 {
        design(history, &mut self.variance_bound);
        self.variance_bound.iter_mut().for_each(|v| *v *= 0.25);
        if self.cholesky.factor_above(&self.variance_bound, ridge, additions(history)) {
            return self.cholesky.log_det();
        }
        // Singular to working precision after some 1e15 observations: the bound through the trace is enough.
        let d = self.bounded.d;
        d * (ridge + history.observations() / (4.0 * d)).logarithm()
    }
}

serialise_as_options!(Tight, bounded.options);

/// What is proved of it.
static THEOREM: Theorem = Theorem {
    assumptions: UNIT_ARMS_ANY_ORDER,
    order_free: true,
    citation: "Abeille, Faury and Calauzenes, Instance-wise minimax-optimal algorithms for logistic bandits, AISTATS 2021, \
               with the deviation bound optimised and the relaxation by Taylor's formula at theta",
};

impl RegisteredStrategy for Tight {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "tight",
        summary: "Bernstein bound of the score (Abeille, Faury, Calauzenes 2021), sharpened; arms in the unit ball",
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

impl Strategy for Tight {
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
        let ridge = self.ridge(history.observations());
        let log_det = self.log_det(history, ridge);
        let gamma = self.bounded.gamma(self.bounded.deviation(log_det, ridge), ridge);
        let distance = self.bounded.norm_bound + norm(estimate.theta());
        let excess = 0.25 * (2.0 + distance) * gamma * gamma;
        ridge_loss(estimate, ridge) + excess.min(squared_beta(gamma, ridge))
    }
}
