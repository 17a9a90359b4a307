//! Old rows replaced by quadratics: the set holds, the level is valid, the planner is exact, and nothing grows.

mod batches;
mod levels;
mod options;
mod planning;
mod storage;

use optimist::{Belief, link};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::common::checks::dot;
use crate::simulation::unit;

/// A belief that keeps so many rows.
fn bounded(dimension: usize, norm_bound: Option<f64>, delta: f64, rows: usize) -> Belief {
    Belief::new(dimension, norm_bound, delta).unwrap().with_memory(Some(rows)).unwrap()
}

/// A direction that was never played before and its outcome.
fn play(rng: &mut ChaCha8Rng, theta: &[f64]) -> (Vec<f64>, f64) {
    let x = unit(rng, theta.len());
    let reward = f64::from(u8::from(rng.random::<f64>() < link::mean(dot(&x, theta))));
    (x, reward)
}

/// The largest number of misses in `runs` that a set with this delta has but in one of a thousand tests (normal law).
fn most(delta: f64, runs: usize) -> f64 {
    let runs = runs as f64;
    runs * delta + 3.1 * (runs * delta * (1.0 - delta)).sqrt()
}
