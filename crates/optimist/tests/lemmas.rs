//! The scalar inequalities the proofs and the certificates of this crate rest on, as properties of `optimist::link`.
//!
//! Margins are counted, not chosen: every one is a number of units in the last place times the magnitudes that were
//! rounded. Where an inequality is tight (in the tails, at equal points) a coefficient wrong by 1e-12 would be seen.
//! The documented errors of the link are 2 ulp for softplus, 3 for mean and variance and 4 for skew.

use optimist::link::{mean, skew, softplus, variance};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed};
use std::f64::consts::{E, LN_2};

const EPS: f64 = f64::EPSILON;

/// The same cases on every run and machine.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(0x1061_5711),
        ..ProptestConfig::default()
    }
}

/// Logits from the middle, where the curvature is, and from the tails, where the inequalities are tight.
fn logit(range: f64) -> impl Strategy<Value = f64> + Clone {
    prop_oneof![4 => -range..range, 4 => -5.0..5.0, 4 => -1e-3..1e-3, 1 => Just(0.0)]
}

/// Distances of all scales down to 1e-9, of either sign.
fn step(range: f64) -> impl Strategy<Value = f64> + Clone {
    prop_oneof![
        -range..range,
        -3.0..3.0,
        (-9.0..0.0).prop_map(|x: f64| 10f64.powf(x)),
        (-9.0..0.0).prop_map(|x: f64| -10f64.powf(x))
    ]
}

/// Gauss-Legendre nodes and weights of ten points on [-1, 1], the positive half.
const GAUSS: [(f64, f64); 5] = [
    (0.14887433898163122, 0.29552422471475287),
    (0.4333953941292472, 0.26926671930999635),
    (0.6794095682990244, 0.21908636251598204),
    (0.8650633666889845, 0.1494513491505806),
    (0.9739065285171717, 0.06667134430868814),
];

/// The integral over v in [0, 1] of weight(v) mu'(z1 + v (z2 - z1)), and a bound of its error.
///
/// On panels no longer than 1 in z the nearest pole of mu', at i pi, is so far away that the rule's own error is below
/// 1e-20 of the integrand, and what remains is rounding: mu' is positive and |mu''| <= mu', so that an error of a few
/// ulp of z is as large a relative error of mu'.
fn average(z1: f64, z2: f64, weight: impl Fn(f64) -> f64) -> (f64, f64) {
    let length = z2 - z1;
    let panels = length.abs().ceil().max(1.0);
    let half = 0.5 / panels;
    let mut sum = 0.0;
    for panel in 0..panels as usize {
        let centre = (2 * panel + 1) as f64 * half;
        let value = |v: f64| weight(v) * variance(z1 + v * length);
        let pair = |&(x, w): &(f64, f64)| w * (value(centre - half * x) + value(centre + half * x));
        sum += half * GAUSS.iter().map(pair).sum::<f64>();
    }
    // Each value: 3 of mu', 2 of the weights, 3 of the products and of `half`; then five, and one for each panel.
    let ulp = 3.0 + 2.0 + 3.0 + 5.0 + panels;
    // The argument: its own rounding, and that of v, of the length and of their product.
    let argument = z1.abs().max(z2.abs()) + 3.0 * length.abs();
    (sum, EPS * (ulp + argument) * sum)
}

/// e^x - 1 - x to 4 ulp.
fn remainder(x: f64) -> f64 {
    if x.abs() > 1.0 {
        return x.exp_m1() - x;
    }
    // Small terms first. The series alternates for x < 0, but its first term exceeds the rest three times.
    let tail = (3..=20).rev().fold(0.0, |sum, k| (1.0 + sum) * x / f64::from(k));
    0.5 * x * x * (1.0 + tail)
}

/// softplus(z2) - softplus(z1) - mu(z1)(z2 - z1) as it stands, and a bound of its error.
fn divergence(z1: f64, z2: f64) -> (f64, f64) {
    // It is the same at -z1 and -z2; the tail where softplus is small cancels less.
    let (z1, z2) = if z1 > 0.0 { (-z1, -z2) } else { (z1, z2) };
    let (first, second, linear) = (softplus(z1), softplus(z2), mean(z1) * (z2 - z1));
    // 2 ulp each and 3 + 1 for the product; 1 each for the differences.
    (second - first - linear, EPS * (4.0 * first + 4.0 * second + 6.0 * linear.abs()))
}

