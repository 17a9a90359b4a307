//! How long theory takes: the constants and bounds of a large instance, and the Graves-Lai constants of smaller ones.
//! `cargo bench -p optimist-lab --bench theory`.
//!
//! Exits with a failure if an aim is missed. One thread; times of a shared machine vary.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use optimist::{ArmSet, FiniteArms};
use optimist_lab::Instance;
use optimist_lab::experiment::log_spaced;
use optimist_lab::theory::InstanceConstants;
use optimist_lab::theory::graves_lai::{Status, graves_lai};
use optimist_lab::theory::upper::{ConfidenceSet, Decrement, Seen, UpperBounds};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StandardUniform};

/// Arms where constants and bounds are computed, and seconds that may take.
const MANY_ARMS: usize = 1000;
const BOUNDS_AIM: f64 = 0.1;
/// Arms where the Graves-Lai constant is computed, and seconds that may take.
const ARMS: usize = 200;
const AIM: f64 = 5.0;
const LENGTH: f64 = 3.0;

fn direction(dimension: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let v: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
    let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    v.iter().map(|v| v / length).collect()
}

/// theta* of norm [`LENGTH`] and arms uniform in the unit ball.
fn bandit(dimension: usize, count: usize, seed: u64) -> Option<(Vec<f64>, FiniteArms<'static>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let theta = direction(dimension, &mut rng).iter().map(|t| LENGTH * t).collect();
    let mut features = Vec::new();
    for _ in 0..count {
        let uniform: f64 = StandardUniform.sample(&mut rng);
        let radius = uniform.powf(1.0 / dimension as f64);
        features.extend(direction(dimension, &mut rng).iter().map(|x| radius * x));
    }
    Some((theta, FiniteArms::new(dimension, features).ok()?))
}

/// Prints one bandit; whether it was solved in time.
fn measure(dimension: usize, seed: u64, norm_bound: Option<f64>) -> bool {
    let Some((theta, arms)) = bandit(dimension, ARMS, seed) else { return false };
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

/// InstanceConstants of a large instance and the bounds of three sets for 100 horizons; whether it was in time.
fn measure_bounds(dimension: usize) -> Result<bool, Box<dyn Error>> {
    let (theta, arms) = bandit(dimension, MANY_ARMS, 1).ok_or("no bandit")?;
    let arms = ArmSet::from(arms);
    let start = Instant::now();
    let constants = InstanceConstants::of(&theta, &arms, LENGTH)?;
    let seconds = start.elapsed().as_secs_f64();
    let instance = Instance::new(&theta, &arms);
    let mut values = Vec::new();
    for set in
        [ConfidenceSet::NewtonDecrement { gamma: Decrement::Corrected }, ConfidenceSet::Tight, ConfidenceSet::Mixture]
    {
        let bounds = UpperBounds::new(&instance, LENGTH, 0.05, set, 1_000_000)?;
        for rounds in log_spaced(1_000_000, 100) {
            values.push(bounds.after(rounds as u64, &Seen::default())?.value);
        }
    }
    let all = start.elapsed().as_secs_f64();
    println!(
        "d={dimension}, {MANY_ARMS} arms: constants {:.2} ms (kappa_* {:.2}, {} detrimental), with {} bounds {:.1} ms (aim {:.0})",
        1e3 * seconds,
        constants.kappa_star,
        constants.detrimental.len(),
        values.len(),
        1e3 * all,
        1e3 * BOUNDS_AIM
    );
    Ok(all < BOUNDS_AIM)
}

fn main() -> ExitCode {
    let mut is_met = measure_bounds(10).unwrap_or_else(|e| {
        println!("{e}");
        false
    });
    println!("{ARMS} arms uniform in the unit ball, norm of theta* {LENGTH}");
    for dimension in [5, 10] {
        for norm_bound in [None, Some(LENGTH), Some(4.0)] {
            for seed in 1..=3 {
                is_met &= measure(dimension, seed, norm_bound);
            }
        }
    }
    if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
