//! The universal constant.
//!
//! For ||theta*|| >= 1, T >= d^2 kappa_eps and eps^2 = c sqrt(kappa_eps/T), the paper's proof with its factors mended
//! (1/2 in the bound of the regret by distances, 4 in the square of a flip, 1 for 1/2 in eps^2/r^2 <= eps^2) bounds
//! D/(2(d-1)) by 4 eps^2 e^{4 eps} (6H/(d-1) + eps^2 (T/kappa_eps + H)). With H = K (d/||theta*||) sqrt(T/kappa_eps) and
//! r <= 2||theta*||, everything cancels but c and d:
//!
//! ```text
//! K = (c/8) ((d-1)/d) (1 - sqrt(4 c e^{4 sqrt(c/d)} (6dK/(d-1) + c + cK)))
//! ```
//!
//! whose solution is as large as it gets for some c.

use super::{Packing, kappa};

/// K_d with its c.
pub(super) fn constant(d: f64) -> (f64, f64) {
    // The solution rises from zero to its largest value and falls: thirds close in on it. Its c is near 0.1.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if solution(d, left) < solution(d, right) { low = left } else { high = right }
    }
    (solution(d, low), low)
}

/// The solution K for a given c; negative where there is none.
fn solution(d: f64, c: f64) -> f64 {
    let a = c / 8.0 * (d - 1.0) / d;
    let b = 4.0 * c * (4.0 * (c / d).sqrt()).exp();
    let p = 6.0 * d / (d - 1.0) + c;
    // With s the root, K = a (1 - s) and s^2 + a b p s - b (c + a p) = 0.
    let half = 0.5 * a * b * p;
    a * (1.0 - ((half * half + b * (c + a * p)).sqrt() - half))
}

/// d^2 kappa_eps where T is just that, so that eps^2 = c/d.
pub(super) fn least_horizon(d: f64, length: f64, c: f64) -> f64 {
    d * d * kappa(d, length, c / d)
}

/// The neighbours for T = `rounds`, at least the least horizon.
pub(super) fn packing(d: f64, length: f64, rounds: f64) -> Packing {
    let (constant, c) = constant(d);
    // c^2 kappa_eps/eps^4 falls as eps^2 grows up to c/d, where it is the least horizon: it is T at one place. That
    // is because log kappa_eps grows by less than (c/4)/eps^2 there.
    let (mut low, mut high) = (0.0, c / d);
    for _ in 0..200 {
        let square = 0.5 * (low + high);
        if c * c * kappa(d, length, square) > rounds * square * square { low = square } else { high = square }
    }
    let kappa_eps = kappa(d, length, high);
    Packing { eps: high.sqrt(), kappa_eps, value: constant * d / length * (rounds / kappa_eps).sqrt() }
}