#[test]
fn the_extreme_values_of_the_derivatives() {
    assert_eq!(variance(0.0), 0.25);
    let (at, peak) = (-1.3169578969248168, 0.09622504486493763); // -ln(2 + sqrt 3), 1 / (6 sqrt 3)
    assert!((skew(at) - peak).abs() <= 4.0 * EPS * peak);
    // The peak is there: a thousandth to either side mu'' is lower by half its curvature, which there is mu'' itself.
    for away in [at - 1e-3, at + 1e-3] {
        let fall = peak - skew(away);
        assert!((fall / (0.5e-6 * peak) - 1.0).abs() < 1e-3, "{fall:e}");
    }
}

proptest! {
    #![proptest_config(config())]

    // (a)
    #[test]
    fn derivatives_are_bounded(z in logit(700.0)) {
        prop_assert!(skew(z).abs() <= variance(z) * (1.0 + 7.0 * EPS));
        prop_assert!(variance(z) <= 0.25 * (1.0 + 3.0 * EPS));
        prop_assert!(skew(z).abs() <= 0.09622504486493763 * (1.0 + 5.0 * EPS));
    }

    // (b)
    #[test]
    fn variance_is_self_concordant(z1 in logit(340.0), z2 in logit(340.0)) {
        let d = (z1 - z2).abs();
        // 3 + 3 for the variances, 2 for the exponential and the product, d for the rounding of its argument.
        let margin = 1.0 + EPS * (8.0 + d);
        prop_assert!(variance(z1) <= variance(z2) * d.exp() * margin);
        prop_assert!(variance(z2) * (-d).exp() <= variance(z1) * margin);
    }

    // (c)
    #[test]
    fn average_variance_is_bounded_below(z1 in logit(100.0), step in step(60.0)) {
        let z2 = z1 + step;
        let d = (z2 - z1).abs();
        let (integral, error) = average(z1, z2, |_| 1.0);
        for z in [z1, z2] {
            // 3 for the variance, 3 for d, the sum and the quotient.
            let bound = variance(z) / (1.0 + d);
            prop_assert!(integral + error + 6.0 * EPS * bound >= bound, "{integral:e} < {bound:e}");
        }
        // The closed form is the same number. On the negative side its means are small and cancel less.
        let (a, b) = if z1 > 0.0 { (-z1, -z2) } else { (z1, z2) };
        let closed = (mean(b) - mean(a)) / (b - a);
        let closed_error = EPS * (3.5 * (mean(a) + mean(b)) / d + 3.0 * closed.abs());
        prop_assert!((closed - integral).abs() <= closed_error + error, "{closed:e} and {integral:e}");
    }

    // (d)
    #[test]
    fn weighted_average_variance_is_bounded_below(z1 in logit(100.0), step in step(60.0)) {
        let z2 = z1 + step;
        let d = (z2 - z1).abs();
        let bound = variance(z1) / (2.0 + d);
        let (integral, error) = average(z1, z2, |v| 1.0 - v);
        prop_assert!(integral + error + 6.0 * EPS * bound >= bound, "{integral:e} < {bound:e}");
        let (closed, closed_error) = divergence(z1, z2);
        let (closed, closed_error) = (closed / (d * d), closed_error / (d * d) + 4.0 * EPS * integral);
        prop_assert!((closed - integral).abs() <= closed_error + error, "{closed:e} and {integral:e}");
        prop_assert!(closed + closed_error + 6.0 * EPS * bound >= bound, "{closed:e} < {bound:e}");
    }

    // (e)
    #[test]
    fn exponential_average_is_bounded_below(x in prop_oneof![0.0..1e6f64, step(3.0).prop_map(f64::abs)]) {
        prop_assume!(x > 0.0);
        // (1 + (e^-x - 1)/x) / x is (e^-x - 1 + x) / x^2; 4 for the remainder, 2 for the quotient, 2 for the bound.
        let value = remainder(-x) / (x * x);
        prop_assert!(value * (1.0 + 8.0 * EPS) >= 1.0 / (2.0 + x), "{value:e} at {x:e}");
        // As it is written, where it can be: 1 cancels, and the division magnifies what is left of it.
        let written = (1.0 + (-x).exp_m1() / x) / x;
        prop_assert!((written - value).abs() <= EPS * (3.0 / x + 8.0 * value), "{written:e} and {value:e}");
    }

    // (e)
    #[test]
    fn quadratic_inequality_is_solved(
        b in prop_oneof![Just(0.0f64), 0.0..1.0, 0.0..1e6],
        c in prop_oneof![Just(0.0f64), 0.0..1.0, 0.0..1e6],
    ) {
        // The largest x with x^2 <= b x + c, which stands for all. 4 ulp for it, 2 for the bound.
        let x = 0.5 * (b + (b * b + 4.0 * c).sqrt());
        prop_assert!((x * x - b * x - c).abs() <= EPS * (9.0 * x * x + 6.0 * b * x + c));
        prop_assert!(x <= (b + c.sqrt()) * (1.0 + 6.0 * EPS));
    }

    // (f)
    #[test]
    fn divergence_has_exact_second_order_bounds(z1 in logit(100.0), step in step(30.0)) {
        let z2 = z1 + step;
        let d = (z2 - z1).abs();
        let (integral, error) = average(z1, z2, |v| 1.0 - v);
        let value = d * d * integral;
        let error = d * d * error + 3.0 * EPS * value;
        // 3 for the variance, 4 for the remainder, 1 for the product; d for the argument of the exponential.
        let margin = EPS * (8.0 + d);
        let (low, high) = (variance(z1) * remainder(-d), variance(z1) * remainder(d));
        prop_assert!(value + error >= low * (1.0 - margin), "{value:e} < {low:e}");
        prop_assert!(value - error <= high * (1.0 + margin), "{value:e} > {high:e}");
        let (closed, closed_error) = divergence(z1, z2);
        prop_assert!(closed + closed_error >= low * (1.0 - margin), "{closed:e} < {low:e}");
        prop_assert!(closed - closed_error <= high * (1.0 + margin), "{closed:e} > {high:e}");
    }

    // (g)
    #[test]
    fn exponential_lies_below_parabolas(
        u in prop_oneof![-50.0..1.0, Just(1.0), step(1.0).prop_map(|u| u.min(1.0))],
        beyond in 1.0..20.0,
    ) {
        // 4 for the remainder, 1 for the square (and 2 for e - 2).
        prop_assert!(remainder(u) <= u * u * (1.0 + 5.0 * EPS));
        prop_assert!(remainder(u) <= (E - 2.0) * u * u * (1.0 + 8.0 * EPS));
        // And e - 2 is the best constant: beyond 1 the inequality turns.
        prop_assert!(remainder(beyond) * (1.0 + 8.0 * EPS) >= (E - 2.0) * beyond * beyond);
    }

    // (h)
    #[test]
    fn bounded_rewards_have_at_most_the_bernoulli_moments(
        atoms in prop::collection::vec((prop_oneof![Just(0.0), Just(1.0), 0.0..1.0], 0.01..1.0), 1..8),
        u in prop_oneof![-30.0..30.0f64, -2.0..2.0],
    ) {
        let count = atoms.len() as f64;
        let total: f64 = atoms.iter().map(|a| a.1).sum();
        let expected = |f: &dyn Fn(f64) -> f64| atoms.iter().map(|&(r, p)| p / total * f(r)).sum::<f64>();
        let mu = expected(&|r| r);
        let moment = expected(&|r| (r * u).exp());
        let bernoulli = 1.0 - mu + mu * u.exp();
        // A term p f(r): total and quotient, product, exponential and its argument, sum. 1 - mu is as wrong as mu and
        // as the total of p, which is not quite 1.
        let margin = EPS * ((2.0 * count + 3.0 + u.abs()) * moment + (2.0 * count + 3.0) * (1.0 + mu * u.exp()));
        prop_assert!(moment <= bernoulli + margin, "{moment:e} > {bernoulli:e}");
    }

    // (h), in the form in which it is used: the moments of a Bernoulli reward are differences of softplus.
    #[test]
    fn bernoulli_moments_are_differences_of_softplus(z in logit(300.0), u in -30.0..30.0f64) {
        let shifted = z + u;
        let exponent = softplus(shifted) - softplus(z);
        let moment = mean(-z) + mean(z) * (shifted - z).exp();
        // Relative: the absolute errors of the two exponents, and 8 for means, exponentials, product and sum.
        let exponents = 2.0 * softplus(shifted) + 2.0 * softplus(z) + exponent.abs() + (shifted - z).abs();
        let margin = EPS * (exponents + 8.0);
        prop_assert!((exponent.exp() - moment).abs() <= margin * moment, "{} and {moment}", exponent.exp());
    }

    // (i)
    #[test]
    fn entropy_is_the_conjugate(
        z in logit(100.0),
        s in prop_oneof![0.0..1.0, 1e-12..1e-3, (1e-12..1e-3).prop_map(|x| 1.0 - x)],
    ) {
        prop_assume!(s > 0.0 && s < 1.0);
        // s z minus the negative entropy, from s and 1 - s; and its error: 1 ulp for a logarithm, a product, two sums.
        let conjugate = |s: f64, rest: f64| {
            let (a, b) = (s * s.ln(), rest * rest.ln());
            (s * z - (a + b), EPS * (3.0 * (s * z).abs() + 4.0 * a.abs() + 4.0 * b.abs()))
        };
        // 1 - s is exact from 1/2 on; below, its rounding moves the entropy by |ln(1-s) + 1| <= 1 ulp of 1.
        let (value, error) = conjugate(s, 1.0 - s);
        let error = error + EPS + 2.0 * EPS * softplus(z);
        prop_assert!(softplus(z) + error >= value, "{} < {value}", softplus(z));
        // The gap is the divergence of s from mu(z), which is at least twice the squared distance: equality only there.
        let distance = if z > 0.0 { (1.0 - s) - mean(-z) } else { s - mean(z) };
        prop_assert!(softplus(z) - value + error + 8.0 * EPS * distance.abs() >= 2.0 * distance * distance);
        // And equality there. The errors of mu and of 1 - mu, 3 ulp each, are not the same: the entropy moves by each
        // times 1 + |ln|.
        let (mu, rest) = (mean(z), mean(-z));
        let (value, error) = conjugate(mu, rest);
        let moved = 3.0 * EPS * (mu * (1.0 + mu.ln().abs() + z.abs()) + rest * (1.0 + rest.ln().abs()));
        let error = error + moved + 2.0 * EPS * softplus(z);
        prop_assert!((softplus(z) - value).abs() <= error, "{} and {value}", softplus(z));
    }
}

