//! The self-concordance inequalities of the core's `lemmas.rs`, as inequalities between matrices, and the two identities
//! they are applied to.

use optimist::link::{softplus, variance};
use proptest::prelude::*;

use super::matrix::{apply, dominates, minus, norm, square};
use super::problem::{Problem, alpha, config, problems};
use super::quadrature::{along, integral};

proptest! {
    #![proptest_config(config(400))]

    /// G(theta1, theta2) >= H(theta)/(1 + 2S) at both ends, and Gtilde(theta1, theta2) >= H(theta1)/(2 + 2S).
    #[test]
    fn mean_hessians_are_bounded_below(problem in problems()) {
        let (a, b, s) = (&problem.first, &problem.second, problem.norm_bound);
        let (mean, taylor) = (problem.mean_hessian(a, b), problem.taylor_hessian(a, b, 0.5));
        for end in [a, b] {
            prop_assert!(dominates(&mean, 1.0 / (1.0 + 2.0 * s), &problem.hessian(end)));
        }
        prop_assert!(dominates(&taylor, 1.0 / (2.0 + 2.0 * s), &problem.hessian(a)));
        // With the actual distances in place of the diameter.
        let distance = problem.arms.iter().map(|x| super::matrix::dot(x, &minus(a, b)).abs()).fold(0.0, f64::max);
        prop_assert!(dominates(&mean, 1.0 / (1.0 + distance), &problem.hessian(b)));
        prop_assert!(dominates(&taylor, 1.0 / (2.0 + distance), &problem.hessian(a)));
    }

    /// G/(2 + 2S) <= Gtilde <= G.
    #[test]
    fn taylor_hessian_lies_between_multiples_of_the_mean_hessian(problem in problems()) {
        let (a, b) = (&problem.first, &problem.second);
        let (mean, taylor) = (problem.mean_hessian(a, b), problem.taylor_hessian(a, b, 0.5));
        prop_assert!(dominates(&mean, 1.0, &taylor));
        prop_assert!(dominates(&taylor, 1.0 / (2.0 + 2.0 * problem.norm_bound), &mean));
    }

    /// g(theta1) - g(theta2) = G(theta1, theta2)(theta1 - theta2).
    #[test]
    fn differences_of_g_are_the_mean_hessian_applied(problem in problems()) {
        let (a, b) = (&problem.first, &problem.second);
        let error = minus(&minus(&problem.g(a), &problem.g(b)), &apply(&problem.mean_hessian(a, b), &minus(a, b)));
        prop_assert!(norm(&error) < 1e-12 * (1.0 + norm(&problem.g(a)) + norm(&problem.g(b))), "{error:?}");
    }

    /// L(theta) = L(hat) + ||theta - hat||^2 in the metric of Gtilde(hat, theta), and with a gradient at any other point.
    #[test]
    fn taylor_expansion_is_exact_with_half_the_ridge(problem in problems()) {
        let hat = problem.minimiser();
        for theta in [&problem.first, &problem.second] {
            let expansion =
                problem.loss(&hat) + square(&problem.taylor_hessian(&hat, theta, 0.5), &minus(theta, &hat));
            // What is left of the gradient at the minimiser, and the rounding of the losses.
            let slack = norm(&problem.gradient(&hat)) * norm(&minus(theta, &hat)) + 1e-12 * (1.0 + problem.loss(theta));
            prop_assert!((problem.loss(theta) - expansion).abs() < slack);
        }
        let (a, step) = (&problem.first, minus(&problem.second, &problem.first));
        let expansion = problem.loss(a)
            + super::matrix::dot(&problem.gradient(a), &step)
            + square(&problem.taylor_hessian(a, &problem.second, 0.5), &step);
        prop_assert!((problem.loss(&problem.second) - expansion).abs() < 1e-11 * (1.0 + expansion.abs()));
    }

    /// int (1 - v) f >= (int f)/(2 + D) for every positive f on [0, 1] with |f'| <= D f: here f = exp of a function that
    /// is linear between random points, of slopes within [-D, D].
    ///
    /// The density proportional to f is smaller in likelihood-ratio order than that proportional to e^{Dv}, so that the
    /// mean of 1 - v under it is larger; and for e^{Dv} it is 1/D - 1/(e^D - 1), which is at least 1/(2 + D) because
    /// e^D - 1 >= D + D^2/2.
    #[test]
    fn weighted_integral_is_a_share_of_the_integral(
        bound in prop_oneof![0.0..1.0, 1.0..20.0],
        slopes in prop::collection::vec(prop_oneof![Just(1.0), Just(-1.0), -1.0..1.0], 1..12),
    ) {
        let pieces = slopes.len() as f64;
        let bound: f64 = bound;
        let value = |v: f64| -> f64 {
            let full = ((v * pieces) as usize).min(slopes.len() - 1);
            let before: f64 = slopes[..full].iter().sum::<f64>();
            (bound / pieces * (before + slopes[full] * (v * pieces - full as f64))).exp()
        };
        // A multiple of the number of pieces, so that no part has a kink in it.
        let panels = slopes.len() * 20;
        let (weighted, plain) = (integral(panels, |v| (1.0 - v) * value(v)), integral(panels, value));
        prop_assert!(weighted * (2.0 + bound) >= plain * (1.0 - 1e-13), "{weighted} < {plain}/(2 + {bound})");
        let extreme = along(0.0, bound, |v, z| (1.0 - v) * z.exp()) / along(0.0, bound, |_, z| z.exp());
        prop_assert!(weighted / plain >= extreme * (1.0 - 1e-12));
    }
}

