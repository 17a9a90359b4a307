//! What policies that look at each observation once promise, and how their sets are cut to the ball.

use super::widths::{Best, Ellipse};
use crate::error::{Result, check_number};
use crate::linalg::{norm, square_form};
use crate::policy::rule::{Direction, EMPTY, Pick};
use crate::problem::Problem;
use crate::set::Guarantee;

/// What the sets of one-pass policies assume.
const ASSUMPTIONS: &[&str] = &[
    "each arm is chosen before its reward is seen, and rewards arrive or go missing whatever their value",
    "observations are handed over in an order that does not depend on their rewards",
    "rewards lie in [0, 1] with mean mu(x'theta*)",
    "||x|| <= 1",
    "||theta*|| <= norm_bound",
];

/// The promise that theta* is at all times in the set of the policy `name`.
pub(in crate::policy) fn one_pass(
    name: &'static str,
    delta: f64,
    norm_bound: f64,
    citation: &'static str,
) -> Guarantee {
    Guarantee { name, delta: Some(delta), norm_bound: Some(norm_bound), assumptions: ASSUMPTIONS, citation }
}

/// The norm bound, for policies whose constants grow like a power of S: log-odds of a million are certainty, and much larger
/// ones leave the range of doubles.
pub(in crate::policy) fn sane_norm_bound(problem: &Problem, needed_by: &'static str) -> Result<f64> {
    problem.validate()?;
    let bound = problem.require_norm_bound(needed_by)?;
    check_number("norm_bound", bound, bound <= 1e6, "at most 1e6 for this policy")?;
    Ok(bound)
}

/// The norm bound, for policies whose constants grow like e^S: beyond 300 their squares leave the range of doubles.
pub(in crate::policy) fn moderate_norm_bound(problem: &Problem, needed_by: &'static str) -> Result<f64> {
    let bound = sane_norm_bound(problem, needed_by)?;
    check_number(
        "norm_bound",
        bound,
        bound <= 300.0,
        "at most 300 for this policy, whose constants grow like its exponential",
    )?;
    Ok(bound)
}

/// An ellipsoid cut to the ball ||theta|| <= norm_bound.
#[derive(Clone, Copy)]
pub(in crate::policy) struct CutEllipse<'a> {
    pub(in crate::policy) ellipse: Ellipse<'a>,
    /// Square of the radius: negative if the set is empty, which happens only where the promise has failed.
    pub(in crate::policy) squared_radius: f64,
    pub(in crate::policy) norm_bound: f64,
}

impl CutEllipse<'_> {
    /// Bounds on x'theta: those of the ellipsoid and those of the ball, whichever are closer. The wrong way round if the two
    /// have nothing in common.
    pub(in crate::policy) fn bounds(&self, x: &[f64]) -> (f64, f64) {
        self.cut(self.ellipse.bounds(x), x)
    }

    fn cut(&self, bounds: (f64, f64), x: &[f64]) -> (f64, f64) {
        let reach = self.norm_bound * norm(x);
        if self.squared_radius < 0.0 { EMPTY } else { (bounds.0.max(-reach), bounds.1.min(reach)) }
    }

    pub(in crate::policy) fn contains(&self, theta: &[f64]) -> bool {
        let offset: Vec<f64> = theta.iter().zip(self.ellipse.centre).map(|(t, c)| t - c).collect();
        let inside = square_form(self.ellipse.precision.matrix(), &offset) <= self.squared_radius;
        inside && norm(theta) <= self.norm_bound
    }

    /// The best arm with its bounds.
    pub(in crate::policy) fn pick(&self, best: Best, x: &[f64]) -> Pick {
        let (low, high) = self.cut((best.mean - best.width, best.mean + best.width), x);
        Pick { arm: best.arm, bounds: (Some(low), Some(high)) }
    }

    /// The best direction with its bounds.
    pub(in crate::policy) fn direction(&self) -> Direction {
        let features = self.ellipse.best_direction();
        let (low, high) = self.bounds(&features);
        Direction { features, bounds: (Some(low), Some(high)) }
    }
}
