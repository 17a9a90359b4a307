//! The best that the proof gives for one theta* and one T.
//!
//! **Information.** For log-odds a and b with h = |a - b|, the relative entropy of two rewards is the integral of
//! (1 - v) mu'(a + v(b - a)) h^2 over [0, 1], at most mu'(a)(e^h - 1 - h) by self-concordance. A flip has h = 2 eps |[x]_i|,
//! and (e^h - 1 - h)/h^2 grows with h, so with k = e^{2 eps} - 1 - 2 eps
//!
//! ```text
//! D <= k sum_t E mu'(x_t'theta) sum_i [x_t]_i^2 <= k (sqrt(P) + sqrt(Q))^2      (Minkowski, x_t = (x_t - x_*) + x_*)
//! P = sum_t E mu'(x_t'theta) ||x_t - x_*||^2 <= 2 H/(r q),   q = min over |z| < r of (mu(r) - mu(z))/(mu'(z)(r - z))
//! Q = (d-1)(eps/r)^2 sum_t E mu'(x_t'theta) <= (d-1)(eps/r)^2 (T/kappa_eps + tanh(r/2) H)
//! ```
//!
//! The first because ||x - x_*||^2 <= 2(1 - z/r) for z = x'theta; the second because
//! mu'(z) - mu'(r) = (mu(r) - mu(z))(mu(r) + mu(z) - 1) <= (mu(r) - mu(z)) tanh(r/2). The paper has 4 eps^2 e^{4 eps} for
//! k, 2(P + Q) for the square, 6 for 2/(r q) and 1 for tanh(r/2). None of it needs ||theta*|| >= 1 or a large T.

use super::{Packing, kappa, radius};

/// Places where the best eps is looked for first.
const PLACES: i32 = 120;

/// The neighbours with the largest bound; `also` is a place to look at as well.
pub(super) fn packing(d: f64, length: f64, rounds: f64, also: Option<f64>) -> Packing {
    // At the optimum eps^2 is of the order sqrt(kappa/T).
    let centre = (kappa(d, length, 0.0) / rounds).powf(0.25).min(1e3);
    let place = |i: i32| centre * (-7.0 + 10.0 * f64::from(i) / f64::from(PLACES)).exp();
    let value = |eps: f64| regret(d, length, rounds, eps);
    let best = (0..=PLACES).max_by(|&i, &j| value(place(i)).total_cmp(&value(place(j)))).unwrap_or(0);
    // Every eps gives a bound, so it does no harm if the best lies elsewhere.
    let (mut low, mut high) = (place(best - 1), place(best + 1));
    for _ in 0..60 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if value(left) < value(right) { low = left } else { high = right }
    }
    let candidates = [Some(low), Some(place(best)), also].into_iter().flatten();
    let eps = candidates.max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap_or(low);
    Packing { eps, kappa_eps: kappa(d, length, eps * eps), value: value(eps) }
}

/// The largest regret among the neighbours is at least this: the fixed point of f.
fn regret(d: f64, length: f64, rounds: f64, eps: f64) -> f64 {
    let square = eps * eps;
    let (r, kappa) = (radius(d, length, square), kappa(d, length, square));
    let most = rounds * square * (d - 1.0) / (4.0 * kappa * r);
    let k = (2.0 * eps).exp_m1() - 2.0 * eps;
    let (p, q) = (2.0 / (r * least_ratio(r)), (d - 1.0) * square / (r * r));
    let f = |h: f64| {
        let root = (p * h).sqrt() + (q * (rounds / kappa + (0.5 * r).tanh() * h)).sqrt();
        most * (1.0 - (0.5 * k / (d - 1.0)).sqrt() * root)
    };
    // Where mu'(r) vanishes in doubles nothing can be said.
    if !(most > 0.0 && f(0.0) > 0.0) {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, most);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if f(middle) >= middle { low = middle } else { high = middle }
    }
    low
}

/// q: with w = r - z the ratio is (sinh(r/2) + sinh(w - r/2))/(w cosh(r/2)), a function that is concave up to w = r/2 and
/// convex from there, divided by w: it falls, then rises.
fn least_ratio(r: f64) -> f64 {
    // Both parts divided by e^{r/2}, so that nothing overflows.
    let scale = 1.0 + (-r).exp();
    let ratio = |w: f64| (-(-r).exp_m1() + (w - r).exp() - (-w).exp()) / (w * scale);
    let (mut low, mut high) = (0.0, 2.0 * r);
    for _ in 0..80 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if ratio(left) > ratio(right) { low = left } else { high = right }
    }
    ratio(high)
}
