//! What policies that look at each observation once promise.

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
