//! How large a norm bound may be where constants grow with it.

use crate::error::{Result, check_number};
use crate::link;
use crate::problem::Problem;

/// The norm bound, for policies whose constants grow like a power of S: log-odds of a million are certainty, and much larger
/// ones leave the range of doubles.
pub(super) fn sane_norm_bound(problem: &Problem, needed_by: &'static str) -> Result<f64> {
    problem.validate()?;
    let bound = problem.require_norm_bound(needed_by)?;
    check_number("norm_bound", bound, bound <= 1e6, "at most 1e6 for this policy")?;
    Ok(bound)
}

/// The norm bound, for policies whose constants grow like e^S: beyond 300 their squares leave the range of doubles.
pub(super) fn moderate_norm_bound(problem: &Problem, needed_by: &'static str) -> Result<f64> {
    let bound = sane_norm_bound(problem, needed_by)?;
    check_number(
        "norm_bound",
        bound,
        bound <= 300.0,
        "at most 300 for this policy, whose constants grow like its exponential",
    )?;
    Ok(bound)
}

/// The least slope of the link over the log-odds that are possible, inverted: kappa = 1/mu'(S).
pub(super) fn kappa(norm_bound: f64) -> Result<f64> {
    let allowed = "at most 500 here: the bonus grows as exp(norm_bound)";
    check_number("norm_bound", norm_bound, norm_bound <= 500.0, allowed)?;
    Ok(1.0 / link::variance(norm_bound))
}
