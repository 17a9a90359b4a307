//! How far a parameter of a confidence set can be from theta*.
//!
//! **Metrics.** With H = H_t(theta*) and G the Hessian averaged between theta and theta*, both with the ridge lambda_t,
//! every bound on the regret rests on rho >= ||theta - theta*||_H and rho_G >= ||theta - theta*||_G for the theta of the
//! set. On the good event the gradient of L_lambda at theta* has norm at most gamma in the metric of H^{-1}
//! ([`deviation_radius`]). No |x'(theta - theta*)| exceeds D = S + ||theta*||, so self-concordance gives
//! G >= H/(1 + D), and for the remainder M of Taylor's formula at theta* both M >= H/(2 + D) and M >= G/(2 + D).
//!
//! **Small decrements.** Where the gradients at theta and theta* have norms gamma_set and gamma in their own metrics,
//! rho_G <= sqrt(1 + D)(gamma_set + gamma), rho <= sqrt(1 + D) rho_G. Taylor's formula at theta also bounds
//! L_lambda(theta) - L_lambda(theta*) by (2 + D) gamma_set^2/4, and what follows may be less.
//!
//! **Level sets.** If L_lambda(theta) - L_lambda(theta*) <= B, Taylor's formula at theta* reads
//! rho^2/(2 + D) <= B + gamma rho, and rho_G^2/(2 + D) <= B + gamma rho. The root of the first serves for both; it is at
//! most (2 + D) gamma + sqrt((2 + D) B).

use optimist::Problem;
use optimist::set::{Corrected, Mixture, Strategy, deviation_radius};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Which gamma bounds the Newton decrements of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decrement {
    /// The least that is proved.
    Sharp,
    /// The closed form.
    Corrected,
}

/// A confidence set, as far as a bound on the regret of optimism over it is concerned. All of them lie in the ball of
/// radius S.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum ConfidenceSet {
    /// The paper's C_t: Newton decrement at most gamma_t.
    NewtonDecrement {
        /// Which gamma_t.
        gamma: Decrement,
    },
    /// The paper's E_t with proved constants: ridge loss at most beta_t^2 above the least.
    Corrected,
    /// The smaller level set of the ridge loss that contains C_t.
    Tight,
    /// A level set of the ridge loss that contains C_t, of which the caller knows the level.
    RidgeLevel {
        /// The largest excess over the least ridge loss, in any round.
        excess: f64,
    },
    /// The Gaussian mixture set: a level set of the plain loss.
    Mixture,
    /// The set of a uniform mixture on the ball: a level set of the plain loss.
    Ofuglb {
        /// Whether with the constants of its paper.
        published: bool,
    },
    /// The set of an online learner's regret: a level set of the plain loss.
    OfulogPlus {
        /// Whether with the constants of its paper.
        published: bool,
    },
    /// A level set of the plain loss that holds theta* with probability 1 - delta, of which the caller knows the level.
    Level {
        /// The largest excess over the least loss in the ball, in any round.
        excess: f64,
    },
}

/// What is known of a problem before any data: S, delta and the dimension, and ||theta*||.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) options: Problem,
    pub(super) norm_bound: f64,
    pub(super) truth: f64,
}

/// Rounds with between `least` and `most` observations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) least: f64,
    pub(super) most: f64,
}

/// How far theta* and the parameters of a set can be from each other.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Deviation {
    /// Bound on the gradient at theta*.
    pub(super) gamma: f64,
    /// Bound on ||theta - theta*||_H.
    pub(super) rho: f64,
    /// Bound on ||theta - theta*||_G.
    pub(super) rho_g: f64,
}

impl Deviation {
    /// The larger of each.
    pub(super) fn max(self, other: Self) -> Self {
        Self { gamma: self.gamma.max(other.gamma), rho: self.rho.max(other.rho), rho_g: self.rho_g.max(other.rho_g) }
    }
}

impl ConfidenceSet {
    /// The probability with which everything that a bound relies on holds: that the gradient at theta* is small, and, if
    /// that alone does not put theta* into the set, that it is there.
    pub fn probability(&self, delta: f64) -> f64 {
        let events = if self.is_plain() { 2.0 } else { 1.0 };
        (1.0 - events * delta).max(0.0)
    }

    /// Whether it is a level set of the loss without ridge.
    fn is_plain(&self) -> bool {
        matches!(self, Self::Mixture | Self::Ofuglb { .. } | Self::OfulogPlus { .. } | Self::Level { .. })
    }

    pub(super) fn validate(&self) -> Result<()> {
        match *self {
            Self::RidgeLevel { excess } | Self::Level { excess } if !(excess >= 0.0 && excess.is_finite()) => {
                Err(Error::input(format!("the excess of the set is {excess}: it must be zero or positive")))
            }
            _ => Ok(()),
        }
    }

    /// Bounds that hold in all rounds of the span.
    pub(super) fn deviation(&self, problem: &Setting, span: Span) -> Result<Deviation> {
        let scales = Scales::new(problem, span)?;
        Ok(match *self {
            Self::NewtonDecrement { gamma } => scales.decrement(match gamma {
                Decrement::Sharp => scales.gamma,
                Decrement::Corrected => scales.closed_gamma,
            }),
            _ if self.is_plain() => scales.level(self.plain_excess(problem, span.most) + scales.ridge_gain),
            _ => scales.level(self.ridge_excess(&scales)),
        })
    }

