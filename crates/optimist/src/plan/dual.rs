//! The certificate for sets without norm bound and without ridge: the entropy dual.
//!
//! For any s in [0, 1], softplus(z) >= s z - h(s) with h(s) = s ln s + (1-s) ln(1-s). So if weights s_k satisfy
//! sum_k (n_k s_k - p_k) x_k = nu x, every theta of the set obeys nu x'theta <= level + sum_k n_k h(s_k). The weights
//! mu(z_k) at an approximate maximiser satisfy the equation up to its residual; one Newton correction of the dual,
//! s_k = mu(z_k) - mu'(z_k) x_k'H^{-1}e, satisfies it to rounding, also when the maximum is only approached at infinity
//! (an arm that always succeeded: s_k goes to one).

use crate::linalg::{Cholesky, add_scaled, dot, norm};
use crate::link;
use crate::loss::Evaluation;
use crate::set::LevelSet;

/// An upper bound on max x'theta over the set, from the point theta with multiplier 1/nu; infinite if theta is too far
/// from a maximiser for the correction to give weights. Allocates: it is used for sets without norm bound only.
pub(crate) fn entropy_bound(set: &LevelSet<'_>, x: &[f64], nu: f64, theta: &[f64], at: &Evaluation) -> f64 {
    let d = theta.len();
    let history = set.history;
    let mut residual = at.gradient.clone();
    add_scaled(&mut residual, -nu, x);
    let Some(correction) = solve_in_span(&at.hessian, &residual) else { return f64::INFINITY };
    let mut row = vec![0.0; d];
    let mut left = vec![0.0; d];
    add_scaled(&mut left, -nu, x);
    let (mut entropy, mut size) = (0.0, nu * norm(x));
    for k in 0..history.rows() {
        history.features(k, &mut row);
        let (count, rewards) = history.outcomes(k);
        let z = dot(&row, theta);
        let shift = link::variance(z) * dot(&row, &correction);
        // Both probabilities are kept, so that neither loses digits near its end.
        let (success, failure) = (link::mean(z) - shift, link::mean(-z) + shift);
        if success < 0.0 || failure < 0.0 {
            return f64::INFINITY;
        }
        entropy += count * (x_log_x(success) + x_log_x(failure));
        let weight =
            if rewards > 0.5 * count { (count - rewards) - count * failure } else { count * success - rewards };
        add_scaled(&mut left, weight, &row);
        size += count * norm(&row);
    }
    let balanced = norm(&left) <= 64.0 * f64::EPSILON * size;
    if balanced { (set.level + entropy) / nu } else { f64::INFINITY }
}

fn x_log_x(p: f64) -> f64 {
    if p > 0.0 { p * p.ln() } else { 0.0 }
}

/// H^{-1} b for b in the span of H, which may be singular: a vanishing ridge, then refinement.
fn solve_in_span(h: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let d = b.len();
    let trace: f64 = (0..d).map(|i| h[i * d + i]).sum();
    let mut cholesky = Cholesky::new(d);
    let mut shift = 0.0;
    while !cholesky.factor(h, shift) {
        shift = if shift == 0.0 { trace * 1e-15 } else { shift * 10.0 };
        if !(shift > 0.0 && shift < trace) {
            return None;
        }
    }
    let mut solution = vec![0.0; d];
    let mut left = b.to_vec();
    let mut product = vec![0.0; d];
    for _ in 0..4 {
        cholesky.solve(&mut left);
        add_scaled(&mut solution, 1.0, &left);
        crate::linalg::multiply(h, &solution, &mut product);
        for i in 0..d {
            left[i] = b[i] - product[i];
        }
    }
    Some(solution)
}
