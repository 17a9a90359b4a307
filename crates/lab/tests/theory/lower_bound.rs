//! The pieces of the lower bound on sphere and ball: the packing theta = ||theta*|| e_1 + eps sum_{i>=2} v_i e_i, how much
//! it costs to play away from its best arm, and the choice of eps.

use optimist::link::{mean, variance};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::matrix::{dot, minus, norm};
use super::problem::{config, direction};

/// A parameter of the packing.
fn packed(d: usize, length: f64, eps: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut theta = vec![length];
    theta.extend((1..d).map(|_| if rng.random_bool(0.5) { eps } else { -eps }));
    theta
}

fn best_arm(theta: &[f64]) -> Vec<f64> {
    theta.iter().map(|v| v / norm(theta)).collect()
}

fn gap(theta: &[f64], x: &[f64]) -> f64 {
    mean(norm(theta)) - mean(dot(x, theta))
}

proptest! {
    #![proptest_config(config(2000))]

    /// gap >= (||theta||/(2 kappa)) ||x* - x||^2 on the ball, and (1/6) mu'(x'theta) ||x* - x||^2 if ||theta|| >= 1.
    #[test]
    fn gaps_grow_with_the_squared_distance(
        d in 1..=6_usize,
        length in 0.05..8.0,
        inside in prop_oneof![Just(1.0), 0.0..1.0],
        near in prop_oneof![Just(1.0), 1e-3..1.0],
        seed in any::<u64>(),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let theta: Vec<f64> = direction(&mut rng, d).iter().map(|v| v * length).collect();
        let best = best_arm(&theta);
        // From anywhere on the sphere to close to the best arm, then into the ball.
        let mixed: Vec<f64> = direction(&mut rng, d).iter().zip(&best).map(|(a, b)| near * a + (1.0 - near) * b).collect();
        prop_assume!(norm(&mixed) > 1e-3);
        let x: Vec<f64> = mixed.iter().map(|v| inside * v / norm(&mixed)).collect();
        let (gap, squared) = (gap(&theta, &x), norm(&minus(&best, &x)).powi(2));
        prop_assert!(gap >= 0.5 * length * variance(length) * squared * (1.0 - 1e-9) - 1e-15);
        if length >= 1.0 {
            prop_assert!(gap >= variance(dot(&x, &theta)) * squared / 6.0 * (1.0 - 1e-9) - 1e-15);
        }
    }

    /// The regret of T plays is at least T eps^2/(2 kappa ||theta||) times the number of coordinates i >= 2 in which the
    /// average play is on the wrong side, x*(theta)_i times the average <= 0.
    #[test]
    fn plays_on_the_wrong_side_cost(
        d in 2..=6_usize,
        length in 1.0..6.0,
        share in 0.01..1.0,
        plays in 1..20_usize,
        seed in any::<u64>(),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let eps: f64 = share * length / (d as f64 - 1.0).sqrt();
        let theta = packed(d, length, eps, &mut rng);
        let best = best_arm(&theta);
        // One time in three nothing but the best arm of the centre, for which the bound is all but attained.
        let still = rng.random_bool(0.3);
        let arms: Vec<Vec<f64>> = (0..plays)
            .map(|_| {
                let noise = if still { 0.0 } else { rng.random_range(0.01..1.0) };
                let x: Vec<f64> = direction(&mut rng, d).iter().enumerate()
                    .map(|(i, v)| noise * v + f64::from(u8::from(i == 0))).collect();
                x.iter().map(|v| v / norm(&x).max(1e-9)).collect()
            })
            .collect();
        let regret: f64 = arms.iter().map(|x| gap(&theta, x)).sum();
        let wrong = (1..d).filter(|&i| best[i] * arms.iter().map(|x| x[i]).sum::<f64>() <= 0.0).count();
        let total = plays as f64 * eps * eps * variance(norm(&theta)) / (2.0 * norm(&theta));
        prop_assert!(regret >= total * wrong as f64 * (1.0 - 1e-9));
        // ||theta|| is at most sqrt(2) ||theta*||: the printed 1/(2 ||theta*||) in place of 1/(2 ||theta||) is too much
        // only by that.
        prop_assert!(norm(&theta) <= 2.0_f64.sqrt() * length * (1.0 + 1e-12));
    }

    /// Coordinates of the best arm: eps^2/(||theta*||^2 + (d - 1) eps^2) <= eps^2.
    #[test]
    fn best_arm_of_the_packing_is_nearly_that_of_the_centre(d in 2..=20_usize, length in 1.0..8.0, share in 0.0..1.0) {
        let eps: f64 = share * length / (d as f64 - 1.0).sqrt();
        prop_assert!(eps * eps / (length * length + (d as f64 - 1.0) * eps * eps) <= eps * eps);
    }

    /// Packing and centre have nearly the same kappa if d eps^2 <= 1/32: 1 <= kappa_eps/kappa_* <= e^{1/64} < 1.016, as the
    /// packing is orthogonal to the centre; and within 5/6 and 6/5 for any parameter at that distance, as printed.
    #[test]
    fn kappa_of_the_packing_is_that_of_the_centre(d in 2..=50_usize, length in 1.0..20.0, share in 0.0..1.0) {
        let squared: f64 = share / (32.0 * d as f64);
        let moved = f64::hypot(length, ((d as f64 - 1.0) * squared).sqrt());
        let ratio = variance(length) / variance(moved);
        prop_assert!(ratio >= 1.0 && ratio <= (1.0_f64 / 64.0).exp(), "{ratio}");
        let distance = (d as f64 * squared).sqrt();
        for end in [length - distance, length + distance] {
            let ratio = variance(length) / variance(end);
            prop_assert!((5.0 / 6.0..=1.2).contains(&ratio), "{ratio}");
        }
    }
}

