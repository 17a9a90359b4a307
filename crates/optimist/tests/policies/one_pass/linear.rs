//! `lin-ts` and `uniform`.

use optimist::{ArmSet, FiniteArms, link, policy};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde_json::json;

use super::dense::{Matrix, add_outer, cholesky, identity, inner, solve, solve_transposed};
use super::{D, DELTA, problem};
use crate::simulation::Simulation;

/// The draw is made again from the same random numbers.
#[test]
fn lin_ts_does_what_it_says() {
    for (constants, scale) in [("ours", 1.0), ("ours", 3.0), ("published", 1.0)] {
        let options = json!({"constants": constants, "scale": scale, "ridge": 0.7});
        let mut policy = policy::build_with("lin-ts", &problem(3.0), &options).unwrap();
        let mut simulation = Simulation::new(D, 2.0, 3);
        let list = simulation.ball_arms(15);
        let arms = ArmSet::from(list.clone());
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut v: Matrix = identity(D, 0.7);
        let mut sum = vec![0.0; D];
        for round in 1..=200 {
            let theta = solve(&v, &sum);
            let mut copy = rng.clone();
            let normal: Vec<f64> = (0..D).map(|_| copy.sample(StandardNormal)).collect();
            let inflation =
                if constants == "ours" { 1.0 } else { (9.0 * D as f64 * (f64::from(round) / DELTA).ln()).sqrt() };
            let offset = solve_transposed(&cholesky(&v), &normal);
            let draw: Vec<f64> = theta.iter().zip(offset).map(|(t, o)| t + 0.5 * scale * inflation * o).collect();
            let x = policy.choose(&arms, &mut rng).unwrap().features.to_vec();
            let best = list.iter().map(|x| inner(x, &draw)).fold(f64::NEG_INFINITY, f64::max);
            assert!(inner(&x, &draw) >= best - 1e-9, "round {round}");
            for (a, b) in policy.estimate().iter().zip(&theta) {
                assert!((a - b).abs() < 1e-10, "round {round}: {a} and {b}");
            }
            let reward = simulation.reward(&x);
            policy.observe(&x, reward).unwrap();
            add_outer(&mut v, 1.0, &x);
            sum.iter_mut().zip(&x).for_each(|(s, v)| *s += reward * v);
        }
    }
}

#[test]
fn uniform_is_uniform_over_a_list() {
    let mut policy = policy::build("uniform", &problem(3.0)).unwrap();
    let arms = ArmSet::from(Simulation::new(D, 2.0, 3).ball_arms(8));
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let exact = policy.probabilities(&arms, 0, &mut rng).unwrap();
    assert!(exact.standard_errors.is_none() && exact.values.iter().all(|p| *p == 0.125));
    let mut counts = [0.0; 8];
    for _ in 0..8000 {
        counts[policy.choose(&arms, &mut rng).unwrap().index.unwrap()] += 1.0;
    }
    // Chi-square with 7 degrees of freedom: above 24.3 once in a thousand times.
    let statistic: f64 = counts.iter().map(|c: &f64| (c - 1000.0).powi(2) / 1000.0).sum();
    assert!(statistic < 24.3, "{counts:?}");
}

#[test]
fn uniform_is_uniform_in_the_ball_and_on_the_sphere() {
    let mut policy = policy::build("uniform", &problem(3.0)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut cubes = 0.0;
    let mut sums = [[0.0; D]; 2];
    for _ in 0..10_000 {
        for (arms, sum) in [ArmSet::Ball { dimension: D }, ArmSet::Sphere { dimension: D }].iter().zip(&mut sums) {
            let x = policy.choose(arms, &mut rng).unwrap().features;
            sum.iter_mut().zip(&*x).for_each(|(s, v)| *s += v * v);
            let length = inner(&x, &x).sqrt();
            match arms {
                ArmSet::Ball { .. } => cubes += length.powi(3),
                _ => assert!((length - 1.0).abs() < 1e-12),
            }
        }
    }
    // The cube of the norm is uniform; its mean has standard error 0.003. A squared coordinate has mean 1/5 and 1/3.
    assert!((cubes / 1e4 - 0.5).abs() < 0.012, "{cubes}");
    for (sum, mean) in sums.iter().zip([0.2, 1.0 / 3.0]) {
        assert!(sum.iter().all(|s| (s / 1e4 - mean).abs() < 0.013), "{sum:?}");
    }
}

/// The estimate of `uniform` solves the score equation of the ridge estimate, and intervals hold it.
#[test]
fn uniform_estimates_by_ridge() {
    let mut policy = policy::build("uniform", &problem(3.0)).unwrap();
    let mut simulation = Simulation::new(D, 2.0, 3);
    let list: FiniteArms = simulation.ball_arms(8);
    let arms = ArmSet::from(list.clone());
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut data = Vec::new();
    for round in 0..200 {
        let x = policy.choose(&arms, &mut rng).unwrap().features.to_vec();
        let reward = simulation.reward(&x);
        policy.observe(&x, reward).unwrap();
        data.push((x, reward));
        let theta = policy.estimate().to_vec();
        let mut score: Vec<f64> = theta.iter().map(|t| t * D as f64 / 9.0).collect();
        for (x, r) in &data {
            let error = link::mean(inner(x, &theta)) - r;
            score.iter_mut().zip(x).for_each(|(s, v)| *s += error * v);
        }
        assert!(score.iter().all(|s| s.abs() < 1e-8), "round {round}: {score:?}");
    }
    let sure = policy.interval(list.arm(0)).unwrap().interval;
    let truth = inner(list.arm(0), &simulation.theta);
    assert!(sure.log_odds_lower <= truth && truth <= sure.log_odds_upper);
}
