//! Elliptical sums: how much can be learnt in T rounds.
//!
//! **Bound.** Let a_t = ||v_t||^2 in the metric of the inverse of V_t = lambda I + sum_{s<t} v_s v_s', with
//! ||v_t||^2 <= b. Then a_t <= b/lambda =: u, so a_t <= c(u) log(1 + a_t) with c(u) = u/log(1 + u), and the product of
//! the 1 + a_t is the growth of the determinant, at most (1 + T b/(d lambda))^d.
//!
//! The ridge lambda_t of the sets grows, which only shrinks the norms: lambda_1 = d serves throughout.

/// Bound on the sum of ||v_t||^2 in the metric of V_t^{-1}, for T = `rounds` vectors of squared norm at most `square`.
fn potential(d: f64, rounds: f64, square: f64, ridge: f64) -> f64 {
    let u = square / ridge;
    let slack = if u > 0.0 { u / u.ln_1p() } else { 1.0 };
    slack * d * (rounds * u / d).ln_1p()
}

/// E, a bound on the sum of mu'(x_t'theta*) ||x_t||^2 in the metric of H_t(theta*)^{-1}.
pub(super) fn weighted_sum(d: f64, rounds: f64) -> f64 {
    potential(d, rounds, 0.25, d)
}

/// A bound on the sum of ||x_t||^2 in the metric of H_t(theta*)^{-1}, where no mu'(x'theta*) is below 1/kappa_x: then
/// H_t(theta*) is at least 1/kappa_x times the matrix of the x_t with ridge kappa_x lambda_1.
pub(super) fn plain_sum(d: f64, rounds: f64, kappa_x: f64) -> f64 {
    // The bound tends to T/lambda_1, which would be infinity times zero.
    let limit = rounds / d;
    if kappa_x.is_finite() { (kappa_x * potential(d, rounds, 1.0, kappa_x * d)).min(limit) } else { limit }
}
