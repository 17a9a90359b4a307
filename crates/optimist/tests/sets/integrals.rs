//! Levels against integrals.

use super::*;

/// Logarithm of the sum of exponentials.
fn log_sum_exp(exponents: &[f64]) -> f64 {
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + exponents.iter().map(|e| (e - largest).exp()).sum::<f64>().ln()
}

/// A grid over the cube [-reach, reach]^d, d = 1 or 2, and the logarithm of its cell's volume.
fn grid(d: usize, reach: f64, cells: usize) -> (Vec<Vec<f64>>, f64) {
    let step = 2.0 * reach / cells as f64;
    let axis: Vec<f64> = (0..cells).map(|i| -reach + (i as f64 + 0.5) * step).collect();
    let points = match d {
        1 => axis.iter().map(|&a| vec![a]).collect(),
        _ => axis.iter().flat_map(|&a| axis.iter().map(move |&b| vec![a, b])).collect(),
    };
    (points, d as f64 * step.ln())
}

/// -log of the integral of exp(-L) under the prior N(0, I/precision), by the midpoint rule, which for a smooth integrand
/// that vanishes at the ends errs far less than the tests need.
fn gaussian_mixture(data: &Data, precision: f64) -> f64 {
    let cells = if data.d == 1 { 20_000 } else { 400 };
    let (points, log_cell) = grid(data.d, 9.0 / precision.sqrt(), cells);
    let history = data.history();
    let normaliser = 0.5 * data.d as f64 * (precision / std::f64::consts::TAU).ln() + log_cell;
    let exponents: Vec<f64> = points
        .iter()
        .map(|theta| normaliser - 0.5 * precision * dot(theta, theta) - optimist::loss::loss(&history, theta))
        .collect();
    -log_sum_exp(&exponents)
}

/// The same under the prior of three scales that goes with a norm bound.
fn three_scales(data: &Data, norm_bound: f64) -> f64 {
    let parts = [(1.0, 0.8_f64), (0.5, 0.1), (0.25, 0.1)];
    let exponents =
        parts.map(|(part, weight)| weight.ln() - gaussian_mixture(data, data.d as f64 / (part * norm_bound).powi(2)));
    -log_sum_exp(&exponents)
}

#[test]
fn mixture_level_bounds_the_integral_closely() {
    let mut rng = rng(1);
    let mut largest: f64 = 0.0;
    // What is left is the second scale, which has the parabola's level only, and the remainder of the second-order expansion,
    // which grows with the logits (up to 6 where S is 8) and falls with the data.
    let cases = [
        (1, 1.0, 5, 0.05),
        (1, 4.0, 200, 0.05),
        (1, 8.0, 60, 0.6),
        (2, 1.0, 40, 0.05),
        (2, 2.0, 300, 0.05),
        (2, 4.0, 1000, 0.05),
    ];
    for (d, norm_bound, n, allowed) in cases {
        for _ in 0..3 {
            let data = Data::random(&mut rng, d, 12, n, 0.8 * norm_bound);
            let exact = three_scales(&data, norm_bound) - DELTA.ln();
            let (level, _) = data.level("mixture", Some(norm_bound));
            assert!(level >= exact - 1e-9, "d {d}, S {norm_bound}, n {n}: {level} is below the integral's {exact}");
            largest = largest.max((level - exact) / allowed);
        }
    }
    assert!(largest < 1.0, "{largest} of what is allowed above the integral");
}

#[test]
fn mixture_level_is_valid_for_any_estimate() {
    let mut rng = rng(2);
    for d in [1, 2] {
        let data = Data::random(&mut rng, d, 8, 80, 2.0);
        let history = data.history();
        let exact = three_scales(&data, 3.0) - DELTA.ln();
        let mut radius = Radius::by_name("mixture", &options(d, Some(3.0))).unwrap();
        for penalty in [Penalty::ridge(0.01), Penalty::ridge(30.0), Penalty::ball(0.3), Penalty::ball(3.0)] {
            let mut estimator = Estimator::new(d);
            estimator.fit(&history, penalty).unwrap();
            let level = radius.strategy_mut().level(&history, &mut estimator);
            assert!(level >= exact - 1e-9, "{penalty:?}: {level} is below the integral's {exact}");
            assert!(level < exact + 3.0, "{penalty:?}: {level} is far above the integral's {exact}");
        }
    }
}

#[test]
fn mixture_level_without_norm_bound_mixes_the_scales() {
    let mut rng = rng(3);
    for norm in [0.5, 3.0, 8.0] {
        let data = Data::random(&mut rng, 2, 10, 200, norm);
        let exponents: Vec<f64> = (0..6).map(|j| -gaussian_mixture(&data, 2.0 / 4f64.powi(j))).collect();
        let exact = 6f64.ln() - log_sum_exp(&exponents) - DELTA.ln();
        let (level, _) = data.level("mixture", None);
        // What the parabola gives away grows with the logits, here up to 8 (1.8 was measured there).
        assert!(level >= exact - 1e-9 && level < exact + 2.0, "norm {norm}: {level}, integral {exact}");
    }
}

#[test]
fn ofuglb_level_bounds_the_integral() {
    let mut rng = rng(4);
    for (d, norm_bound, n) in [(1, 0.1, 2), (1, 1.0, 10), (1, 5.0, 300), (2, 0.2, 3), (2, 1.0, 50), (2, 4.0, 400)] {
        let data = Data::random(&mut rng, d, 12, n, 0.9 * norm_bound);
        let history = data.history();
        let (points, _) = grid(d, norm_bound, if d == 1 { 20_000 } else { 400 });
        let inside: Vec<&Vec<f64>> = points.iter().filter(|theta| norm(theta) <= norm_bound).collect();
        let exponents: Vec<f64> = inside.iter().map(|theta| -optimist::loss::loss(&history, theta)).collect();
        let exact = (inside.len() as f64).ln() - log_sum_exp(&exponents) - DELTA.ln();
        let (level, _) = data.level("ofuglb", Some(norm_bound));
        // The grid's own error: the loss changes by less than n times half a cell's diagonal.
        assert!(level >= exact - 1e-3, "d {d}, S {norm_bound}, n {n}: {level} is below the integral's {exact}");
    }
}
