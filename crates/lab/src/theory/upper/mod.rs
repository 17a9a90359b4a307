//! Theorem 1 with all constants: what the regret of optimism over a confidence set cannot exceed.
//!
//! **First order.** With Delta_t = (x_* - x_t)'theta*, the regret is R = R_1 + R_2, where R_1 is the sum of
//! mu'(x_t'theta*) Delta_t. By optimism Delta_t <= x_t'(theta_t - theta*), so twice Cauchy-Schwarz gives
//! R_1 <= A sqrt(sum of mu'(x_t'theta*)), A = rho sqrt(E), with rho the largest deviation of the set and E the elliptical
//! sum. Because mu'(z) - mu'(z_*) = (mu(z_*) - mu(z))(mu(z_*) + mu(z) - 1), that sum is at most T/kappa_* + p R with
//! p = max(0, 2 mu(z_*) - 1); the paper has p = 1.
//!
//! **Second order.** The terms of R_2 are v_t Delta_t^2 with v_t <= max mu''/2 = sqrt(3)/36, which gives
//! sqrt(3)/36 rho^2 times the sum of ||x_t||^2 in the metric of H_t^{-1}, of the order kappa_X. Off the detrimental arms
//! v_t <= a_+ mu'(x_t'theta*), which gives a_+ rho^2 E; on them a term is at most gap_t - mu'(x_t'theta*) Delta_t.
//!
//! **Solution.** R - c <= A sqrt(T/kappa_* + p R) is a quadratic inequality in R.

mod detrimental;
mod deviations;
mod elliptical;
mod policy;
mod set;

use optimist::Problem;
use optimist::link;
use optimist::numerics::norm;
use serde::{Deserialize, Serialize};

use self::detrimental::Losers;
use self::deviations::Deviations;
use self::set::Setting;
pub use self::set::{ConfidenceSet, Decrement};
use crate::error::{Error, Result};
use crate::experiment::kappa_of;
use crate::simulation::Instance;

/// Half the largest mu'', sqrt(3)/36 rounded up.
const HALF_BEND: f64 = 0.048_112_522_433;

/// a_+ where the best log-odds is positive, sinh(1) - 1 rounded up. For z > -1, where mu'' falls, v_t/mu' is largest if
/// the best log-odds is zero, and there it is (sinh(w) - w)/w^2 with w = -z, which grows with w. For z >= 0 it is negative.
const REST_ABOVE: f64 = 0.175_201_193_65;

/// a_+ where it is not, (1 - log 2)/log^2 2 rounded up. With a = e^z and q = (1 + a)/(1 + a e^Delta), v_t/mu' is
/// ((e^Delta - 1) q - Delta)/Delta^2, and mu'(z_*)/mu'(z) = e^Delta q^2 is at most 2. Up to Delta = log 2, q <= 1 gives
/// (e^Delta - 1 - Delta)/Delta^2, which grows; from there q <= sqrt(2) e^{-Delta/2} gives
/// (2 sqrt(2) sinh(Delta/2) - Delta)/Delta^2, which falls up to the largest Delta, 2 asinh(1).
const REST_BELOW: f64 = 0.638_673_940_12;

/// What a run says, to be used in place of what is known before it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Seen {
    /// The elliptical sum, as runs record it.
    pub elliptical: Option<f64>,
    /// Plays of detrimental arms.
    pub detrimental_plays: Option<u64>,
}

/// A bound on the regret after `horizon` rounds, with its parts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct UpperBound {
    /// The set over which the policy is optimistic.
    pub set: ConfidenceSet,
    /// T.
    pub horizon: u64,
    /// The probability with which the bound holds, for all T at once.
    pub probability: f64,
    /// The largest gamma_t: bound on the gradient at theta*. Level sets of the plain loss do without it.
    pub gamma: f64,
    /// The largest rho_t: how far the set reaches from theta* in the metric of H_t(theta*).
    pub rho: f64,
    /// The same in the metric of the Hessian averaged between the two.
    pub rho_averaged: f64,
    /// E: a bound on the elliptical sum, or what a run realised if that is less.
    pub elliptical: f64,
    /// A sqrt(T/kappa_*), the part that stays.
    pub first_order: f64,
    /// Bounds on the rest of Taylor's formula, of which the least counts.
    pub second_order: SecondOrder,
    /// How often detrimental arms are played at most: Proposition 2, or as counted in a run if that is less.
    pub detrimental_plays: Option<f64>,
    /// Theorem 1: the solution of the quadratic inequality.
    pub general: f64,
    /// The sum over all arms that are not best, by how often each can be played; for a list of arms only.
    pub by_arms: Option<f64>,
    /// T times the largest gap.
    pub trivial: f64,
    /// The least of all of them.
    pub value: f64,
}

/// Bounds on R_2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SecondOrder {
    /// By kappa_X.
    pub by_kappa: f64,
    /// By the plays of detrimental arms; none if these cannot be bounded.
    pub by_detrimental: Option<f64>,
}

impl SecondOrder {
    /// The least.
    pub fn least(&self) -> f64 {
        self.by_detrimental.map_or(self.by_kappa, |other| other.min(self.by_kappa))
    }
}

/// The bounds of one instance for one set, ready for every T up to a horizon.
#[derive(Debug, Clone)]
pub struct UpperBounds {
    set: ConfidenceSet,
    problem: Setting,
    deviations: Deviations,
    losers: Losers,
    horizon: u64,
    kappa_star: f64,
    kappa_x: f64,
    best: f64,
    best_mean: f64,
    worst_gap: f64,
}

