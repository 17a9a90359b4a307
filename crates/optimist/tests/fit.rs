//! Loss and estimators: derivatives, optimality recomputed from outside, statuses, and slow independent minimisers.

use crate::common::checks::{self, dot, norm};
use optimist::loss::{Evaluation, Order, evaluate, loss};
use optimist::{Estimator, FitStatus, History, Penalty, link};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn normal(rng: &mut ChaCha8Rng, d: usize) -> Vec<f64> {
    (0..d).map(|_| StandardNormal.sample(rng)).collect()
}

/// `n` observations of arms in the unit ball, with outcomes at random.
fn data(seed: u64, d: usize, n: usize) -> History {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = normal(&mut rng, d);
    let mut history = History::new(d).unwrap();
    for _ in 0..n {
        let x = normal(&mut rng, d);
        let length = norm(&x);
        let x: Vec<f64> = x.iter().map(|v| v / length * 0.9).collect();
        let reward = f64::from(rng.random_bool(link::mean(2.0 * dot(&x, &truth))));
        history.observe_many(&x, reward, rng.random_range(1..4)).unwrap();
    }
    history
}

/// Data whose outcomes a hyperplane separates.
fn separable(d: usize) -> History {
    let mut history = History::new(d).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..20 {
        let x = normal(&mut rng, d);
        history.observe(&x, f64::from(x[0] > 0.0)).unwrap();
    }
    history
}

/// The optimality conditions at the estimate, from the outside: the residual of grad + multiplier theta = 0 relative to
/// the terms that cancel in it, multiplier >= 0, and the ball.
fn kkt(history: &History, penalty: Penalty, theta: &[f64]) -> f64 {
    let gradient = checks::gradient(history, penalty.ridge, theta);
    let length = norm(theta);
    assert!(length <= penalty.norm_bound * (1.0 + 1e-12), "outside the ball");
    let on_sphere = length >= penalty.norm_bound * (1.0 - 1e-9);
    let multiplier = if on_sphere { (-dot(&gradient, theta) / dot(theta, theta)).max(0.0) } else { 0.0 };
    let left: Vec<f64> = gradient.iter().zip(theta).map(|(g, t)| g + multiplier * t).collect();
    let scale = norm(history.reward_sum()).max((penalty.ridge + multiplier) * length);
    if scale > 0.0 { norm(&left) / scale } else { norm(&left) }
}

fn fitted(history: &History, penalty: Penalty) -> (Estimator, FitStatus) {
    let mut estimator = Estimator::new(history.dimension());
    let status = estimator.fit(history, penalty).unwrap();
    (estimator, status)
}

#[test]
fn derivatives_agree_with_differences() {
    // Rows on both sides of a tile's end, and dimensions on both sides of a block's.
    for (seed, d, n) in [(1, 1, 5), (2, 2, 63), (3, 3, 64), (4, 5, 65), (5, 9, 200), (6, 16, 30)] {
        let history = data(seed, d, n);
        let theta = normal(&mut ChaCha8Rng::seed_from_u64(seed), d);
        let mut at = Evaluation::new(d);
        evaluate(&history, &theta, Order::Curvature, &mut at);
        let size = history.observations();
        let h = 1e-5;
        for j in 0..d {
            let shifted = |sign: f64| {
                let mut moved = theta.clone();
                moved[j] += sign * h;
                let mut there = Evaluation::new(d);
                evaluate(&history, &moved, Order::Gradient, &mut there);
                there
            };
            let (up, down) = (shifted(1.0), shifted(-1.0));
            assert!(((up.loss - down.loss) / (2.0 * h) - at.gradient[j]).abs() <= 1e-8 * size);
            for i in j..d {
                let difference = (up.gradient[i] - down.gradient[i]) / (2.0 * h);
                assert!((difference - at.hessian[i * d + j]).abs() <= 1e-8 * size, "d = {d}, entry ({i}, {j})");
            }
        }
    }
}

#[test]
fn a_pass_agrees_with_plain_sums() {
    for (seed, d, n) in [(1, 1, 1), (2, 4, 64), (3, 7, 130), (4, 13, 300)] {
        let history = data(seed, d, n);
        let theta = normal(&mut ChaCha8Rng::seed_from_u64(seed), d);
        let mut at = Evaluation::new(d);
        evaluate(&history, &theta, Order::Curvature, &mut at);
        let (mut hessian, mut curvature) = (vec![0.0; d * d], vec![0.0; d * d]);
        for (x, count, _) in checks::rows(&history) {
            let z = dot(&x, &theta);
            for i in 0..d {
                for j in 0..=i {
                    hessian[i * d + j] += count * link::variance(z) * x[i] * x[j];
                    curvature[i * d + j] += count * link::parabola_curvature(z) * x[i] * x[j];
                }
            }
        }
        let plain = checks::loss(&history, 0.0, &theta);
        assert!((at.loss - plain).abs() <= 1e-13 * plain);
        assert_eq!(loss(&history, &theta), at.loss);
        let gradient = checks::gradient(&history, 0.0, &theta);
        for (ours, plain) in [(&at.gradient, &gradient), (&at.hessian, &hessian), (&at.curvature, &curvature)] {
            for (a, b) in ours.iter().zip(plain) {
                assert!((a - b).abs() <= 1e-13 * history.observations());
            }
        }
        // Every order computes the same numbers as far as it goes.
        let mut again = Evaluation::new(d);
        evaluate(&history, &theta, Order::Hessian, &mut again);
        assert_eq!((&again.gradient, &again.hessian), (&at.gradient, &at.hessian));
    }
}