    /// Bound on the excess of the ridge loss over its least value.
    fn ridge_excess(&self, scales: &Scales) -> f64 {
        match *self {
            Self::Corrected => squared_beta(scales.closed_gamma, scales.low),
            Self::Tight => scales.tight_excess(),
            Self::RidgeLevel { excess } => excess,
            _ => f64::INFINITY,
        }
    }

    /// Bound on the excess of the plain loss over its least value in the ball, after at most n observations.
    fn plain_excess(&self, problem: &Setting, n: f64) -> f64 {
        use std::f64::consts::E;
        let Setting { options, norm_bound: s, .. } = *problem;
        let (d, confidence) = (options.dimension as f64, -options.delta.ln());
        match *self {
            // The level is the least of L + (d/2)||theta||^2/S^2 on the ball, log(1/delta) and half the log-determinant
            // of I + W S^2/d, where W has trace n/4 at most; less the log of the share that this prior has in the mixture.
            Self::Mixture => {
                0.5 * d + 0.5 * d * (0.25 * n * s * s / (d * d)).ln_1p() + confidence - Mixture::FIRST_SHARE.ln()
            }
            Self::Ofuglb { published } => {
                let variation = if published { 2.0 * s * (1.0 + 0.5 * s) * n } else { s * n };
                // The least of d log(1/c) + variation c over 0 < c <= 1.
                confidence + if variation <= d { variation } else { d * (1.0 + (variation / d).ln()) }
            }
            Self::OfulogPlus { published } => {
                let divisor = if published { 4.0 } else { 2.0 };
                10.0 * d * (s * n / (divisor * d) + E).ln() + 2.0 * (E - 2.0 + s) * confidence
            }
            Self::Level { excess } => excess,
            _ => f64::INFINITY,
        }
    }
}

/// (gamma + gamma^2/sqrt(lambda))^2.
fn squared_beta(gamma: f64, ridge: f64) -> f64 {
    (gamma + gamma * gamma / ridge.sqrt()).powi(2)
}

/// The sizes that all sets share, each as large as it gets in a span.
struct Scales {
    gamma: f64,
    /// The closed form of gamma.
    closed_gamma: f64,
    /// The least ridge.
    low: f64,
    /// How much the ridge can add to the loss of a point of the ball more than to that of theta*.
    ridge_gain: f64,
    norm_bound: f64,
    truth: f64,
}

impl Scales {
    fn new(problem: &Setting, span: Span) -> Result<Self> {
        let refused = |e: optimist::Error| Error::input(e.to_string());
        let Setting { options, norm_bound, truth } = *problem;
        let closed = Corrected::new(&options).map_err(refused)?;
        let gain = 0.5 * closed.ridge(span.most) * (norm_bound * norm_bound - truth * truth);
        Ok(Self {
            gamma: deviation_radius(&options, span.least, span.most).map_err(refused)?,
            closed_gamma: closed.largest_gamma(span.least, span.most).map_err(refused)?,
            low: closed.ridge(span.least),
            ridge_gain: gain.max(0.0),
            norm_bound,
            truth,
        })
    }

    /// D, the largest |x'(theta - theta*)|.
    fn reach(&self) -> f64 {
        self.norm_bound + self.truth
    }

    /// If the decrement at theta is at most `gamma`.
    fn decrement(&self, gamma: f64) -> Deviation {
        let root = (1.0 + self.reach()).sqrt();
        let rho_g = root * (gamma + self.gamma);
        let by_level = self.level(0.25 * (2.0 + self.reach()) * gamma * gamma);
        Deviation { gamma: self.gamma, rho: (root * rho_g).min(by_level.rho), rho_g: rho_g.min(by_level.rho_g) }
    }

    /// If L_lambda(theta) - L_lambda(theta*) is at most `excess`.
    fn level(&self, excess: f64) -> Deviation {
        let (m, gamma) = (2.0 + self.reach(), self.gamma);
        let rho = 0.5 * (m * gamma + (m * gamma * m * gamma + 4.0 * m * excess).sqrt());
        Deviation { gamma, rho, rho_g: rho }
    }

    /// min((2 + S + ||theta_hat||) gamma^2/4, beta^2) with a bound on ||theta_hat||: for y = ||theta_hat - theta*||,
    /// strong convexity at theta_hat and Taylor's formula at theta* give
    /// lambda y^2/2 <= L_lambda(theta*) - L_lambda(theta_hat) <= (2 + y) gamma^2/4.
    fn tight_excess(&self) -> f64 {
        let square = self.gamma * self.gamma;
        let w = 0.5 * square / self.low;
        let distance = 0.5 * (w + (w * w + 8.0 * w).sqrt());
        let taylor = 0.25 * (2.0 + self.norm_bound + self.truth + distance) * square;
        taylor.min(squared_beta(self.gamma, self.low))
    }
}
