//! Derivatives of the loss, and the estimators against their optimality conditions and slow, independent minimisers.

mod common {
    pub mod simulation;
}

use common::simulation::{Simulation, unit};
use optimist::loss::{Evaluation, Order, evaluate, loss};
use optimist::{Estimator, FitStatus, History, Penalty, link};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Arms, counts and rewards, some of them fractional; more rows than a tile holds if `rows` says so.
fn random_history(dimension: usize, rows: usize, seed: u64) -> History {
    let mut simulation = Simulation::new(dimension, 2.0, seed);
    let mut history = History::new(dimension).unwrap();
    if rows > 0 {
        for (i, x) in simulation.ball_arms(rows).iter().enumerate() {
            for _ in 0..1 + i % 4 {
                let reward = if i % 5 == 0 { simulation.rng.random::<f64>() } else { simulation.reward(x) };
                history.observe(x, reward).unwrap();
            }
        }
    }
    history
}

/// Gradient of the penalised loss, summed row by row.
fn slow_gradient(history: &History, theta: &[f64], ridge: f64) -> Vec<f64> {
    let mut gradient: Vec<f64> = theta.iter().map(|t| ridge * t).collect();
    let mut x = vec![0.0; theta.len()];
    for row in 0..history.rows() {
        history.features(row, &mut x);
        let (count, rewards) = history.outcomes(row);
        let residual = count * link::mean(dot(&x, theta)) - rewards;
        gradient.iter_mut().zip(&x).for_each(|(g, xi)| *g += residual * xi);
    }
    gradient
}