/// Erratum: without the 1/2 of 1 - x'y = ||x - y||^2/2 the bound on the gap is false near the best arm.
#[test]
fn printed_gap_bound_lacks_a_half() {
    let theta = [2.0, 0.0];
    let x = [0.1_f64.cos(), 0.1_f64.sin()];
    let (gap, squared) = (gap(&theta, &x), norm(&minus(&[1.0, 0.0], &x)).powi(2));
    let ratio = gap / (2.0 * variance(2.0) * squared);
    assert!((ratio - 0.502).abs() < 1e-3, "{ratio}");
    assert!((0.5..1.0).contains(&ratio));
}

/// Erratum: the event A_i is printed with >= 0, the average play on the *right* side. Always playing the best arm of theta
/// makes it certain and has no regret, so that the lemma built on it is false; with <= 0 it is true.
#[test]
fn printed_event_is_on_the_side_that_costs_nothing() {
    let (length, eps, plays) = (2.0, 0.1, 100.0);
    let theta = [length, eps];
    let best = best_arm(&theta);
    let regret = plays * gap(&theta, &best);
    let (printed_event, corrected_event) = (best[1] * best[1] >= 0.0, best[1] * best[1] <= 0.0);
    assert!(printed_event && !corrected_event);
    let bound = plays * eps * eps * variance(norm(&theta)) / (2.0 * length);
    assert!(regret.abs() < 1e-12 && (bound - 0.026).abs() < 1e-3, "{bound}");
    // The cross term is positive on the corrected event: the mirror image of the best arm, always played, costs more.
    let mirror = [best[0], -best[1]];
    assert!(best[1] * mirror[1] <= 0.0 && plays * gap(&theta, &mirror) > bound);
}

/// Erratum: eps^2/(||theta*||^2 + (d - 1) eps^2) <= eps^2/2 is false at ||theta*|| = 1 by a factor that tends to 2.
#[test]
fn printed_coordinates_of_the_best_arm_are_half_of_them() {
    let (length, d, eps) = (1.0_f64, 2.0, 0.01_f64);
    let coordinate = eps * eps / (length * length + (d - 1.0) * eps * eps);
    let ratio = coordinate / (0.5 * eps * eps);
    assert!((ratio - 2.0).abs() < 1e-3 && ratio > 1.0 && coordinate <= eps * eps);
}

/// Erratum: (d - 1) >= d/2 is claimed for d >= 1 and needs d >= 2.
#[test]
fn printed_number_of_directions_needs_two_dimensions() {
    let holds = |d: f64| d - 1.0 >= d / 2.0;
    assert!(!holds(1.0) && (2..100).all(|d| holds(f64::from(d))));
}

/// Erratum: kappa_eps >= kappa_* is given as the reason why d sqrt(T/kappa_eps) is of the order of d sqrt(T/kappa_*) or
/// more. It makes it less; what is needed is kappa_eps <= (6/5) kappa_*, the theorem's second part.
#[test]
fn printed_comparison_of_kappas_points_the_wrong_way() {
    let (length, d, eps) = (2.0, 2.0, 0.125_f64);
    let kappa = 1.0 / variance(length);
    let moved = 1.0 / variance(f64::hypot(length, (d - 1.0_f64).sqrt() * eps));
    assert!(moved > kappa && (1.0 / moved).sqrt() < (1.0 / kappa).sqrt());
    assert!((1.0 / moved).sqrt() >= (5.0 / (6.0 * kappa)).sqrt());
}

