//! The logistic link against high-precision references, identities and limits.
//!
//! `tests/data/link.csv` was written by `tests/data/link.py`, which evaluates every function with 2400 bits (mpmath)
//! and rounds once: each line is the bits of z and of the softplus, mean, variance, skew and curvature there.

use optimist::link::{evaluate, log_odds, mean, parabola_curvature, skew, softplus, variance};

const EPS: f64 = f64::EPSILON;

type Function = fn(f64) -> f64;

/// Steps between two doubles on the number line; both zeros are one place.
fn ulps(a: f64, b: f64) -> u64 {
    let place = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    assert!(!a.is_nan() && !b.is_nan(), "{a} and {b}");
    place(a).abs_diff(place(b))
}

fn table() -> Vec<[f64; 6]> {
    let double = |field: &str| f64::from_bits(u64::from_str_radix(field, 16).expect("hexadecimal bits"));
    let line = |line: &str| {
        let row: Vec<f64> = line.split(',').map(double).collect();
        row.try_into().expect("six columns")
    };
    include_str!("data/link.csv").lines().skip(1).map(line).collect()
}

/// Splitmix: 53 random bits in [0, 1), the same on every run.
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *state;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 * 2f64.powi(-53)
}

/// Random logits of both signs: half of them uniform in +-`range`, half of them log-uniform from 1e-12 to `range`.
fn logits(seed: u64, count: usize, range: f64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || uniform(&mut state);
    let mut draw = |i: usize| {
        let sign = if next() < 0.5 { -1.0 } else { 1.0 };
        let u = next();
        sign * range * if i.is_multiple_of(2) { u } else { (1e-12 / range).powf(u) }
    };
    (0..count).map(&mut draw).collect()
}

#[test]
fn every_function_keeps_its_documented_accuracy() {
    let functions: [(&str, Function, u64); 5] = [
        ("softplus", softplus, 2),
        ("mean", mean, 3),
        ("variance", variance, 3),
        ("skew", skew, 4),
        ("parabola_curvature", parabola_curvature, 4),
    ];
    let table = table();
    assert!(table.len() > 600);
    for (column, (name, function, bound)) in functions.into_iter().enumerate() {
        let error = |row: &[f64; 6]| ulps(function(row[0]), row[column + 1]);
        let worst = table.iter().max_by_key(|row| error(row)).expect("rows");
        println!("{name}: {} ulp at {:e}", error(worst), worst[0]);
        assert!(error(worst) <= bound, "{name}({:e}) is off by {} ulp", worst[0], error(worst));
    }
}

#[test]
fn the_table_reaches_the_ends_of_the_range() {
    let table = table();
    let subnormal = |column: usize| table.iter().filter(|row| row[column].is_subnormal()).count();
    assert!((1..6).all(|column| subnormal(column) >= 3), "too few subnormal results to mean anything");
    assert!(table.iter().any(|row| row[0] == f64::MAX) && table.iter().any(|row| row[0] == f64::from_bits(1)));
}

#[test]
fn limits_and_not_a_number() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    assert_eq!([softplus(-inf), mean(-inf), variance(-inf), skew(-inf), parabola_curvature(-inf)], [0.0; 5]);
    assert_eq!([softplus(inf), mean(inf)], [inf, 1.0]);
    assert_eq!([variance(inf), skew(inf), parabola_curvature(inf)], [0.0; 3]);
    assert!(skew(-inf).is_sign_positive() && skew(inf).is_sign_negative());
    for f in [softplus, mean, variance, skew, parabola_curvature, log_odds] {
        assert!(f(nan).is_nan() && f(-nan).is_nan());
    }
    for zero in [0.0, -0.0] {
        assert_eq!(softplus(zero), std::f64::consts::LN_2);
        assert_eq!([mean(zero), variance(zero), skew(zero), parabola_curvature(zero)], [0.5, 0.25, 0.0, 0.25]);
    }
}

#[test]
fn log_odds_is_accurate() {
    // The exact values at these doubles, by mpmath.
    let exact = [
        (5e-324, -744.4400719213812),
        (1e-320, -736.8272408909739),
        (2.2250738585072014e-308, -708.3964185322641),
        (1e-100, -230.25850929940458),
        (1e-17, -39.14394658089878),
        (0.001, -6.906754778648554),
        (0.1, -2.197224577336219),
        (0.2499999999999999, -1.0986122886681102),
        (0.25, -1.0986122886681098),
        (0.3, -0.8472978603872037),
        (0.4999999, -4.000000000115076e-07),
        (0.49999999999999994, -2.220446049250313e-16),
        (0.5, 0.0),
        (0.5000000000000001, 4.440892098500626e-16),
        (0.500001, 4.000000000120356e-06),
        (0.6, 0.4054651081081643),
        (0.75, 1.0986122886681098),
        (0.9, 2.1972245773362196),
        (0.999, 6.906754778648553),
        (0.9999999999999999, 36.7368005696771),
    ];
    for (p, value) in exact {
        assert!(ulps(log_odds(p), value) <= 2, "log_odds({p:e}) = {:e}, not {value:e}", log_odds(p));
    }
    assert_eq!([log_odds(0.0), log_odds(-0.0), log_odds(1.0)], [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY]);
    for outside in [-5e-324, -1.0, 1.0 + EPS, 2.0, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(log_odds(outside).is_nan(), "{outside}");
    }
}

