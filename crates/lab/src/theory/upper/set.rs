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
//!
//! **Level sets of the plain loss** say nothing of gamma, and need not: theta and theta* are both at most B above the least
//! loss in the ball, and their midpoint m is in the ball, so that L(theta) + L(theta*) - 2 L(m) <= 2B, on the event of the
//! set alone. The left side is the sum over s of Delta_s^2 int min(v, 1-v) f_s(v) dv with Delta_s = x_s'(theta - theta*) and
//! f_s(v) = mu'(x_s'theta* + v Delta_s), and
//!
//! - f(v) >= f(0) e^{-vD}, so that the integral is at least mu'(x_s'theta*) ((1 - e^{-D/2})/D)^2 (docs/theory.md, insurance);
//! - int f <= D coth(D/4) int min(v, 1-v) f. For f is log-concave: with c = D coth(D/4) and the exponential g that agrees
//!   with f at v = 1/c and 1 - 1/c, between which c min(v, 1-v) - 1 is positive, f is at least g there and at most g outside,
//!   so that int (c min(v, 1-v) - 1) f is at least the same of g. The slope b of log g is at most D in size, and for g the
//!   ratio of the integrals is |b| coth(|b|/4), which grows with |b|.
//!
//! Hence rho^2 <= 2B (D/(1 - e^{-D/2}))^2 + d D^2 with the ridge d of the elliptical sums, and
//! rho_G^2 <= 2B D coth(D/4) + D^2/4 with a ridge of 1/4, which is all that counting plays asks for (`detrimental`).

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
    /// The probability with which everything that a bound relies on holds. It is one event: that the gradient at theta* is
    /// small, which puts theta* into the set, or, for level sets of the plain loss, that theta* is there.
    pub fn probability(&self, delta: f64) -> f64 {
        1.0 - delta
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
            _ if self.is_plain() => scales.midpoint(self.plain_excess(problem, span.most)),
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
    dimension: f64,
    norm_bound: f64,
    truth: f64,
}

impl Scales {
    fn new(problem: &Setting, span: Span) -> Result<Self> {
        let refused = |e: optimist::Error| Error::input(e.to_string());
        let Setting { options, norm_bound, truth } = *problem;
        let closed = Corrected::new(&options).map_err(refused)?;
        Ok(Self {
            gamma: deviation_radius(&options, span.least, span.most).map_err(refused)?,
            closed_gamma: closed.largest_gamma(span.least, span.most).map_err(refused)?,
            low: closed.ridge(span.least),
            dimension: options.dimension as f64,
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

    /// If the plain losses at theta and theta* are at most `excess` above the least in the ball. D is positive: S is.
    fn midpoint(&self, excess: f64) -> Deviation {
        let reach = self.reach();
        let stretch = reach / -(-0.5 * reach).exp_m1();
        let rho = (2.0 * excess * stretch * stretch + self.dimension * reach * reach).sqrt();
        let rho_g = (2.0 * excess * reach / (0.25 * reach).tanh() + 0.25 * reach * reach).sqrt();
        Deviation { gamma: self.gamma, rho, rho_g }
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

#[cfg(test)]
mod tests {
    use optimist::link;

    use super::*;

    /// The integrals of mu' along a segment, by the midpoint rule: plain, and with the weight min(v, 1 - v).
    fn integrals(z: f64, change: f64) -> (f64, f64) {
        let n = 4000;
        let points = (0..n).map(|i| (f64::from(i) + 0.5) / f64::from(n));
        points.fold((0.0, 0.0), |(plain, weighted), v| {
            let f = link::variance(z + v * change) / f64::from(n);
            (plain + f, weighted + v.min(1.0 - v) * f)
        })
    }

    #[test]
    fn the_midpoint_bounds_both_metrics() {
        let mut closest = f64::INFINITY;
        for change in [0.01, 0.5, 2.0, 5.0, 12.0] {
            let least = (-f64::exp_m1(-0.5 * change) / change).powi(2);
            let most = change / f64::tanh(0.25 * change);
            for z in (-60..=60).map(|i| f64::from(i) / 4.0) {
                for sign in [-1.0, 1.0] {
                    let (plain, weighted) = integrals(z, sign * change);
                    assert!(weighted >= link::variance(z) * least * (1.0 - 1e-5), "{z} {change}");
                    assert!(plain <= most * weighted * (1.0 + 1e-5), "{z} {change}: {plain} {weighted}");
                    closest = closest.min(most * weighted / plain);
                }
            }
        }
        assert!(closest < 1.001, "the constant is the least: {closest}");
    }

    /// What needs one event instead of two is smaller, too. (Not for all sets: where the excess is as large as that of
    /// `ofulog-plus`, and S below one, it is larger by some percent.)
    #[test]
    fn one_event_is_enough_and_costs_nothing() {
        let sets = [ConfidenceSet::Mixture, ConfidenceSet::Ofuglb { published: false }];
        for (dimension, norm_bound) in [(1, 0.5), (2, 1.0), (2, 4.0), (2, 10.0), (10, 4.0), (50, 2.0)] {
            let options = Problem { dimension, delta: 0.05, norm_bound: Some(norm_bound) };
            for (share, n) in [(0.0, 0.0), (0.3, 10.0), (1.0, 1e3), (1.0, 1e6), (0.5, 1e9)] {
                let problem = Setting { options, norm_bound, truth: share * norm_bound };
                let span = Span { least: n, most: n };
                let scales = Scales::new(&problem, span).unwrap();
                for set in sets {
                    let excess = set.plain_excess(&problem, n);
                    let (one, two) = (scales.midpoint(excess), scales.level(excess));
                    assert!(one.rho <= two.rho && one.rho_g <= two.rho_g, "{set:?} {problem:?} {n}: {one:?} {two:?}");
                }
            }
        }
    }
}
