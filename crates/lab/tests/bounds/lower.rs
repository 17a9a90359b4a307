//! The lower bound: its constant, its fixed points, the steps of its proof, the neighbours, refusals.

use optimist::{ArmSet, FiniteArms, link};
use optimist_lab::theory::lower::{LowerBound, Neighbours};
use rand::RngExt;

use super::{bisect, close, dot, message, mu, rng, slope};

fn bound(d: usize, length: f64, rounds: u64) -> LowerBound {
    let mut theta = vec![0.0; d];
    theta[d - 1] = length;
    LowerBound::new(&theta, &ArmSet::Sphere { dimension: d }, rounds).unwrap()
}

#[test]
fn the_universal_constant_is_the_largest_solution_of_its_equation() {
    for (d, inverse) in [(2, 249.0), (3, 173.0), (5, 133.0), (10, 108.0), (50, 87.0)] {
        let (constant, scale) = LowerBound::constant(d).unwrap();
        assert_eq!((1.0 / constant).round(), inverse, "d = {d}");
        let d = d as f64;
        let right = |c: f64, k: f64| {
            let root = 4.0 * c * (4.0 * (c / d).sqrt()).exp() * (6.0 * d * k / (d - 1.0) + c + c * k);
            c / 8.0 * (d - 1.0) / d * (1.0 - root.sqrt())
        };
        close(right(scale, constant), constant, 1e-12, "fixed point");
        let best = (1..1000).map(|i| f64::from(i) / 1000.0).map(|c| bisect(0.0, 1.0, |k| right(c, k) - k));
        let best = best.fold(0.0, f64::max);
        assert!(best <= constant * (1.0 + 1e-9) && best > 0.9999 * constant, "{best} {constant}");
    }
    close(LowerBound::constant(2).unwrap().1, 0.122, 5e-3, "c of the plane");
}

#[test]
fn the_universal_bound_solves_for_eps() {
    for (d, length) in [(2, 1.0), (2, 5.0), (3, 2.0), (10, 4.0)] {
        let least = bound(d, length, 1).least_horizon;
        for rounds in [least.ceil() as u64, 2 * least as u64, 1000 * least as u64] {
            let it = bound(d, length, rounds);
            let packing = it.universal.unwrap();
            let (t, d) = (rounds as f64, d as f64);
            let r = (length * length + (d - 1.0) * packing.eps * packing.eps).sqrt();
            close(packing.kappa_eps, 1.0 / slope(r), 1e-9, "kappa_eps");
            close(packing.eps.powi(2), it.scale * (packing.kappa_eps / t).sqrt(), 1e-9, "eps");
            assert!(t >= d * d * packing.kappa_eps * (1.0 - 1e-9));
            close(packing.value, it.constant * d / length * (t / packing.kappa_eps).sqrt(), 1e-12, "value");
        }
        let short = bound(d, length, (least * 0.99) as u64);
        assert!(short.universal.is_none() && short.refusal.unwrap().contains("the horizon is"));
        assert!(short.sharp.value > 0.0);
    }
    let near = bound(2, 0.9, 1_000_000);
    assert!(near.universal.is_none() && near.refusal.unwrap().contains("||theta*|| is 0.9"));
}

/// The fixed point for one eps, by grids and bisection, in the plain notation of the proof.
fn fixed_point(d: f64, length: f64, t: f64, eps: f64) -> f64 {
    let r = (length * length + (d - 1.0) * eps * eps).sqrt();
    let kappa = 1.0 / slope(r);
    let grid = (1..40_000).map(|i| -r + 2.0 * r * f64::from(i) / 4e4);
    let q = grid.map(|z| (mu(r) - mu(z)) / (slope(z) * (r - z))).fold(f64::INFINITY, f64::min);
    bisect(0.0, t, |h| {
        let distances = 2.0 * h / (r * q);
        let direction = (d - 1.0) * eps * eps / (r * r) * (t / kappa + (2.0 * mu(r) - 1.0) * h);
        let entropy = ((2.0 * eps).exp() - 1.0 - 2.0 * eps) * (distances.sqrt() + direction.sqrt()).powi(2);
        t * eps * eps * (d - 1.0) / (4.0 * kappa * r) * (1.0 - (entropy / (2.0 * (d - 1.0))).sqrt()) - h
    })
}

#[test]
fn the_sharp_bound_is_the_best_fixed_point_and_above_the_universal_one() {
    for (d, length, rounds) in [(2, 1.0, 100), (2, 4.0, 50_000), (3, 0.3, 1000), (8, 3.0, 1_000_000), (2, 6.0, 10)] {
        let it = bound(d, length, rounds);
        let (d, t) = (d as f64, rounds as f64);
        close(it.sharp.value, fixed_point(d, length, t, it.sharp.eps), 1e-4, "fixed point");
        for i in -20..=20 {
            let eps = it.sharp.eps * 1.15_f64.powi(i);
            assert!(fixed_point(d, length, t, eps) <= it.sharp.value * (1.0 + 1e-4), "{d} {length} {rounds} {eps}");
        }
    }
    for d in [2, 3, 7, 16, 100] {
        for length in [1.0, 2.5, 6.0, 12.0] {
            for factor in [1.0, 30.0, 1e6] {
                let it = bound(d, length, (factor * bound(d, length, 1).least_horizon).ceil() as u64);
                assert!(it.sharp.value >= it.universal.unwrap().value, "{it:?}");
                assert!(it.sharp.value < 40.0 * it.universal.unwrap().value, "{it:?}");
            }
        }
    }
}

#[test]
fn it_grows_with_the_rounds() {
    let values: Vec<f64> = (0..30).map(|i| bound(3, 2.0, 3_u64 << i).sharp.value).collect();
    assert!(values.is_sorted());
    // As the square root in the end.
    close(values[29] / values[27], 2.0, 1e-2, "growth");
}