#[test]
fn estimates_satisfy_the_optimality_conditions() {
    for (seed, d, n) in [(1, 1, 10), (2, 2, 50), (3, 5, 20), (4, 10, 300), (5, 20, 10), (6, 50, 100)] {
        let history = data(seed, d, n);
        for penalty in [
            Penalty::ridge(1.0),
            Penalty::ridge(1e-4),
            Penalty::ridge(1e3),
            Penalty::ball(0.3),
            Penalty::ball(5.0),
            Penalty { ridge: 0.1, norm_bound: 0.5 },
        ] {
            let (estimator, status) = fitted(&history, penalty);
            let residual = kkt(&history, penalty, estimator.theta());
            assert!(residual <= 1e-10, "d = {d}, {penalty:?}: {residual:e}, {status:?}");
            assert!(status.is_converged(), "{status:?}");
            let on_sphere = norm(estimator.theta()) >= penalty.norm_bound * (1.0 - 1e-9);
            assert_eq!(status == FitStatus::OnBoundary, on_sphere && estimator.multiplier() > 0.0);
        }
    }
}

#[test]
fn separable_data_end_on_the_sphere_or_at_infinity() {
    for d in [1, 2, 5, 30] {
        let history = separable(d);
        for bound in [0.5, 3.0] {
            let (estimator, status) = fitted(&history, Penalty::ball(bound));
            assert_eq!(status, FitStatus::OnBoundary);
            assert!((norm(estimator.theta()) / bound - 1.0).abs() <= 1e-12);
            assert!(kkt(&history, Penalty::ball(bound), estimator.theta()) <= 1e-10);
        }
        let (estimator, status) = fitted(&history, Penalty::ridge(0.0));
        assert_eq!(status, FitStatus::NotAttained);
        let gradient = checks::gradient(&history, 0.0, estimator.theta());
        assert!(norm(&gradient) <= 1e-9 * norm(history.reward_sum()));
        let (_, status) = fitted(&history, Penalty::ridge(1e-3));
        assert_eq!(status, FitStatus::Interior);
    }
}

#[test]
fn empty_data_give_zero() {
    let history = History::new(3).unwrap();
    for penalty in [Penalty::ridge(1.0), Penalty::ridge(0.0), Penalty::ball(2.0)] {
        let (estimator, status) = fitted(&history, penalty);
        assert_eq!((estimator.theta(), status), (&[0.0; 3][..], FitStatus::Interior));
        assert_eq!(estimator.evaluation().loss, 0.0);
    }
}

#[test]
fn arms_that_are_zero_or_missing_change_nothing() {
    let mut history = History::new(4).unwrap();
    history.observe_many(&[0.0; 4], 1.0, 5).unwrap();
    let (estimator, status) = fitted(&history, Penalty::ball(1.0));
    assert_eq!((estimator.theta(), status), (&[0.0; 4][..], FitStatus::Interior));
    // One arm with three successes of four in four dimensions: only its log-odds are determined.
    let x = [0.5, -0.5, 0.1, 0.0];
    history.observe_many(&x, 0.75, 4).unwrap();
    for penalty in [Penalty::ball(10.0), Penalty::ridge(0.0)] {
        let (estimator, status) = fitted(&history, penalty);
        assert_eq!(status, FitStatus::Interior);
        assert!((dot(&x, estimator.theta()) - 3.0_f64.ln()).abs() <= 1e-9);
        // From zero, the step stays in the span of the data.
        assert!(estimator.theta()[3].abs() <= 1e-9);
    }
}

#[test]
fn duplicate_arms_count_as_often_as_they_came() {
    let x = [0.6, 0.8];
    let mut once = History::new(2).unwrap();
    once.observe_many(&x, 0.75, 400).unwrap();
    let mut one_by_one = History::new(2).unwrap();
    for i in 0..400 {
        one_by_one.observe(&x, f64::from(i % 4 != 0)).unwrap();
    }
    let estimates = [&once, &one_by_one].map(|history| fitted(history, Penalty::ridge(0.5)).0.theta().to_vec());
    assert_eq!(estimates[0], estimates[1]);
}

#[test]
fn all_successes_with_a_ridge() {
    let mut history = History::new(2).unwrap();
    history.observe_many(&[1.0, 0.0], 1.0, 1000).unwrap();
    for ridge in [1e-6, 1e-2, 10.0] {
        let (estimator, status) = fitted(&history, Penalty::ridge(ridge));
        assert_eq!(status, FitStatus::Interior);
        assert!(kkt(&history, Penalty::ridge(ridge), estimator.theta()) <= 1e-10);
        // n mu(-z) = ridge z, to 1e-10 of the reward sum.
        let z = estimator.theta()[0];
        assert!((1000.0 * link::mean(-z) - ridge * z).abs() <= 1e-10 * 1000.0);
    }
}