impl UpperBounds {
    /// Prepares for up to `horizon` rounds, for policies that are told `norm_bound` and `delta`.
    ///
    /// # Errors
    /// If an option is out of range, theta* is longer than the norm bound, or an arm longer than one.
    pub fn new(instance: &Instance, norm_bound: f64, delta: f64, set: ConfidenceSet, horizon: u64) -> Result<Self> {
        set.validate()?;
        let problem = check_problem(instance, norm_bound, delta)?;
        if horizon == 0 {
            return Err(Error::input("the horizon is 0: a bound needs a round at least"));
        }
        Ok(Self {
            set,
            problem,
            deviations: Deviations::new(set, problem, horizon)?,
            losers: Losers::new(instance),
            horizon,
            kappa_star: instance.kappa_star(),
            kappa_x: instance.kappa_x(),
            best: instance.best(),
            best_mean: instance.best_mean(),
            worst_gap: worst_gap(instance),
        })
    }

    /// The bound after `rounds` rounds: O(K) for K arms.
    ///
    /// # Errors
    /// If there are no rounds or more than the horizon, or what was seen is not a number.
    pub fn after(&self, rounds: u64, seen: &Seen) -> Result<UpperBound> {
        self.check(rounds, seen)?;
        let (t, d) = (rounds as f64, self.problem.options.dimension as f64);
        let worst = self.deviations.up_to(rounds)?;
        let elliptical = seen.elliptical.unwrap_or(f64::INFINITY).min(elliptical::weighted_sum(d, t));
        let proved = self.losers.proved(t, worst.rho_g, self.worst_gap);
        let counted = seen.detrimental_plays.map(|plays| self.losers.counted(plays, self.worst_gap));
        let square = worst.rho * worst.rho;
        let plain = elliptical::plain_sum(d, t, self.kappa_x).min(self.kappa_x * elliptical);
        let cost = least(proved.map(|toll| toll.cost), counted.map(|toll| toll.cost));
        let second_order = SecondOrder {
            by_kappa: HALF_BEND * square * plain,
            by_detrimental: cost.map(|cost| self.rest() * square * elliptical + cost),
        };
        let slope = worst.rho * elliptical.sqrt();
        let share = (2.0 * self.best_mean - 1.0).max(0.0);
        let general = solve(slope, second_order.least(), t / self.kappa_star, share);
        let by_arms = self.losers.regret(t, worst.rho_g);
        let trivial = t * self.worst_gap;
        Ok(UpperBound {
            set: self.set,
            horizon: rounds,
            probability: self.set.probability(self.problem.options.delta),
            gamma: worst.gamma,
            rho: worst.rho,
            rho_averaged: worst.rho_g,
            elliptical,
            first_order: slope * (t / self.kappa_star).sqrt(),
            second_order,
            detrimental_plays: least(proved.map(|toll| toll.plays), counted.map(|toll| toll.plays)),
            general,
            by_arms,
            trivial,
            value: general.min(trivial).min(by_arms.unwrap_or(f64::INFINITY)),
        })
    }

    fn check(&self, rounds: u64, seen: &Seen) -> Result<()> {
        if rounds == 0 || rounds > self.horizon {
            let most = self.horizon;
            return Err(Error::input(format!("the number of rounds is {rounds}: it must be between 1 and {most}")));
        }
        if let Some(sum) = seen.elliptical.filter(|sum| !(*sum >= 0.0)) {
            return Err(Error::input(format!("the elliptical sum is {sum}: it must be zero or positive")));
        }
        Ok(())
    }

    /// a_+.
    fn rest(&self) -> f64 {
        if self.best > 0.0 { REST_ABOVE } else { REST_BELOW }
    }
}

/// The lesser of what is known.
fn least(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The largest R for which R - c <= A sqrt(base + share R).
fn solve(slope: f64, c: f64, base: f64, share: f64) -> f64 {
    let half = 0.5 * share * slope;
    c + slope * (half + (half * half + share * c + base).sqrt())
}

/// The gap of the worst arm.
fn worst_gap(instance: &Instance) -> f64 {
    let lowest = instance.means().iter().copied().fold(f64::INFINITY, f64::min);
    // Ball, sphere and half ball alike reach down to -||theta*||.
    let lowest = if lowest.is_finite() { lowest } else { link::mean(-norm(instance.theta())) };
    instance.best_mean() - lowest
}

/// Relative rounding error of norms that are one, or ||theta*||, by design.
const ROUNDING: f64 = 1e-9;

fn check_problem(instance: &Instance, norm_bound: f64, delta: f64) -> Result<Setting> {
    let options = Problem { dimension: instance.theta().len(), delta, norm_bound: Some(norm_bound) };
    options.validate().map_err(|e| Error::input(e.to_string()))?;
    let truth = norm(instance.theta());
    if let Some(value) = instance.theta().iter().find(|value| !value.is_finite()) {
        return Err(Error::input(format!("an entry of theta* is {value}: it must be finite")));
    }
    if !(truth <= norm_bound * (1.0 + ROUNDING)) {
        let text = format!("norm_bound is {norm_bound}: it must be at least ||theta*||, which is {truth}");
        return Err(Error::input(text));
    }
    // kappa of a bound of one grows with the longest arm.
    if instance.kappa(1.0) > kappa_of(1.0 + ROUNDING) {
        return Err(Error::input("an arm is longer than 1: the bound is for arms in the unit ball; rescale the arms"));
    }
    Ok(Setting { options, norm_bound, truth: truth.min(norm_bound) })
}
