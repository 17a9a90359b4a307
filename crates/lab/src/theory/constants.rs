//! The constants of an instance: how hard it is, and what each of its arms is worth.

use optimist::numerics::norm;
use optimist::{ArmSet, link};
use serde::Serialize;

use super::graves_lai::divergence::rise;
use crate::error::{Error, Result};
use crate::simulation::Instance;

/// What Abeille, Faury and Calauzenes (2021) say of an instance before anything is played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InstanceConstants {
    /// The largest 1/mu'(x'theta) over the arms and all theta of norm at most the bound.
    pub kappa: f64,
    /// 1/mu'(x*'theta*) at the best arm x*, which governs the long run.
    pub kappa_star: f64,
    /// The largest 1/mu'(x'theta*) over the arms, which governs the beginning.
    pub kappa_x: f64,
    /// The best arm.
    pub optimal_arm: OptimalArm,
    /// x*'theta*.
    pub best_log_odds: f64,
    /// mu(x*'theta*), the success probability of the best arm.
    pub best_mean: f64,
    /// The numbers of the detrimental arms X_-, which are bad and tell little; empty for ball and sphere, whose
    /// detrimental arms are the cap x'theta* <= `detrimental_below`.
    pub detrimental: Vec<usize>,
    /// Arms with at most these log-odds are detrimental: -1 if the best log-odds are positive, otherwise where mu' is half
    /// of what it is at the best arm.
    pub detrimental_below: f64,
    /// theta*.
    pub theta: Vec<f64>,
    /// ||theta*||.
    pub theta_norm: f64,
    /// The bound S on ||theta*||.
    pub norm_bound: f64,
    /// One entry per arm, if the arms are a list.
    pub arms: Vec<ArmFacts>,
}

/// The best arm: its number in a list, or a point of the ball or the sphere.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OptimalArm {
    /// The number in the list, from zero; the first of equals.
    Number(usize),
    /// The point theta*/||theta*||, or the first axis if theta* is zero and all points are equal.
    Point(Vec<f64>),
}

/// What an arm is worth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ArmFacts {
    /// x'theta*.
    pub log_odds: f64,
    /// mu(x'theta*).
    pub mean: f64,
    /// mu(x*'theta*) - mu(x'theta*): what a play costs.
    pub gap: f64,
    /// (x* - x)'theta*, the gap in log-odds.
    pub log_odds_gap: f64,
    /// mu'(x'theta*), the information in a reward: the variance of a play.
    pub information: f64,
    /// The least mu'(x'theta) over all theta of norm at most the bound: the information that a play is sure to carry.
    pub least_information: f64,
    /// Whether it belongs to X_-.
    pub detrimental: bool,
}

impl InstanceConstants {
    /// The constants of an instance: O(K d) for K arms of d features, in closed form for ball and sphere.
    ///
    /// # Errors
    /// If theta* or the bound is not finite, theta* is longer than the bound, or the arms have another number of features.
    pub fn of(theta: &[f64], arms: &ArmSet, norm_bound: f64) -> Result<Self> {
        check(theta, arms, norm_bound)?;
        let instance = Instance::new(theta, arms);
        let facts = facts(&instance, arms, norm_bound);
        Ok(Self {
            kappa: instance.kappa(norm_bound),
            kappa_star: instance.kappa_star(),
            kappa_x: instance.kappa_x(),
            optimal_arm: instance.best_arm().map_or_else(|| OptimalArm::Point(direction(theta)), OptimalArm::Number),
            best_log_odds: instance.best(),
            best_mean: instance.best_mean(),
            detrimental: (0..facts.len()).filter(|i| facts[*i].detrimental).collect(),
            detrimental_below: instance.detrimental_below(),
            theta: theta.to_vec(),
            theta_norm: norm(theta),
            norm_bound,
            arms: facts,
        })
    }
}

fn check(theta: &[f64], arms: &ArmSet, norm_bound: f64) -> Result<()> {
    if let Some(value) = theta.iter().find(|value| !value.is_finite()) {
        return Err(Error::input(format!("theta has {value}: give finite numbers")));
    }
    if !(norm_bound.is_finite() && norm_bound > 0.0) {
        return Err(Error::input(format!("norm_bound is {norm_bound}: give a finite number above 0")));
    }
    if arms.dimension() != theta.len() {
        let (d, n) = (arms.dimension(), theta.len());
        return Err(Error::input(format!("theta has {n} numbers and the arms have {d} features: give as many")));
    }
    let length = norm(theta);
    // The bound may have been computed from theta itself.
    if length > norm_bound * (1.0 + 1e-12) {
        return Err(Error::input(format!("norm_bound is {norm_bound}, below the norm {length} of theta: raise it")));
    }
    Ok(())
}

fn direction(theta: &[f64]) -> Vec<f64> {
    let length = norm(theta);
    if length > 0.0 {
        return theta.iter().map(|v| v / length).collect();
    }
    let mut axis = vec![0.0; theta.len()];
    axis[0] = 1.0;
    axis
}

fn facts(instance: &Instance, arms: &ArmSet, norm_bound: f64) -> Vec<ArmFacts> {
    let ArmSet::Finite(list) = arms else { return Vec::new() };
    let fact = |(i, x): (usize, &[f64])| {
        let (log_odds, mean) = (instance.log_odds()[i], instance.means()[i]);
        ArmFacts {
            log_odds,
            mean,
            // Without cancellation: far out on the curve the means differ in no digit.
            gap: rise(log_odds, instance.best() - log_odds),
            log_odds_gap: instance.best() - log_odds,
            information: instance.slopes()[i],
            least_information: link::variance(norm_bound * norm(x)),
            detrimental: instance.detrimental()[i],
        }
    };
    list.iter().enumerate().map(fact).collect()
}