#[test]
fn one_pass_agrees_with_a_sum_over_rows_and_with_finite_differences() {
    for (d, rows, seed) in [(1, 5, 1), (2, 63, 2), (3, 64, 3), (5, 65, 4), (11, 200, 5), (2, 0, 6)] {
        let history = random_history(d, rows, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let theta: Vec<f64> = unit(&mut rng, d).iter().map(|v| 1.7 * v).collect();
        let mut at = Evaluation::new(d);
        evaluate(&history, &theta, Order::Curvature, &mut at);
        let scale = history.observations().max(1.0);
        assert!((at.loss - loss(&history, &theta)).abs() <= 1e-13 * scale);
        let slow = slow_gradient(&history, &theta, 0.0);
        assert!(at.gradient.iter().zip(&slow).all(|(g, s)| (g - s).abs() <= 1e-13 * scale));
        // Central differences with step h err by h^2/6 times a third derivative (at most 0.1 a row) and by
        // rounding/h: with h = 1e-5 both are below 1e-9 times the number of observations.
        let h = 1e-5;
        let mut shifted = Evaluation::new(d);
        for i in 0..d {
            let mut moved = |step: f64| {
                let mut point = theta.clone();
                point[i] += step;
                evaluate(&history, &point, Order::Gradient, &mut shifted);
                (shifted.loss, shifted.gradient.clone())
            };
            let (up, down) = (moved(h), moved(-h));
            assert!(((up.0 - down.0) / (2.0 * h) - at.gradient[i]).abs() <= 1e-9 * scale);
            for j in 0..=i {
                let difference = (up.1[j] - down.1[j]) / (2.0 * h);
                assert!((difference - at.hessian[i * d + j]).abs() <= 1e-9 * scale);
            }
        }
        check_curvature(&history, &theta, &at);
    }
}

/// W against its definition, and the parabola with curvature W above the loss.
fn check_curvature(history: &History, theta: &[f64], at: &Evaluation) {
    let d = theta.len();
    let mut slow = vec![0.0; d * d];
    let mut x = vec![0.0; d];
    for row in 0..history.rows() {
        history.features(row, &mut x);
        let weight = history.outcomes(row).0 * link::parabola_curvature(dot(&x, theta));
        for i in 0..d {
            (0..=i).for_each(|j| slow[i * d + j] += weight * x[i] * x[j]);
        }
    }
    let scale = history.observations().max(1.0);
    for i in 0..d {
        assert!((0..=i).all(|j| (slow[i * d + j] - at.curvature[i * d + j]).abs() <= 1e-13 * scale));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    for _ in 0..50 {
        let size = 6.0 * rng.random::<f64>();
        let step: Vec<f64> = unit(&mut rng, d).iter().map(|v| size * v).collect();
        let point: Vec<f64> = theta.iter().zip(&step).map(|(t, s)| t + s).collect();
        let mut quadratic = 0.0;
        for i in 0..d {
            for j in 0..d {
                quadratic += slow[i.max(j) * d + i.min(j)] * step[i] * step[j];
            }
        }
        let parabola = at.loss + dot(&at.gradient, &step) + 0.5 * quadratic;
        assert!(loss(history, &point) <= parabola + 1e-12 * scale);
    }
}

/// KKT of the penalised problem, recomputed from scratch.
fn check_optimality(history: &History, estimator: &Estimator, penalty: Penalty, status: FitStatus) {
    let theta = estimator.theta();
    let gradient = slow_gradient(history, theta, penalty.ridge);
    let multiplier = estimator.multiplier();
    let residual: Vec<f64> = gradient.iter().zip(theta).map(|(g, t)| g + multiplier * t).collect();
    let scale = norm(history.reward_sum()).max((penalty.ridge + multiplier) * norm(theta)).max(1e-300);
    let context = || format!("{penalty:?} {status:?} d={} rows={}", history.dimension(), history.rows());
    assert!(norm(&residual) <= 2e-10 * scale, "{}: {:e} of {:e}", context(), norm(&residual), scale);
    assert!(norm(theta) <= penalty.norm_bound * (1.0 + 1e-12), "{}", context());
    assert!(multiplier >= 0.0);
    if multiplier > 0.0 {
        assert!((norm(theta) - penalty.norm_bound).abs() <= 1e-9 * penalty.norm_bound, "{}", context());
        assert_eq!(status, FitStatus::OnBoundary);
    }
}

#[test]
fn estimates_satisfy_their_optimality_conditions() {
    let mut boundary = 0;
    for (i, (d, rows)) in
        [(1, 1), (1, 30), (2, 0), (2, 9), (3, 2), (5, 40), (10, 4), (10, 300), (30, 12)].iter().enumerate()
    {
        let history = random_history(*d, *rows, 100 + i as u64);
        for ridge in [0.0, 1e-6, 0.3, 40.0] {
            for norm_bound in [0.2, 2.0, 15.0, f64::INFINITY] {
                if ridge == 0.0 && norm_bound == f64::INFINITY {
                    continue;
                }
                let penalty = Penalty { ridge, norm_bound };
                let mut estimator = Estimator::new(*d);
                let status = estimator.fit(&history, penalty).unwrap();
                assert!(status.is_converged(), "{penalty:?} d={d} rows={rows}: {status:?} {:e}", estimator.residual());
                check_optimality(&history, &estimator, penalty, status);
                boundary += usize::from(status == FitStatus::OnBoundary);
            }
        }
    }
    assert!(boundary > 20, "{boundary} fits on the boundary: the ball was hardly tested");
}

#[test]
fn separable_duplicate_and_zero_arms() {
    let mut history = History::new(3).unwrap();
    history.observe_many(&[1.0, 0.0, 0.0], 1.0, 50).unwrap();
    history.observe_many(&[0.0, 1.0, 0.0], 0.0, 50).unwrap();
    history.observe_many(&[0.0, 0.0, 0.0], 1.0, 7).unwrap();
    for penalty in [Penalty::ridge(1e-8), Penalty::ridge(1.0), Penalty::ball(5.0), Penalty::ball(30.0)] {
        let mut estimator = Estimator::new(3);
        let status = estimator.fit(&history, penalty).unwrap();
        assert!(status.is_converged(), "{penalty:?}: {status:?}");
        check_optimality(&history, &estimator, penalty, status);
        let theta = estimator.theta();
        // By symmetry, and because no data look in the third direction.
        assert!((theta[0] + theta[1]).abs() <= 1e-6 * theta[0] && theta[0] > 0.0 && theta[2].abs() <= 1e-9);
    }
    let mut free = Estimator::new(3);
    assert_eq!(free.fit(&history, Penalty::ridge(0.0)).unwrap(), FitStatus::NotAttained);
    assert!(free.evaluation().loss - 7.0 * 2.0_f64.ln() <= 1e-6, "the infimum is that of the zero arm alone");
}

#[test]
fn one_dimension_agrees_with_bisection() {
    for seed in 0..20 {
        let history = random_history(1, 6, 300 + seed);
        let ridge = 0.05 * (1.0 + seed as f64);
        let (mut low, mut high) = (-100.0, 100.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if slow_gradient(&history, &[middle], ridge)[0] > 0.0 { high = middle } else { low = middle }
        }
        let mut estimator = Estimator::new(1);
        estimator.fit(&history, Penalty::ridge(ridge)).unwrap();
        assert!((estimator.theta()[0] - low).abs() <= 1e-9 * low.abs().max(1.0));
        let bound = 0.5 * low.abs();
        if bound > 0.0 {
            estimator.fit(&history, Penalty { ridge, norm_bound: bound }).unwrap();
            assert!((estimator.theta()[0] - 0.5 * low).abs() <= 1e-9 * low.abs());
        }
    }
}

#[test]
fn a_ball_fit_agrees_with_projected_gradient_descent() {
    for seed in 0..5 {
        let (d, bound) = (4, 0.7);
        let history = random_history(d, 20, 400 + seed);
        let mut estimator = Estimator::new(d);
        estimator.fit(&history, Penalty::ball(bound)).unwrap();
        let mut theta = vec![0.0; d];
        // The gradient's Lipschitz constant is at most n/4.
        let step = 4.0 / history.observations();
        for _ in 0..20_000 {
            let gradient = slow_gradient(&history, &theta, 0.0);
            theta.iter_mut().zip(&gradient).for_each(|(t, g)| *t -= step * g);
            let length = norm(&theta);
            if length > bound {
                theta.iter_mut().for_each(|t| *t *= bound / length);
            }
        }
        let difference: Vec<f64> = theta.iter().zip(estimator.theta()).map(|(a, b)| a - b).collect();
        assert!(norm(&difference) <= 1e-7, "{difference:?}");
    }
}

#[test]
fn a_warm_start_ends_where_a_cold_one_does() {
    let history = random_history(6, 80, 500);
    let penalty = Penalty { ridge: 0.1, norm_bound: 1.5 };
    let mut cold = Estimator::new(6);
    cold.fit(&history, penalty).unwrap();
    let mut warm = Estimator::new(6);
    warm.start_from(&[5.0, -5.0, 5.0, -5.0, 5.0, -5.0]).unwrap();
    warm.fit(&history, penalty).unwrap();
    let difference: Vec<f64> = warm.theta().iter().zip(cold.theta()).map(|(a, b)| a - b).collect();
    assert!(norm(&difference) <= 1e-9);
    let before = warm.passes();
    warm.fit(&history, penalty).unwrap();
    assert!(warm.passes() - before <= 2, "a fit from the solution took {} passes", warm.passes() - before);
}

#[test]
fn opposite_arms_whose_rewards_cancel_converge() {
    for count in [1_000_000, 1_000_000_000] {
        let mut history = History::new(2).unwrap();
        history.observe_many(&[0.6, 0.3], 1.0, count).unwrap();
        history.observe_many(&[-0.6, -0.3], 1.0, count).unwrap();
        history.observe(&[0.1, -0.7], 1.0).unwrap();
        let mut estimator = Estimator::new(2);
        let status = estimator.fit(&history, Penalty::ridge(1.0)).unwrap();
        assert_eq!(status, FitStatus::Interior, "{count}: {:e} after {}", estimator.residual(), estimator.passes());
        assert!(estimator.passes() < 30);
    }
}

#[test]
fn bad_penalties_and_starts_are_refused() {
    let history = random_history(2, 5, 600);
    let mut estimator = Estimator::new(2);
    for ridge in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(estimator.fit(&history, Penalty::ridge(ridge)).is_err(), "ridge {ridge}");
    }
    for bound in [0.0, -2.0, f64::NAN] {
        assert!(estimator.fit(&history, Penalty::ball(bound)).is_err(), "bound {bound}");
    }
    assert!(estimator.start_from(&[1.0]).is_err() && estimator.start_from(&[f64::NAN, 0.0]).is_err());
    assert!(Estimator::new(3).fit(&history, Penalty::ridge(1.0)).is_err());
}
