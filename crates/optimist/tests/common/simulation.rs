#![allow(dead_code, unused_imports, unreachable_pub)]
//! The simulated world of the conformance checks.

pub use optimist::conformance::Simulation;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// A uniform direction.
pub fn unit(rng: &mut ChaCha8Rng, dimension: usize) -> Vec<f64> {
    let v: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
    let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.iter().map(|x| x / norm).collect()
}
