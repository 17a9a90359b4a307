//! How long the smallest regret takes to compute: `cargo bench -p optimist-lab --bench graves_lai`.
//!
//! Exits with a failure if an aim is missed. One thread; times of a shared machine vary.

use std::process::ExitCode;
use std::time::Instant;

use optimist::FiniteArms;
use optimist_lab::theory::graves_lai::{Status, graves_lai};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};

const ARMS: usize = 200;
const LENGTH: f64 = 3.0;
/// Seconds a bandit may take.
const AIM: f64 = 5.0;

fn direction(dimension: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let v: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
    let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    v.iter().map(|v| v / length).collect()
}

/// theta* of norm [`LENGTH`] and arms uniform in the unit ball.
fn bandit(dimension: usize, seed: u64) -> Option<(Vec<f64>, FiniteArms)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let theta = direction(dimension, &mut rng).iter().map(|t| LENGTH * t).collect();
    let mut features = Vec::new();
    for _ in 0..ARMS {
        let uniform: f64 = StandardUniform.sample(&mut rng);
        let radius = uniform.powf(1.0 / dimension as f64);
        features.extend(direction(dimension, &mut rng).iter().map(|x| radius * x));
    }
    Some((theta, FiniteArms::new(dimension, features).ok()?))
}

/// Prints one bandit; whether it was solved in time.
fn measure(dimension: usize, seed: u64, norm_bound: Option<f64>) -> bool {
    let Some((theta, arms)) = bandit(dimension, seed) else { return false };
    let start = Instant::now();
    let result = graves_lai(&theta, &arms, norm_bound);
    let seconds = start.elapsed().as_secs_f64();
    let label = norm_bound.map_or("no norm bound".to_owned(), |bound| format!("norm bound {bound}"));
    match result {
        Ok(c) => {
            println!(
                "d={dimension}, {label}, seed {seed}: {seconds:.2} s (aim {AIM}), {} iterations, C = {:.4} (gap {:.1e}), \
                 {} arms explored, {:.1} without structure",
                c.iterations,
                c.value(),
                c.relative_gap(),
                c.plays.len(),
                c.lai_robbins
            );
            seconds < AIM && c.status == Status::Converged
        }
        Err(e) => {
            println!("d={dimension}, {label}, seed {seed}: {e}");
            false
        }
    }
}

fn main() -> ExitCode {
    println!("{ARMS} arms uniform in the unit ball, norm of theta* {LENGTH}");
    let mut is_met = true;
    for dimension in [5, 10] {
        for norm_bound in [None, Some(LENGTH), Some(4.0)] {
            for seed in 1..=3 {
                is_met &= measure(dimension, seed, norm_bound);
            }
        }
    }
    if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
