//! The proof of the paper's concentration theorem mixes M_t(xi) with a density g_t that changes with the round, and then
//! writes E int M_tau g_tau = int E[M_tau] g_tau for a random round tau. Here is what happens to the expectation.

use super::quadrature::integral;

/// Erratum, in rational numbers. One toss of a fair coin e = +-1 and M_1(xi) = 1 + xi e, M_2 = M_1: martingales with
/// mean 1 for every |xi| < 1. The mixture is all at xi = 1/2 in round 1 and all at xi = 0 in round 2; stop in round 1 if
/// e = 1, else in round 2. Then E M_tau(xi) = 1 for each xi, but the mixture at tau has the mean 5/4.
#[test]
fn printed_exchange_of_mean_and_moving_mixture_exceeds_one() {
    let martingale = |xi: f64, e: f64| 1.0 + xi * e;
    let round = |e: f64| if e > 0.0 { 1 } else { 2 };
    let moving = |round: i32| if round == 1 { 0.5 } else { 0.0 };
    let mean = |f: &dyn Fn(f64) -> f64| 0.5 * (f(1.0) + f(-1.0));
    for xi in [0.0, 0.5] {
        assert_eq!(mean(&|e| martingale(xi, e)), 1.0, "a fixed mixture keeps its mean");
    }
    assert_eq!(mean(&|e| martingale(moving(round(e)), e)), 1.25);
}

/// The density of the proof: normal of precision 2 ridge, truncated to |xi| <= 1/2, in one dimension; the mean under it of
/// exp(xi sum - xi^2 n), the M_t of n signs with this sum.
fn mixture(ridge: f64, sum: f64, n: f64) -> f64 {
    let panels = 400;
    let weight = |v: f64| (-ridge * (v - 0.5).powi(2)).exp();
    let value = |v: f64| weight(v) * (sum * (v - 0.5) - n * (v - 0.5).powi(2)).exp();
    integral(panels, value) / integral(panels, weight)
}

/// The probability that n fair signs have the sum n - 2k.
fn probability(n: i32, k: i32) -> f64 {
    (0..k).fold(0.5_f64.powi(n), |p, i| p * f64::from(n - i) / f64::from(i + 1))
}

/// Stop after `early` signs if the mixture with the ridge `first` is above 1; else go on to a round so late that its ridge
/// `last` has all of the density at zero.
fn stopped(first: f64, last: f64, early: i32) -> f64 {
    let late = 2 * early;
    (0..=early)
        .map(|k| {
            let now = mixture(first, f64::from(early - 2 * k), f64::from(early));
            let then = || -> f64 {
                let ends = (0..=late - early).map(|j| {
                    let sum = f64::from(early - 2 * k + late - early - 2 * j);
                    probability(late - early, j) * mixture(last, sum, f64::from(late))
                });
                ends.sum()
            };
            probability(early, k) * if now > 1.0 { now } else { then() }
        })
        .sum()
}

/// Erratum, with the paper's own M_t and g_t, sixteen fair signs, sixteen more, and a ridge that grows from 1 to 1e6. The
/// excess is small because M_t is a supermartingale with room to spare, e^{xi^2} for what could be e^{xi^2/2}.
///
/// A ridge that stays, or the density of the least ridge throughout, keeps the mean at or below 1. As the truncated normal
/// density of precision 2 lambda_0 is at least (lambda_0/lambda_t)^{d/2} times that of 2 lambda_t, the theorem holds with
/// lambda_0^{-d/2} for lambda_t^{-d/2}, at the cost of (d/sqrt(lambda_t)) log(lambda_t/lambda_0) in gamma_t.
#[test]
fn printed_mixture_of_a_growing_ridge_exceeds_one() {
    let moving = stopped(1.0, 1e6, 16);
    assert!((moving - 1.0307).abs() < 1e-4, "{moving}");
    assert!(stopped(1.0, 1.0, 16) <= 1.0 && stopped(1e6, 1e6, 16) <= 1.0);
}

/// The comparison of densities that the repair rests on.
#[test]
fn density_of_the_least_ridge_is_a_share_of_any_other() {
    for d in 1..=3_i32 {
        for (least, ridge) in [(1.0_f64, 1.5_f64), (1.0, 40.0), (3.0, 3.0), (2.0, 500.0)] {
            // Radial mass of exp(-ridge r^2) on r <= 1/2: the sphere's area cancels.
            let mass = |ridge: f64| integral(400, |v| v.powi(d - 1) * (-ridge * 0.25 * v * v).exp());
            let density = |ridge: f64, r: f64| (-ridge * r * r).exp() / mass(ridge);
            let share = (least / ridge).powf(0.5 * f64::from(d));
            for k in 0..=50 {
                let r = 0.01 * f64::from(k);
                assert!(density(least, r) >= share * density(ridge, r) * (1.0 - 1e-12), "d = {d}, {ridge}, r = {r}");
            }
        }
    }
}