#[test]
fn log_odds_inverts_the_mean() {
    for z in logits(1, 20_000, 700.0).into_iter().filter(|&z| z < 36.0) {
        // 3 ulp of the mean, magnified by 1 / mu', and 2 ulp of the logarithm.
        let margin = 3.0 * EPS * mean(z) / variance(z) + 2.0 * EPS * z.abs();
        let back = log_odds(mean(z));
        assert!((back - z).abs() <= margin, "{z} came back as {back}, margin {margin:e}");
    }
}

#[test]
fn symmetries() {
    for z in logits(2, 20_000, 740.0) {
        assert_eq!(variance(z), variance(-z));
        assert_eq!(skew(z), -skew(-z));
        assert_eq!(parabola_curvature(z), parabola_curvature(-z));
        // mu(z) + mu(-z) = 1 with both rounded within 3 ulp, and the sum.
        assert!((mean(z) + mean(-z) - 1.0).abs() <= 4.0 * EPS, "{z}");
        // softplus(z) - softplus(-z) = z.
        let slack = 2.0 * EPS * (softplus(z) + softplus(-z)) + EPS * z.abs();
        assert!((softplus(z) - softplus(-z) - z).abs() <= slack, "{z}");
        // mu' = mu(z) mu(-z): 3 + 3 + 3 ulp and a product.
        assert!((variance(z) - mean(z) * mean(-z)).abs() <= 10.0 * EPS * variance(z) + 5e-324, "{z}");
    }
}

#[test]
fn each_function_is_the_derivative_of_the_one_before() {
    let chain: [(Function, Function, f64); 3] = [(softplus, mean, 2.0), (mean, variance, 3.0), (variance, skew, 3.0)];
    let h = 2f64.powi(-16);
    for z in logits(3, 20_000, 600.0) {
        // On a grid that leaves z + h and z - h exact.
        let z = (z * 1024.0).round() / 1024.0;
        for (f, derivative, ulp) in chain {
            let difference = (f(z + h) - f(z - h)) / (2.0 * h);
            // The third derivative of each is at most mu' in absolute value, and h moves mu' by at most a factor e^h.
            let truncation = h * h / 6.0 * variance(z) * h.exp();
            let rounding = ulp * EPS * (f(z + h) + f(z - h)) / (2.0 * h) + 5.0 * EPS * derivative(z).abs();
            assert!((difference - derivative(z)).abs() <= truncation + rounding, "at {z}: {difference}");
        }
    }
}

#[test]
fn slices_agree_with_scalars_bit_for_bit() {
    let mut z = logits(4, 2_000, 760.0);
    z.extend(table().iter().map(|row| row[0]));
    z.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0]);
    // Every length about a vector's width and about a block's, and from every alignment.
    for length in (0..40).chain([255, 256, 257, 258, 259, 511, 513, z.len() - 4]) {
        for offset in 0..4 {
            // From the end, where the special values are.
            let z = &z[z.len() - offset - length..z.len() - offset];
            let mut out = [vec![7.0; length], vec![7.0; length], vec![7.0; length]];
            let [s, m, v] = &mut out;
            evaluate(z, s, m, v);
            for (i, &z) in z.iter().enumerate() {
                let scalar = [softplus(z), mean(z), variance(z)];
                for (slice, scalar) in out.iter().zip(scalar) {
                    let same = slice[i].to_bits() == scalar.to_bits() || slice[i].is_nan() && scalar.is_nan();
                    assert!(same, "at {z}: {} in a slice, {scalar} alone", slice[i]);
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "link::evaluate: 3 logits, but room for 3 softplus, 2 means and 3 variances")]
fn slices_of_unequal_length_are_refused() {
    evaluate(&[0.0; 3], &mut [0.0; 3], &mut [0.0; 2], &mut [0.0; 3]);
}

#[test]
fn the_curvature_is_at_least_the_variance_and_decreases() {
    let mut z: Vec<f64> = logits(5, 20_000, 740.0).into_iter().map(f64::abs).collect();
    z.sort_by(f64::total_cmp);
    for pair in z.windows(2) {
        let w = parabola_curvature(pair[0]);
        // 4 ulp of the one and 3 of the other; both are 1/4 to the last bit near 0.
        assert!(w * (1.0 + 7.0 * EPS) >= variance(pair[0]), "{}", pair[0]);
        assert!(parabola_curvature(pair[1]) <= w * (1.0 + 8.0 * EPS), "{}", pair[1]);
    }
}

#[test]
fn the_parabola_lies_above_and_touches_on_both_sides() {
    let parabola = |h: f64, z: f64, w: f64| {
        let (constant, linear, square) = (softplus(h), mean(h) * (z - h), 0.5 * w * (z - h) * (z - h));
        // 2 ulp for softplus, 3 + 2 and 4 + 4 for the products, 2 for the sums and 2 for the softplus compared with.
        let margin = EPS * (4.0 * constant + 7.0 * linear.abs() + 10.0 * square + 2.0 * softplus(z));
        (constant + linear + square, margin)
    };
    let points = logits(6, 20_000, 50.0).into_iter().zip(logits(7, 20_000, 50.0));
    for (z, h) in points {
        let w = parabola_curvature(h);
        let (above, margin) = parabola(h, z, w);
        assert!(softplus(z) <= above + margin, "touching at {h}, below at {z}");
        let (touch, margin) = parabola(h, -h, w);
        assert!((softplus(-h) - touch).abs() <= margin, "not touching at {}", -h);
        // No smaller curvature will do.
        if h.abs() > 0.01 {
            let (short, margin) = parabola(h, -h, w * (1.0 - 1e-9));
            assert!(softplus(-h) > short + margin, "the curvature at {h} is not the least");
        }
    }
}