/// The margins above would hide nothing: the inequalities fail when a coefficient is off by little.
#[test]
fn the_bounds_are_tight() {
    // (b) and (f) in the tail, where mu' is an exponential to within e^-60.
    let (z1, z2) = (-80.0, -61.0);
    let d: f64 = z2 - z1;
    assert!(variance(z2) > variance(z1) * d.exp() * (1.0 - 1e-13));
    let (integral, _) = average(z1, z2, |v| 1.0 - v);
    assert!(d * d * integral > variance(z1) * remainder(d) * (1.0 - 1e-13));
    let (integral, _) = average(z2, z1, |v| 1.0 - v);
    assert!(d * d * integral < variance(z2) * remainder(-d) * (1.0 + 1e-13));
    // (c) and (d) at close points, to first order in the distance: 1 - d/2 against 1 - d, 1 - d/3 against 1 - d/2.
    let d = 1e-5;
    let (integral, _) = average(-50.0, -50.0 - d, |_| 1.0);
    assert!((integral / variance(-50.0) - (1.0 - d / 2.0)).abs() < d * d);
    let (integral, _) = average(-50.0, -50.0 - d, |v| 1.0 - v);
    assert!((2.0 * integral / variance(-50.0) - (1.0 - d / 3.0)).abs() < d * d);
    // The quadrature itself: the integral of mu' from -L to L is mu(L) - mu(-L), and softplus(0) is ln 2.
    let (integral, error) = average(-30.0, 30.0, |_| 1.0);
    assert!((60.0 * integral - (mean(30.0) - mean(-30.0))).abs() <= 60.0 * error + 4.0 * EPS);
    let (weighted, error) = average(0.0, -700.0, |v| 1.0 - v);
    assert!((700.0 * 700.0 * weighted - (350.0 - LN_2)).abs() <= 700.0 * 700.0 * error + 350.0 * EPS);
}
