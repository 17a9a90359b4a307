//! The lemmas behind the radii of Bernstein type.

use super::formulas::tight_gamma;
use super::*;
use optimist::set::{Corrected, deviation_radius};

/// int_0^1 weight(v) mu'(a + v (b - a)) dv by Simpson's rule, whose error here is below 1e-10.
fn average(a: f64, b: f64, weight: impl Fn(f64) -> f64) -> f64 {
    let panels = 400;
    let value = |i: usize| {
        let v = i as f64 / panels as f64;
        weight(v) * link::variance(a + v * (b - a))
    };
    let inner: f64 = (1..panels).map(|i| value(i) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (value(0) + inner + value(panels)) / (3.0 * panels as f64)
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

#[test]
fn taylors_identity_needs_half_the_ridge() {
    let mut rng = rng(8);
    for _ in 0..20 {
        let data = Data::random(&mut rng, 3, 10, 60, 2.0);
        let lambda = rng.random_range(0.5..10.0);
        let hat = data.minimiser(Penalty::ridge(lambda));
        let theta = in_ball(&mut rng, 3, 4.0);
        let step = difference(&theta, &hat);
        let remainder = |shift: f64| {
            let matrix = data.matrix(shift, |x| average(dot(x, &hat), dot(x, &theta), |v| 1.0 - v));
            matrix.form(&step)
        };
        let excess = data.loss(&theta, lambda) - data.loss(&hat, lambda);
        assert_close(excess, remainder(0.5 * lambda), 1e-8);
        assert!((remainder(lambda) / excess - 1.0).abs() > 1e-3, "the whole ridge would do as well");
    }
}

#[test]
fn averaged_hessians_are_bounded_by_self_concordance() {
    let mut rng = rng(9);
    for _ in 0..50 {
        let data = Data::random(&mut rng, 3, 10, 40, 2.0);
        let (a, b) = (in_ball(&mut rng, 3, 3.0), in_ball(&mut rng, 3, 3.0));
        let lambda: f64 = rng.random_range(0.1..5.0);
        let distance = data.rows.iter().map(|(x, _)| dot(x, &difference(&a, &b)).abs()).fold(0.0, f64::max);
        let g = data.matrix(lambda, |x| average(dot(x, &a), dot(x, &b), |_| 1.0));
        let g_tilde = data.matrix(0.5 * lambda, |x| average(dot(x, &a), dot(x, &b), |v| 1.0 - v));
        let h = data.hessian(&a, lambda);
        for _ in 0..20 {
            let u = gaussian(&mut rng, 3);
            let (g, g_tilde, h) = (g.form(&u), g_tilde.form(&u), h.form(&u));
            assert!(g_tilde <= g * (1.0 + 1e-9));
            assert!(g >= h / (1.0 + distance) * (1.0 - 1e-9));
            assert!(g_tilde >= h / (2.0 + distance) * (1.0 - 1e-9));
        }
    }
}

#[test]
fn points_of_small_newton_decrement_are_in_the_tight_set() {
    let mut rng = rng(10);
    let (mut largest, mut members) = (0.0_f64, 0);
    for case in 0..60 {
        let s = [0.5, 2.0, 5.0][case % 3];
        let data = Data::random(&mut rng, 2, 10, [5, 50, 500][case / 3 % 3], s);
        let lambda = 2.0 * (1.0 + (data.n() + 1.0).ln());
        let hat = data.minimiser(Penalty::ridge(lambda));
        let gamma = tight_gamma(&data, s);
        let (level, _) = data.level("tight", Some(s));
        for _ in 0..50 {
            let theta = in_ball(&mut rng, 2, s);
            let decrement = data.hessian(&theta, lambda).inverse_form(&data.gradient(&theta, lambda));
            let bound = 0.25 * (2.0 + s + norm(&hat)) * decrement;
            let excess = data.loss(&theta, lambda) - data.loss(&hat, lambda);
            assert!(excess <= bound * (1.0 + 1e-9), "{excess} exceeds {bound}");
            // The paper's own relaxation, with the decrement as gamma^2.
            let beta = decrement.sqrt() + decrement / lambda.sqrt();
            assert!(excess <= beta * beta * (1.0 + 1e-9));
            largest = largest.max(excess / bound);
            if decrement <= gamma * gamma {
                members += 1;
                assert!(data.loss(&theta, lambda) <= level);
            }
        }
    }
    println!("tight relaxation: excess at most {largest:.3} of its bound, {members} members tried");
    // Otherwise the inequality would not have been tried where it matters.
    assert!(largest > 0.5 && members > 1000);
}

#[test]
fn determinant_is_bounded_through_the_trace_of_all_terms() {
    let mut rng = rng(11);
    for _ in 0..100 {
        let (d, n) = (rng.random_range(1..5), rng.random_range(1..40));
        let lambda: f64 = rng.random_range(0.1..3.0);
        let data = Data::random(&mut rng, d, 10, n, 1.0);
        let bound = d as f64 * (lambda + n as f64 / d as f64).ln();
        assert!(data.matrix(lambda, |_| 1.0).log_det() <= bound + 1e-12);
    }
    // With one term fewer, as printed, it fails at the first observation: 2 <= 1 for d = 1, lambda = 1.
    let mut matrix = Matrix::identity(1, 1.0);
    matrix.add(1.0, &[1.0]);
    assert!(matrix.log_det() > 0.0);
}

#[test]
fn elliptical_potential_is_bounded() {
    let mut rng = rng(12);
    for _ in 0..60 {
        let (d, n, size): (usize, usize, f64) =
            (rng.random_range(1..5), rng.random_range(1..300), rng.random_range(0.3..3.0));
        let first: f64 = rng.random_range(0.05..4.0);
        let growth: f64 = rng.random_range(0.0..1.0);
        let lambda = |t: usize| first * (1.0 + growth * (t as f64).ln());
        let mut gram = Matrix::identity(d, 0.0);
        let mut sum = 0.0;
        for t in 1..=n {
            let x = in_ball(&mut rng, d, size);
            let mut v = gram.clone();
            (0..d).for_each(|i| v.rows[i][i] += lambda(t));
            sum += v.inverse_form(&x);
            gram.add(1.0, &x);
        }
        let last = lambda(n) + n as f64 * size * size / d as f64;
        let bound = 2.0 * (size * size / first).max(1.0) * d as f64 * (last / first).ln();
        assert!(sum <= bound, "{sum} exceeds {bound}");
    }
}

#[test]
fn printed_gamma_is_below_the_theorems_radius_in_low_dimension() {
    // theta* = 0 and basis vectors in turn: H = (lambda + n/(4d)) I exactly. The theorem, with lambda = d log t:
    // sqrt(lambda)(S + 1/2) + (2/sqrt(lambda))(log(2^d/delta) + log(det H/lambda^d)/2).
    let s = 2.0;
    let deficit = |d: f64, n: f64| {
        let t = n + 1.0;
        let lambda = d * t.ln();
        let theorem = (1.0 / DELTA).ln() + d * 2f64.ln() + 0.5 * d * ((lambda + n / (4.0 * d)) / lambda).ln();
        let theorem = lambda.sqrt() * (s + 0.5) + 2.0 / lambda.sqrt() * theorem;
        let printed =
            lambda.sqrt() * (s + 0.5) + d / lambda.sqrt() * (4.0 / DELTA * (1.0 + t / (16.0 * d * lambda))).ln();
        theorem - printed
    };
    let worst = |d: usize| (1..=200_000).map(|i| deficit(d as f64, (i * d) as f64)).fold(f64::NEG_INFINITY, f64::max);
    let worst: Vec<f64> = [1, 2, 3, 5, 10].iter().map(|&d| worst(d)).collect();
    println!("printed gamma is too small by at most {worst:.2?} for d = 1, 2, 3, 5, 10");
    assert!(worst[..3].iter().all(|&w| w > 0.1), "{worst:?}");
    assert!(worst[3..].iter().all(|&w| w <= 0.0), "{worst:?}");
}

#[test]
fn the_radius_before_any_data_lies_between_that_of_the_data_and_the_closed_form() {
    for (d, s) in [(1, 0.5), (2, 3.0), (5, 1.0), (10, 8.0)] {
        for delta in [0.5, 0.05, 1e-9] {
            let options = Problem { dimension: d, delta, norm_bound: Some(s) };
            let corrected = Corrected::new(&options).unwrap();
            for n in [0.0, 1.0, 7.0, 100.0, 1e4, 1e7] {
                let gamma = deviation_radius(&options, n, n).unwrap();
                assert!(gamma <= corrected.largest_gamma(n, n).unwrap() * (1.0 + 1e-12), "{d} {s} {delta} {n}");
                let (lambda, d) = (d as f64 * (1.0 + (n + 1.0).ln()), d as f64);
                assert!(gamma > lambda.sqrt() * s + 0.5 * (lambda.sqrt()).min(2.0 * (1.0 / delta).ln().sqrt()), "{d}");
            }
        }
    }
    let mut rng = rng(77);
    for case in 0..30 {
        let (d, s) = (2 + 2 * (case % 2), [0.5, 2.0, 5.0][case % 3]);
        let data = Data::random(&mut rng, d, 10, [1, 50, 500][case / 3 % 3], s);
        let gamma = deviation_radius(&options(d, Some(s)), data.n(), data.n()).unwrap();
        let realised = tight_gamma(&data, s);
        assert!(realised <= gamma * (1.0 + 1e-6), "{realised} exceeds {gamma}");
        assert!(gamma < 1.5 * realised, "{gamma} is far above {realised}");
    }
    // One basis arm after the other makes the determinant as large as it can be.
    let basis = |i: u8| [f64::from(1 - i % 2), f64::from(i % 2)];
    let data = Data { d: 2, rows: (0..200).map(|i| (basis(i).to_vec(), 1.0)).collect() };
    assert_close(deviation_radius(&options(2, Some(2.0)), 200.0, 200.0).unwrap(), tight_gamma(&data, 2.0), 1e-6);
}

#[test]
fn the_radius_of_a_range_bounds_every_radius_in_it() {
    for (d, s, delta) in [(1, 0.1, 1e-30), (2, 3.0, 0.05), (4, 0.5, 1e-6)] {
        let options = Problem { dimension: d, delta, norm_bound: Some(s) };
        let corrected = Corrected::new(&options).unwrap();
        for (least, most) in [(0_u32, 3_u32), (5, 80), (100, 104), (0, 2000)] {
            let bound = deviation_radius(&options, least.into(), most.into()).unwrap();
            let closed = corrected.largest_gamma(least.into(), most.into()).unwrap();
            assert!(bound <= closed * (1.0 + 1e-12));
            for n in (least..=most).map(f64::from) {
                assert!(deviation_radius(&options, n, n).unwrap() <= bound * (1.0 + 1e-12));
                assert!(corrected.largest_gamma(n, n).unwrap() <= closed * (1.0 + 1e-12));
            }
        }
    }
    // It does fall before it rises.
    let options = Problem { dimension: 1, delta: 1e-6, norm_bound: Some(0.5) };
    let at = |n: f64| deviation_radius(&options, n, n).unwrap();
    assert!(at(0.0) > at(1e9) && at(1e30) > at(1e9));
}

#[test]
fn a_radius_of_no_range_is_refused() {
    let text = |least: f64, most: f64| deviation_radius(&options(2, Some(1.0)), least, most).unwrap_err().to_string();
    assert!(text(-1.0, 2.0).contains("least is -1"));
    assert!(text(3.0, 2.0).contains("most is 2"));
    assert!(text(0.0, f64::NAN).contains("most is NaN"));
    assert!(deviation_radius(&options(2, None), 0.0, 1.0).unwrap_err().to_string().contains("norm_bound is missing"));
    assert!(Corrected::new(&options(2, Some(1.0))).unwrap().largest_gamma(2.0, 1.0).is_err());
}
