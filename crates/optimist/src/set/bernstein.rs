//! The radius of Bernstein type that the sets built on the score share.
//!
//! **Idea.** S_t = sum_s (r_s - mu(x_s'theta*)) x_s is a martingale whose increments have conditional variance at most
//! mu'(x_s'theta*) x_s x_s'. With |r_s - mu| <= 1, ||x_s|| <= 1 and e^u <= 1 + u + u^2 for u <= 1,
//! exp(xi'S_t - sum_s mu'(x_s'theta*)(xi'x_s)^2) is a non-negative supermartingale for every ||xi|| <= 1. Mixed over xi
//! with the density proportional to exp(-lambda_0 ||xi||^2) on the unit ball, it stays below 1/delta for all t at once
//! with probability 1 - delta (Ville). Bounding the mixture from below on a ball of radius 1/2 around any ||xi|| <= 1/2
//! gives, for every lambda >= lambda_0 and every 0 < a <= sqrt(lambda)/2 at once, with H = H_t(theta*) + lambda I,
//!
//! ```text
//! ||S_t||_{H^{-1}} <= a + W/a,   W = log(1/delta) + c + logdet(H)/2 - (d/2) log lambda_0,
//! c = min(d log 2, log(F_d(2 lambda_0) / F_d(lambda/2))),   F_d the distribution function of chi^2 with d degrees
//! ```
//!
//! and since grad L_lambda(theta*) = lambda theta* - S_t, the gradient at theta* has norm at most
//! gamma = sqrt(lambda) S + min_a (a + W/a).
//!
//! **Why lambda_0.** The mixing density must not depend on t, or the mixture is no martingale. So it is that of the
//! least lambda in use, and a lambda that grows with t costs (d/2) log(lambda/lambda_0) inside W.
//!
//! **In the paper** (Abeille, Faury and Calauzenes 2021): S_t and H_t = H_t(theta*) are those of Theorem 4, which is the case
//! a = sqrt(lambda)/2, c = d log 2; gamma is gamma_t of Proposition 1, and [`squared_beta`] the beta_t^2 of Lemma 1.

use crate::error::{Result, check_number};
use crate::fit::Estimator;
use crate::numerics::{Elementary, dot, gamma_share};
use crate::problem::Problem;

/// Options of a radius that cannot do without a norm bound, with the bound at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounded {
    pub(crate) options: Problem,
    /// S, the bound on ||theta*||.
    pub(crate) norm_bound: f64,
    /// The number of features.
    pub(crate) d: f64,
    /// log(1/delta).
    pub(crate) confidence: f64,
}

impl Bounded {
    /// Checks the options and that there is a norm bound.
    pub(crate) fn new(options: &Problem, needed_by: &'static str) -> Result<Self> {
        options.validate()?;
        let norm_bound = options.require_norm_bound(needed_by)?;
        Ok(Self { options: *options, norm_bound, d: options.dimension as f64, confidence: -options.delta.logarithm() })
    }

    /// lambda_0, the least ridge that [`Bounded::ridge`] gives.
    pub(crate) fn least_ridge(&self) -> f64 {
        self.d
    }

    /// lambda_t = d (1 + log t) in round t = n + 1. Unlike d log t it is not zero in the first round.
    pub(crate) fn ridge(&self, observations: f64) -> f64 {
        self.d * (1.0 + observations.logarithm_1p())
    }

    /// W, given the logarithm of (a bound on) the determinant of H and the ridge in it.
    pub(crate) fn deviation(&self, log_det: f64, ridge: f64) -> f64 {
        self.confidence + self.truncation(ridge) + 0.5 * (log_det - self.d * self.least_ridge().logarithm())
    }

    /// c: what the restriction of the mixture to balls costs.
    fn truncation(&self, ridge: f64) -> f64 {
        let simple = self.d * std::f64::consts::LN_2;
        // The distribution function of chi squared with d degrees of freedom, at twice the second argument.
        let below = |half: f64| gamma_share(0.5 * self.d, half);
        let sharp = (below(self.least_ridge()) / below(0.25 * ridge)).logarithm();
        simple.min(sharp)
    }

    /// gamma = sqrt(lambda) S + the least of a + W/a over 0 < a <= sqrt(lambda)/2.
    pub(crate) fn gamma(&self, deviation: f64, ridge: f64) -> f64 {
        ridge.sqrt() * self.norm_bound + least_sum(deviation, ridge)
    }
}

/// The least of a + W/a over 0 < a <= sqrt(lambda)/2: it grows with W and falls as lambda grows.
fn least_sum(deviation: f64, ridge: f64) -> f64 {
    let root = ridge.sqrt();
    if 4.0 * deviation <= ridge { 2.0 * deviation.sqrt() } else { 0.5 * root + 2.0 * deviation / root }
}

/// gamma before any data are seen: with probability 1 - delta, the gradient at theta* of the loss with ridge
/// lambda_t = d (1 + log t) has norm at most this in every round, for n between `least` and `most` observations. It is
/// what regret bounds are made of.
///
/// With `least` = `most` it is the radius that [`Tight`](super::Tight) has if its data are as informative as can be,
/// det H <= (lambda + n/(4d))^d, and never above that of [`Corrected`](super::Corrected). As n grows that radius may fall
/// before it rises, so for a range each of its terms is taken at the end where it is largest.
///
/// # Errors
/// If an option is out of range, there is no norm bound, or `least` and `most` are not numbers with
/// 0 <= `least` <= `most`.
pub fn deviation_radius(options: &Problem, least: f64, most: f64) -> Result<f64> {
    let bounded = Bounded::new(options, "the deviation radius")?;
    check_range(least, most)?;
    let (low, high) = (bounded.ridge(least), bounded.ridge(most));
    let log_det = bounded.d * (high + most / (4.0 * bounded.d)).logarithm();
    // The ridge enters W through the truncation alone, which falls as it grows.
    Ok(high.sqrt() * bounded.norm_bound + least_sum(bounded.deviation(log_det, low), low))
}

/// Checks that two numbers of observations are in order.
pub(super) fn check_range(least: f64, most: f64) -> Result<()> {
    check_number("least", least, least >= 0.0, "zero or positive")?;
    check_number("most", most, most >= least, "at least the least number of observations")
}

/// beta^2 = (gamma + gamma^2/sqrt(lambda))^2, by which the loss of a point may exceed the least loss if the gradient
/// there has norm at most gamma.
///
/// With u the norm of the gradient in the metric of the averaged Hessian G between that point and the minimiser, the
/// excess is at most u^2 and self-concordance gives u^2 <= (1 + u/sqrt(lambda)) gamma^2, hence u <= beta.
pub(super) fn squared_beta(gamma: f64, ridge: f64) -> f64 {
    (gamma + gamma * gamma / ridge.sqrt()).square()
}

/// L + (ridge/2)||theta||^2 at the estimate. An inexact fit only makes it larger.
pub(super) fn ridge_loss(estimate: &Estimator, ridge: f64) -> f64 {
    let theta = estimate.theta();
    estimate.evaluation().loss + 0.5 * ridge * dot(theta, theta)
}