#[test]
fn one_dimension_agrees_with_bisection() {
    for (seed, ridge, bound) in [(1, 0.1, f64::INFINITY), (2, 0.0, 0.4), (3, 2.0, 1.0), (4, 1e-3, 50.0)] {
        let history = data(seed, 1, 40);
        let slope = |t: f64| checks::gradient(&history, ridge, &[t])[0];
        let (mut low, mut high) = (-bound.min(1e4), bound.min(1e4));
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 { high = middle } else { low = middle }
        }
        let (estimator, _) = fitted(&history, Penalty { ridge, norm_bound: bound });
        assert!((estimator.theta()[0] - low).abs() <= 1e-9 * low.abs().max(1.0));
    }
}

/// Accelerated projected gradient descent: slow and independent.
fn projected_gradient(history: &History, penalty: Penalty) -> Vec<f64> {
    let d = history.dimension();
    let rows = checks::rows(history);
    let steepest = 0.25 * rows.iter().map(|(x, n, _)| n * dot(x, x)).sum::<f64>() + penalty.ridge;
    let (mut theta, mut ahead, mut momentum) = (vec![0.0; d], vec![0.0; d], 1.0_f64);
    for _ in 0..40_000 {
        let gradient = checks::gradient(history, penalty.ridge, &ahead);
        let mut next: Vec<f64> = ahead.iter().zip(&gradient).map(|(t, g)| t - g / steepest).collect();
        let length = norm(&next);
        if length > penalty.norm_bound {
            next.iter_mut().for_each(|t| *t *= penalty.norm_bound / length);
        }
        let faster = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let push = (momentum - 1.0) / faster;
        ahead = next.iter().zip(&theta).map(|(n, t)| n + push * (n - t)).collect();
        // Start again when momentum leads uphill.
        momentum = if dot(&gradient, &next) > dot(&gradient, &theta) { 1.0 } else { faster };
        theta = next;
    }
    theta
}

#[test]
fn a_slow_minimiser_finds_the_same_point() {
    for (seed, penalty) in [
        (1, Penalty::ridge(1.0)),
        (2, Penalty::ball(0.7)),
        (3, Penalty { ridge: 0.2, norm_bound: 0.9 }),
        (4, Penalty::ball(50.0)),
    ] {
        let history = data(seed, 3, 40);
        let (estimator, _) = fitted(&history, penalty);
        let slow = projected_gradient(&history, penalty);
        for (a, b) in estimator.theta().iter().zip(&slow) {
            assert!((a - b).abs() <= 1e-7, "{penalty:?}: {:?} but {slow:?}", estimator.theta());
        }
    }
}

#[test]
fn a_warm_start_ends_where_a_cold_one_does() {
    let mut history = data(11, 6, 100);
    for penalty in [Penalty::ridge(0.5), Penalty::ball(0.8)] {
        let mut warm = Estimator::new(6);
        for i in 0..20 {
            let x: Vec<f64> = normal(&mut ChaCha8Rng::seed_from_u64(100 + i), 6).iter().map(|v| 0.3 * v).collect();
            history.observe(&x, f64::from(u8::from(i % 3 == 0))).unwrap();
            warm.fit(&history, penalty).unwrap();
            let (cold, _) = fitted(&history, penalty);
            for (a, b) in warm.theta().iter().zip(cold.theta()) {
                assert!((a - b).abs() <= 1e-8, "round {i}, {penalty:?}");
            }
        }
        let passes = warm.passes();
        warm.fit(&history, penalty).unwrap();
        assert!(warm.passes() - passes <= 2, "a fit of the same data again took {} passes", warm.passes() - passes);
    }
}

#[test]
fn a_start_far_away_or_outside_the_ball_is_no_obstacle() {
    let history = data(12, 4, 60);
    for penalty in [Penalty::ridge(0.1), Penalty::ball(0.5)] {
        let (cold, _) = fitted(&history, penalty);
        let mut far = Estimator::new(4);
        far.start_from(&[300.0, -200.0, 100.0, 50.0]).unwrap();
        assert!(far.fit(&history, penalty).unwrap().is_converged());
        for (a, b) in far.theta().iter().zip(cold.theta()) {
            assert!((a - b).abs() <= 1e-8);
        }
    }
}

#[test]
fn bad_penalties_and_starts_are_refused() {
    let history = data(13, 2, 5);
    let mut estimator = Estimator::new(2);
    for penalty in [
        Penalty::ridge(-1.0),
        Penalty::ridge(f64::NAN),
        Penalty::ridge(f64::INFINITY),
        Penalty::ball(0.0),
        Penalty::ball(-2.0),
        Penalty::ball(f64::NAN),
    ] {
        assert!(estimator.fit(&history, penalty).is_err(), "accepted {penalty:?}");
    }
    assert!(estimator.start_from(&[1.0]).is_err());
    assert!(estimator.start_from(&[1.0, f64::NAN]).is_err());
    assert!(Estimator::new(3).fit(&history, Penalty::ridge(1.0)).is_err());
}
