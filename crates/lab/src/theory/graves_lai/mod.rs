//! The smallest regret that a consistent policy can have on one bandit of finitely many fixed arms (Graves, Lai 1997).
//!
//! A policy is consistent if on every bandit of the class its regret grows more slowly than any power of T. On the bandit
//! of theta* its regret R(T) then obeys liminf R(T)/log T >= C, where C is the value of
//!
//! min over eta >= 0 of sum_y eta_y gap_y such that sum_y eta_y kl(z_y, z_y + y'delta) >= 1 for every theta* + delta
//!
//! that could be true for all that playing the best arms tells, and under which another arm is better: what is not
//! played often enough to rule such an alternative out would be missed if that were the truth. eta_y is how often arm y
//! must be played per log T. C is an asymptotic constant: at a finite horizon a policy may be below C log T.

pub mod divergence;

mod outcome;

#[cfg(feature = "graves-lai")]
mod alternative;
#[cfg(feature = "graves-lai")]
mod cutting;
#[cfg(feature = "graves-lai")]
mod master;
#[cfg(feature = "graves-lai")]
mod problem;
#[cfg(feature = "graves-lai")]
mod step;
#[cfg(feature = "graves-lai")]
mod subspace;

pub use outcome::{GravesLai, Status};

use optimist::FiniteArms;

use crate::error::Result;

/// The constant C of these arms under theta*, certified from both sides.
///
/// The class of parameters is all of R^d, or the ball of radius `norm_bound` if there is one: what a policy is told
/// beforehand narrows the class, and a narrower class has fewer alternatives.
///
/// # Errors
/// If theta* has another dimension than the arms or is not finite, if the norm bound is not positive and finite or below
/// the norm of theta*, if log-odds are beyond +-500, or if the crate was built without the feature `graves-lai`.
#[cfg(feature = "graves-lai")]
pub fn graves_lai(theta: &[f64], arms: &FiniteArms, norm_bound: Option<f64>) -> Result<GravesLai> {
    check::input(theta, arms, norm_bound)?;
    Ok(cutting::solve(&problem::Problem::new(theta, arms, norm_bound)))
}

/// The constant C of these arms under theta*, which this build cannot compute.
///
/// # Errors
/// Always: the crate was built without the feature `graves-lai`.
#[cfg(not(feature = "graves-lai"))]
pub fn graves_lai(_: &[f64], _: &FiniteArms, _: Option<f64>) -> Result<GravesLai> {
    Err(crate::error::Error::input(
        "the Graves-Lai constant: this program was built without it; build with the feature \"graves-lai\"",
    ))
}

#[cfg(feature = "graves-lai")]
mod check {
    use optimist::FiniteArms;
    use optimist::numerics::{dot, norm};

    use crate::error::{Error, Result};

    /// Beyond it, what a play tells is no longer a normal number.
    const LOG_ODDS: f64 = 500.0;

    pub(super) fn input(theta: &[f64], arms: &FiniteArms, norm_bound: Option<f64>) -> Result<()> {
        let (d, features) = (theta.len(), arms.dimension());
        if d != features {
            return Err(Error::input(format!("theta has {d} entries, the arms have {features}: give as many")));
        }
        if let Some(bad) = theta.iter().find(|t| !t.is_finite()) {
            return Err(Error::input(format!("theta has an entry {bad}: give finite numbers")));
        }
        if let Some(bound) = norm_bound {
            check_bound(norm(theta), bound)?;
        }
        let beyond = arms.iter().map(|x| dot(x, theta)).position(|z| !(z.abs() <= LOG_ODDS));
        match beyond {
            Some(k) => Err(Error::input(format!(
                "arm {} has log-odds {} under theta, beyond {LOG_ODDS}: scale theta or the arms down",
                arms.id(k),
                dot(arms.arm(k), theta)
            ))),
            None => Ok(()),
        }
    }

    fn check_bound(length: f64, bound: f64) -> Result<()> {
        if !(bound > 0.0 && bound.is_finite()) {
            return Err(Error::input(format!("norm_bound is {bound}: give a positive number")));
        }
        // A theta that was scaled to the bound may be longer by rounding.
        if length > bound * (1.0 + 1e-12) {
            return Err(Error::input(format!("norm_bound is {bound}, below the norm of theta, {length}: raise it")));
        }
        Ok(())
    }
}

#[cfg(all(test, not(feature = "graves-lai")))]
mod tests {
    use optimist::FiniteArms;

    #[test]
    fn without_the_feature_the_error_names_it() {
        let arms = FiniteArms::new(1, vec![1.0]).unwrap();
        let error = super::graves_lai(&[1.0], &arms, None).unwrap_err().to_string();
        assert!(error.contains("feature \"graves-lai\""), "{error}");
    }
}
