//! The bounds on the regret against plain evaluations of their formulas, the lemmas they rest on, and runs.

mod lemmas;
mod lower;
mod runs;
mod upper;

use optimist::{ArmSet, FiniteArms};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn mu(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// mu'.
fn slope(z: f64) -> f64 {
    mu(z) * mu(-z)
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance * a.abs().max(b.abs()), "{what}: {a} is not {b}");
}

/// The root of a function that is positive to its left and negative to its right, between `low` and `high`.
fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

/// Arms of the unit ball.
fn arms(rng: &mut ChaCha8Rng, dimension: usize, count: usize) -> ArmSet<'static> {
    let mut rows = Vec::new();
    while rows.len() < count {
        let x: Vec<f64> = (0..dimension).map(|_| rng.random_range(-1.0..=1.0)).collect();
        let norm = dot(&x, &x).sqrt();
        rows.push(x.iter().map(|v| v / norm.max(1.0)).collect::<Vec<f64>>());
    }
    FiniteArms::from_rows(&rows).unwrap().into()
}

/// The message of a refusal: one line.
fn message<T>(result: optimist_lab::Result<T>) -> String {
    let Err(error) = result else { panic!("this should have failed") };
    let text = error.to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}