/// The bracket 1 - 2 (2 eps^4 T/kappa + 24 eps^2 sqrt(T/kappa) + 2 d eps^4 sqrt(T/kappa))^{1/2} e^{2 eps} of the printed
/// proof, eps^2 = c sqrt(kappa/T).
fn bracket(c: f64, d: f64, rounds_over_kappa: f64) -> f64 {
    let squared = c / rounds_over_kappa.sqrt();
    let inner = 2.0 * c * c + 24.0 * c + 2.0 * d * squared * c;
    1.0 - 2.0 * inner.sqrt() * (2.0 * squared.sqrt()).exp()
}

/// Erratum: with the printed eps^2 = (1/32) sqrt(kappa/T) the bracket is negative whatever d and T, and the bound empty.
/// The printed numbers are those of eps^2 = (1/1024) sqrt(kappa/T), with which the constant is not 1/512 but some 1/11915.
#[test]
fn printed_tuning_makes_the_lower_bound_negative() {
    assert!((bracket(1.0 / 32.0, 5.0, 25.0) + 1.034).abs() < 1e-3);
    assert!((bracket(1.0 / 32.0, 2.0, 4.0) + 1.230).abs() < 1e-3);
    for d in 1..60 {
        for power in 0..40 {
            let (d, rounds) = (f64::from(d), 1.5_f64.powi(power));
            assert!(bracket(1.0 / 32.0, d, d * d * rounds) < -0.73);
        }
    }
    // 24 c is 0.75 and not 24576/32^4.
    assert!(24.0 / 32.0 > 30.0 * 24576.0 / 32.0_f64.powi(4));
    let smaller = bracket(1.0 / 1024.0, 2.0, 4.0) / (8.0 * 1024.0);
    assert!(smaller > 0.0 && smaller < 1.0 / 11000.0, "1/{}", 1.0 / smaller);
}

/// K in R >= K (d/||theta*||) sqrt(T/kappa_eps), T >= d^2 kappa_eps, for eps^2 = c sqrt(kappa_eps/T), by bisection of
/// K = (c/4) h ((d - 1)/d)(1 - sqrt(k c e^{k sqrt(c/d)} (6 d K/(d - 1) + c + c K))).
///
/// With k = 4 and h = 1/2 it is the printed proof with its mistakes mended: (x'(theta - flip))^2 = 4 eps^2 x_i^2, the
/// chi-square, ||theta||/||theta||^2 >= 1/(2 ||theta*||). With k = 2 and h = 1/sqrt(1 + c) it is what the relative entropy
/// itself gives, 2 eps^2 e^{2 eps} per flip, and ||theta||^2 <= (1 + c) ||theta*||^2.
fn constant(d: f64, c: f64, k: f64, h: f64) -> f64 {
    let value = |bound: f64| {
        let entropy = k * c * (k * (c / d).sqrt()).exp() * (6.0 * d * bound / (d - 1.0) + c + c * bound);
        0.25 * c * h * (d - 1.0) / d * (1.0 - entropy.sqrt())
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if value(middle) >= middle { low = middle } else { high = middle }
    }
    low
}

fn largest(f: impl Fn(f64) -> f64) -> f64 {
    (1..2000).map(|k| f(f64::from(k) * 5e-4)).fold(0.0, f64::max)
}

/// The printed 1/512 is true after all, by a larger eps than the printed one.
#[test]
fn constant_of_the_lower_bound_is_better_than_printed() {
    let inverses =
        [(2.0, 249.0, 88.0), (3.0, 173.0, 63.0), (5.0, 133.0, 50.0), (10.0, 108.0, 42.0), (50.0, 87.0, 36.0)];
    for (d, mended, direct) in inverses {
        let first = largest(|c| constant(d, c, 4.0, 0.5));
        let second = largest(|c| constant(d, c, 2.0, 1.0 / (1.0 + c).sqrt()));
        assert!((1.0 / first - mended).abs() < 0.5, "1/{} for d = {d}", 1.0 / first);
        assert!((1.0 / second - direct).abs() < 0.5, "1/{} for d = {d}", 1.0 / second);
        assert!(first > 1.0 / 512.0 && second > 2.0 * first);
    }
}