#[test]
fn nothing_is_claimed_where_rewards_are_certain() {
    let it = bound(2, 800.0, 1000);
    assert_eq!(it.sharp.value, 0.0);
    assert!(it.universal.is_none());
}

/// The steps of the proof that are inequalities between functions of log-odds.
#[test]
fn steps_of_the_proof() {
    let mut rng = rng(6);
    for _ in 0..20_000 {
        let (a, h): (f64, f64) = (rng.random_range(-8.0..8.0), rng.random_range(0.01..4.0));
        for b in [a - h, a + h] {
            let entropy = link::softplus(b) - link::softplus(a) - (b - a) * link::mean(a);
            assert!(entropy <= slope(a) * (h.exp() - 1.0 - h) * (1.0 + 1e-9), "{a} {b}");
        }
        // x of the ball at log-odds z, the best arm at r.
        let r: f64 = rng.random_range(0.05..8.0);
        let direction = [rng.random_range(-1.0..1.0_f64), rng.random_range(-1.0..1.0_f64)];
        let length = dot(&direction, &direction).sqrt().max(1.0);
        let x = [direction[0] / length, direction[1] / length];
        let (z, distance) = (r * x[0], (1.0 - x[0]).powi(2) + x[1] * x[1]);
        let gap = mu(r) - mu(z);
        assert!(gap >= 0.5 * r * slope(r) * distance * (1.0 - 1e-9) - 1e-15, "distances");
        if r >= 1.0 {
            assert!(gap >= slope(z) * distance / 6.0 * (1.0 - 1e-9) - 1e-15, "weighted distances");
        }
        assert!(slope(z) <= slope(r) + (2.0 * mu(r) - 1.0) * gap + 1e-15);
    }
}

#[test]
fn a_policy_that_plays_the_direction_of_theta_is_no_better() {
    // Its regret is the same for all neighbours, and known.
    for (d, length, rounds) in [(2, 1.0, 1000), (5, 3.0, 100_000), (12, 0.2, 50), (3, 0.0, 500), (2, 5.0, 300)] {
        let it = bound(d, length, rounds);
        let r = (length * length + (d - 1) as f64 * it.sharp.eps.powi(2)).sqrt();
        let regret = rounds as f64 * (mu(r) - mu(length));
        assert!(it.sharp.value <= regret && it.sharp.value > 0.1 * regret, "{it:?}: {regret}");
    }
}

#[test]
fn neighbours_lie_around_theta_at_right_angles() {
    let mut rng = rng(7);
    for d in [2, 3, 6] {
        for case in 0..10 {
            let mut theta: Vec<f64> = (0..d).map(|_| rng.random_range(-2.0..2.0)).collect();
            if case == 0 {
                theta.fill(0.0);
            } else if case == 1 {
                theta.fill(0.0);
                theta[0] = -3.0;
            }
            let (eps, xi) = (0.3, Neighbours::new(&theta, 0.3).unwrap());
            let r2 = dot(&theta, &theta) + (d - 1) as f64 * eps * eps;
            assert_eq!((xi.count(), xi.iter().count(), xi.axes().len()), (1 << (d - 1), 1 << (d - 1), d - 1));
            for (i, axis) in xi.axes().iter().enumerate() {
                assert!(dot(axis, &theta).abs() < 1e-12);
                for (j, other) in xi.axes().iter().enumerate() {
                    assert!((dot(axis, other) - f64::from(u8::from(i == j))).abs() < 1e-12);
                }
            }
            for (k, neighbour) in xi.iter().enumerate() {
                close(dot(&neighbour, &neighbour), r2, 1e-12, "norm");
                for (i, axis) in xi.axes().iter().enumerate() {
                    let sign = if k >> i & 1 == 1 { 1.0 } else { -1.0 };
                    assert!((dot(&neighbour, axis) - sign * eps).abs() < 1e-12);
                    let flipped = xi.get(xi.flip(k, i));
                    for (j, (a, b)) in neighbour.iter().zip(&flipped).enumerate() {
                        assert!((a - b - 2.0 * sign * eps * axis[j]).abs() < 1e-12);
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_wrong_is_refused() {
    let (ball, list) = (ArmSet::Ball { dimension: 2 }, FiniteArms::from_rows(&[[1.0, 0.0]]).unwrap());
    assert!(LowerBound::new(&[0.0, 2.0], &ball, 10).is_ok());
    assert!(message(LowerBound::new(&[0.0, 2.0], &list.into(), 10)).contains("a list of 1"));
    assert!(message(LowerBound::new(&[2.0], &ArmSet::Ball { dimension: 1 }, 10)).contains("dimension is 1"));
    assert!(message(LowerBound::new(&[2.0], &ball, 10)).contains("theta* has 1 entries"));
    assert!(message(LowerBound::new(&[f64::NAN, 0.0], &ball, 10)).contains("theta* is NaN"));
    assert!(message(LowerBound::new(&[0.0, 2.0], &ball, 0)).contains("horizon is 0"));
    assert!(message(LowerBound::constant(1)).contains("dimension is 1"));
    assert!(message(Neighbours::new(&[1.0; 17], 0.1)).contains("dimension is 17"));
    assert!(message(Neighbours::new(&[1.0], 0.1)).contains("dimension is 1"));
    assert!(message(Neighbours::new(&[1.0; 2], 0.0)).contains("eps is 0"));
    assert!(message(Neighbours::new(&[f64::INFINITY, 1.0], 0.1)).contains("theta* is inf"));
    assert_eq!(Neighbours::new(&[1.0; 16], 0.1).unwrap().count(), 32_768);
}