/// The constants are needed: in the tail of mu, where it is an exponential, they are missed by a few per cent only.
#[test]
fn constants_of_the_lower_bounds_are_nearly_attained() {
    let s = 8.0;
    // One arm, theta1 = -S and theta2 = S moved into the tail by 40: mu' = e^z there.
    let (low, high) = (-40.0 - s, -40.0 + s);
    let mean_ratio = alpha(high, low) / variance(high);
    assert!(mean_ratio * (1.0 + 2.0 * s) < 1.07 && mean_ratio * (1.0 + 2.0 * s) >= 1.0, "{mean_ratio}");
    let taylor_ratio = along(high, low, |v, z| (1.0 - v) * variance(z)) / variance(high);
    assert!(taylor_ratio * (2.0 + 2.0 * s) < 1.06 && taylor_ratio * (2.0 + 2.0 * s) >= 1.0, "{taylor_ratio}");
    let between = along(low, high, |v, z| (1.0 - v) * variance(z)) / alpha(low, high);
    assert!(between * (2.0 + 2.0 * s) < 1.13 && between * (2.0 + 2.0 * s) >= 1.0, "{between}");
}

/// One play of an arm of length 1 in one dimension, reward 1, ridge 1.
fn one_play() -> Problem {
    Problem {
        norm_bound: 2.0,
        ridge: 1.0,
        arms: vec![vec![1.0]],
        rewards: vec![1.0],
        first: vec![2.0],
        second: vec![-2.0],
    }
}

/// Erratum: the body's loss has lambda ||theta||^2. Its Hessian is then not H and its gradient not g less the rewards:
/// both need lambda/2.
#[test]
fn printed_regulariser_is_twice_that_of_the_gradient_and_the_hessian() {
    let problem = one_play();
    let body = |theta: f64| softplus(theta) - theta + problem.ridge * theta * theta;
    let (theta, h) = (2.0, 1e-4);
    let slope = (body(theta + h) - body(theta - h)) / (2.0 * h);
    let curvature = (body(theta + h) - 2.0 * body(theta) + body(theta - h)) / (h * h);
    let (gradient, hessian) = (problem.gradient(&[theta])[0], problem.hessian(&[theta])[0][0]);
    assert!((slope - gradient - 2.0).abs() < 1e-6, "the gradients differ by lambda theta = 2");
    assert!((curvature - hessian - 1.0).abs() < 1e-6, "the Hessians differ by lambda = 1");
    let appendix = |theta: f64| problem.loss(&[theta]);
    assert!(((appendix(theta + h) - appendix(theta - h)) / (2.0 * h) - gradient).abs() < 1e-6);
}

/// Erratum: with lambda I in Gtilde, as it is defined, the expansion is too large by (lambda/2)||theta - hat||^2.
#[test]
fn printed_taylor_hessian_overshoots_the_loss() {
    let problem = one_play();
    let hat = problem.minimiser();
    let step = minus(&problem.second, &hat);
    let difference = problem.loss(&problem.second) - problem.loss(&hat);
    let printed = square(&problem.taylor_hessian(&hat, &problem.second, 1.0), &step);
    let corrected = square(&problem.taylor_hessian(&hat, &problem.second, 0.5), &step);
    assert!((difference - corrected).abs() < 1e-13);
    assert!((difference - 3.534).abs() < 1e-3 && (printed - 6.416).abs() < 1e-3, "{difference} {printed}");
    // Both uses survive: it is only larger in the first, and the lower bound holds with half the ridge.
    assert!(corrected <= square(&problem.mean_hessian(&hat, &problem.second), &step));
}
