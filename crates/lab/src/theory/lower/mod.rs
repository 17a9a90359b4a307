//! Theorem 2 with all constants: what no policy can stay below on the ball or the sphere.
//!
//! **Idea.** Around theta* lie the 2^(d-1) parameters of [`Neighbours`], theta* + eps v for sign vectors v orthogonal to it,
//! all of norm r = sqrt(||theta*||^2 + (d-1) eps^2) and with the same kappa_eps = 1/mu'(r). To play well for one of them is
//! to lean towards its v_i in every coordinate i, and a policy that plays well learns too little to tell v_i from -v_i.
//!
//! **Steps**, for theta among them with regret R, x_* = theta/r, and i = 2, ..., d:
//!
//! ```text
//! (1) R >= r/(2 kappa_eps) sum_t E||x_* - x_t||^2       >= T eps^2/(2 kappa_eps r) sum_i P(mean of [x_t]_i has not sign v_i)
//! (2) average over theta of the sum of probabilities    >= (d-1)/2 (1 - sqrt(D/(2(d-1))))
//! ```
//!
//! where D is the average over theta of sum_i KL(theta, theta with v_i flipped), by Pinsker and Jensen. The universal bound
//! bounds D with the constants of the paper's proof, mended; the sharp one takes every step as well as it goes. Both then
//! say H >= f(H) for the largest regret H among the neighbours, with f decreasing, so that H is at least the fixed point.
//!
//! In (1) the ball does not help: 1 - x'x_* >= ||x - x_*||^2/2 for ||x|| <= 1, with equality on the sphere.

mod neighbours;
mod sharp;
mod universal;

use optimist::ArmSet;
use optimist::numerics::norm;
use serde::Serialize;

pub use self::neighbours::Neighbours;
use crate::error::{Error, Result};
use crate::experiment::kappa_of;

/// What the largest regret among some neighbours of theta* is at least, for every policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LowerBound {
    /// d.
    pub dimension: usize,
    /// ||theta*||.
    pub theta_norm: f64,
    /// T.
    pub horizon: u64,
    /// K_d of the universal bound K_d (d/||theta*||) sqrt(T/kappa_eps).
    pub constant: f64,
    /// c of its eps^2 = c sqrt(kappa_eps/T).
    pub scale: f64,
    /// The least T for which it is proved, d^2 kappa_eps.
    pub least_horizon: f64,
    /// The universal bound, where it applies.
    pub universal: Option<Packing>,
    /// Why it does not, where it does not.
    pub refusal: Option<String>,
    /// The best bound for this very theta* and T; never below the universal one.
    pub sharp: Packing,
}

/// Neighbours and the regret that one of them has at least.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Packing {
    /// How far a neighbour is from theta* in every coordinate but that of theta*; sqrt(d - 1) times this in all.
    pub eps: f64,
    /// 1/mu'(r) for the norm r of every neighbour.
    pub kappa_eps: f64,
    /// What the largest regret among them is at least.
    pub value: f64,
}

impl LowerBound {
    /// The bound for theta* after `horizon` rounds.
    ///
    /// # Errors
    /// If the arms are a list, the dimension is one, theta* is not of it, or there are no rounds.
    pub fn new(theta: &[f64], arms: &ArmSet, horizon: u64) -> Result<Self> {
        let (dimension, length) = check(theta, arms, horizon)?;
        let (d, t) = (dimension as f64, horizon as f64);
        let (constant, scale) = universal::constant(d);
        let least_horizon = universal::least_horizon(d, length, scale);
        let refusal = if length < 1.0 {
            Some(format!("||theta*|| is {length}: the theorem needs 1 at least"))
        } else if t < least_horizon {
            Some(format!("the horizon is {horizon}: the theorem needs {} at least", least_horizon.ceil()))
        } else {
            None
        };
        let universal = refusal.is_none().then(|| universal::packing(d, length, t));
        let sharp = sharp::packing(d, length, t, universal.map(|packing| packing.eps));
        Ok(Self { dimension, theta_norm: length, horizon, constant, scale, least_horizon, universal, refusal, sharp })
    }

    /// K_d and c of the universal bound.
    ///
    /// # Errors
    /// If the dimension is below two.
    pub fn constant(dimension: usize) -> Result<(f64, f64)> {
        if dimension < 2 {
            return Err(low_dimension(dimension));
        }
        Ok(universal::constant(dimension as f64))
    }
}

/// The norm of every neighbour.
fn radius(d: f64, length: f64, square: f64) -> f64 {
    (length * length + (d - 1.0) * square).sqrt()
}

/// kappa_eps, given eps^2.
fn kappa(d: f64, length: f64, square: f64) -> f64 {
    kappa_of(radius(d, length, square))
}

fn check(theta: &[f64], arms: &ArmSet, horizon: u64) -> Result<(usize, f64)> {
    let dimension = arms.dimension();
    if let ArmSet::Finite(list) = arms {
        let count = list.len();
        return Err(Error::input(format!("the arms are a list of {count}: the lower bound is for ball and sphere")));
    }
    if dimension < 2 {
        return Err(low_dimension(dimension));
    }
    if theta.len() != dimension {
        return Err(Error::input(format!("theta* has {} entries: the arms have {dimension} features", theta.len())));
    }
    check_finite(theta)?;
    if horizon == 0 {
        return Err(Error::input("the horizon is 0: a bound needs a round at least"));
    }
    Ok((dimension, norm(theta)))
}

/// Checks the entries of theta*.
fn check_finite(theta: &[f64]) -> Result<()> {
    match theta.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(Error::input(format!("an entry of theta* is {value}: it must be finite"))),
        None => Ok(()),
    }
}

fn low_dimension(dimension: usize) -> Error {
    Error::input(format!("the dimension is {dimension}: the lower bound needs 2 at least"))
}
