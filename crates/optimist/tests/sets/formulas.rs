//! Levels against their formulas.

use super::*;

/// The data that the formulas are compared on.
fn samples() -> Vec<(Data, f64)> {
    let mut rng = rng(5);
    let cases = [(2, 0, 2.0), (2, 1, 2.0), (2, 7, 0.5), (2, 300, 4.0), (2, 2000, 1.0), (4, 150, 3.0)];
    cases.iter().map(|&(d, n, s)| (Data::random(&mut rng, d, 12, n, 0.9 * s), s)).collect()
}

/// Distribution function of chi-square for two and four degrees of freedom.
fn chi_squared(d: usize, x: f64) -> f64 {
    match d {
        2 => 1.0 - (-0.5 * x).exp(),
        4 => 1.0 - (-0.5 * x).exp() * (1.0 + 0.5 * x),
        _ => unreachable!("closed forms for these two only"),
    }
}

pub(super) fn tight_gamma(data: &Data, s: f64) -> f64 {
    let (d, lambda) = (data.d as f64, data.d as f64 * (1.0 + (data.n() + 1.0).ln()));
    let c = (d * 2f64.ln()).min((chi_squared(data.d, 2.0 * d) / chi_squared(data.d, lambda / 2.0)).ln());
    let w = (1.0 / DELTA).ln() + c + 0.5 * data.matrix(lambda, |_| 0.25).log_det() - d / 2.0 * d.ln();
    // The infimum over 0 < a <= sqrt(lambda)/2, on a fine grid.
    let a_max = lambda.sqrt() / 2.0;
    let least = (1..=100_000).map(|i| a_max * f64::from(i) / 1e5).map(|a| a + w / a).fold(f64::INFINITY, f64::min);
    lambda.sqrt() * s + least
}

#[test]
fn paper_level_is_as_printed() {
    for (data, s) in samples() {
        let (level, theta) = data.level("paper", Some(s));
        let (d, t) = (data.d as f64, data.n() + 1.0);
        let lambda = d * t.max(2.0).ln();
        let gamma =
            lambda.sqrt() * (s + 0.5) + d / lambda.sqrt() * (4.0 / DELTA * (1.0 + t / (16.0 * d * lambda))).ln();
        let beta = gamma + gamma * gamma / lambda.sqrt();
        assert_close(level, data.loss(&theta, lambda) + beta * beta, 1e-12);
        assert!(norm(&data.gradient(&theta, lambda)) < 1e-7 * (1.0 + data.n()));
    }
}

#[test]
fn corrected_level_is_its_formula() {
    for (data, s) in samples() {
        let (level, theta) = data.level("corrected", Some(s));
        let (d, n) = (data.d as f64, data.n());
        let lambda = d * (1.0 + (n + 1.0).ln());
        let gamma = lambda.sqrt() * (s + 0.5)
            + 2.0 / lambda.sqrt() * (1.0 / DELTA).ln()
            + d / lambda.sqrt() * (4.0 * (lambda / d) * (1.0 + n / (4.0 * d * lambda))).ln();
        let beta = gamma + gamma * gamma / lambda.sqrt();
        assert_close(level, data.loss(&theta, lambda) + beta * beta, 1e-12);
    }
}

#[test]
fn tight_level_is_its_formula() {
    for (data, s) in samples() {
        let (level, theta) = data.level("tight", Some(s));
        let lambda = data.d as f64 * (1.0 + (data.n() + 1.0).ln());
        let gamma = tight_gamma(&data, s);
        let excess = (2.0 + s + norm(&theta)) * gamma * gamma / 4.0;
        // The grid misses the infimum by a relative 1e-9 at most.
        assert_close(level, data.loss(&theta, lambda) + excess, 1e-8);
    }
}

#[test]
fn ofulog_plus_level_is_its_formula() {
    for (data, s) in samples() {
        let (level, theta) = data.level("ofulog-plus", Some(s));
        let (d, e) = (data.d as f64, std::f64::consts::E);
        let radius = 10.0 * d * (s * data.n() / (2.0 * d) + e).ln() + 2.0 * ((e - 2.0) + s) * (1.0 / DELTA).ln();
        assert_close(level, data.loss(&theta, 0.0) + radius, 1e-12);
        assert!(norm(&theta) <= s * (1.0 + 1e-12));
    }
}

#[test]
fn ofuglb_level_is_its_infimum() {
    for (data, s) in samples() {
        let (level, theta) = data.level("ofuglb", Some(s));
        let (d, a) = (data.d as f64, s * data.rows.iter().map(|(x, _)| norm(x)).sum::<f64>());
        // The infimum on a logarithmic grid.
        let costs = (0..=200_000).map(|i| (-f64::from(i) * 1e-4).exp()).map(|c: f64| -d * c.ln() + a * c);
        let least = costs.fold(f64::INFINITY, f64::min);
        assert_close(level, data.loss(&theta, 0.0) + (1.0 / DELTA).ln() + least, 1e-7);
        // The published form, with the best Lipschitz constant of the loss over the ball, is larger.
        let lipschitz: f64 = data.rows.iter().map(|(x, _)| norm(x) * link::mean(s * norm(x))).sum();
        assert!(a <= 2.0 * s * lipschitz && 2.0 * s * lipschitz <= 2.0 * a);
    }
}

#[test]
fn over_the_ball_the_loss_varies_by_the_norm_bound_times_the_norms() {
    let mut rng = rng(6);
    for _ in 0..200 {
        let (z, reward) = (rng.random_range(0.0..30.0), rng.random_range(0.0..1.0));
        let loss = |z: f64, r: f64| link::softplus(z) - r * z;
        // Exactly z for a reward of zero or one.
        assert_close(loss(z, 0.0) - loss(-z, 0.0), z, 1e-14);
        for _ in 0..20 {
            let (a, b) = (rng.random_range(-1.0..1.0) * z, rng.random_range(-1.0..1.0) * z);
            assert!((loss(a, reward) - loss(b, reward)).abs() <= z * (1.0 + 1e-12));
        }
    }
}

#[test]
fn radii_are_ordered_as_the_theory_says() {
    let mut rng = rng(7);
    for (d, s, n) in [(1, 1.0, 20), (2, 0.3, 100), (2, 4.0, 500), (3, 2.0, 1000), (6, 1.0, 200)] {
        let data = Data::random(&mut rng, d, 15, n, s);
        let excess = |name: &str| {
            let radius = Radius::by_name(name, &options(d, Some(s))).unwrap();
            let mut belief = data.belief(radius);
            let theta = belief.estimate().to_vec();
            let set = belief.set();
            set.level() - set.loss(&theta)
        };
        let (tight, corrected) = (excess("tight"), excess("corrected"));
        assert!(tight <= corrected, "tight {tight}, corrected {corrected}");
        let (ofuglb, ofulog_plus) = (excess("ofuglb"), excess("ofulog-plus"));
        assert!(ofuglb <= ofulog_plus, "ofuglb {ofuglb}, ofulog-plus {ofulog_plus}");
    }
}
