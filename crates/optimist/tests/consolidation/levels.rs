//! The level against the integral of the true likelihood, by brute force.

use optimist::{Belief, generator};

use super::{bounded, play};
use crate::common::checks::{dot, loss_of};

const DELTA: f64 = 0.05;

type Row = (Vec<f64>, f64, f64);

/// -log of the integral of exp(-L) under the three scales that go with a norm bound, and log(1/delta): by the midpoint rule on a
/// grid of `spread` around `centre`, beyond which there is nothing worth mentioning.
fn exact_level(rows: &[Row], norm_bound: f64, centre: &[f64], spread: f64) -> f64 {
    let d = centre.len();
    let cells: usize = if d == 1 { 2000 } else { 100 };
    let step = 2.0 * spread / cells as f64;
    let at = |i: usize| -spread + (i as f64 + 0.5) * step;
    let point = |i: usize| match d {
        1 => vec![centre[0] + at(i)],
        _ => vec![centre[0] + at(i / cells), centre[1] + at(i % cells)],
    };
    let losses: Vec<(f64, f64)> = (0..cells.pow(d as u32))
        .map(|i| {
            let theta = point(i);
            (loss_of(rows, 0.0, &theta), dot(&theta, &theta))
        })
        .collect();
    let exponents: Vec<f64> = [(1.0, 0.8_f64), (0.5, 0.1), (0.25, 0.1)]
        .into_iter()
        .flat_map(|(part, weight)| {
            let precision = d as f64 / (part * norm_bound).powi(2);
            let density = weight.ln() + d as f64 * (0.5 * (precision / std::f64::consts::TAU).ln() + step.ln());
            losses.iter().map(move |(loss, square)| density - loss - 0.5 * precision * square)
        })
        .collect();
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    -(largest + exponents.iter().map(|e| (e - largest).exp()).sum::<f64>().ln()) - DELTA.ln()
}

fn observe(belief: &mut Belief, x: &[f64], reward: f64) {
    if belief.history().rows() > belief.memory().unwrap() {
        belief.set();
    }
    belief.observe(x, reward).unwrap();
}

#[test]
fn the_level_is_at_least_that_of_the_true_likelihood_and_not_much_above() {
    for (d, rows, n) in [(1, 20, 300), (1, 60, 1000), (2, 40, 400), (2, 100, 800)] {
        for seed in 0..2 {
            let mut rng = generator(10 * n as u64 + seed);
            let mut theta = vec![0.0; d];
            theta[0] = 2.5;
            let mut belief = bounded(d, Some(4.0), DELTA, rows);
            let mut data: Vec<Row> = Vec::new();
            for i in 0..n {
                let (mut x, mut reward) = play(&mut rng, &theta);
                if d == 1 {
                    // New arms in one dimension are of other lengths.
                    x[0] *= 0.5 + 0.5 * f64::from(i as u32) / n as f64;
                    reward =
                        f64::from(u8::from(rand::RngExt::random::<f64>(&mut rng) < optimist::link::mean(2.5 * x[0])));
                }
                observe(&mut belief, &x, reward);
                data.push((x, 1.0, reward));
                if i + 1 != n && i + 1 != n / 2 {
                    continue;
                }
                let centre = belief.estimate().to_vec();
                // The Hessian is about n mu' |x|^2/d with mu' at least 0.07 here: eight standard deviations.
                let spread = 8.0 / (0.07 * (i + 1) as f64 / (2 * d) as f64).sqrt();
                let (level, exact) = (belief.set().level(), exact_level(&data, 4.0, &centre, spread));
                assert!(level >= exact - 1e-6, "d {d}, {rows} rows, {} seen: {level} below {exact}", i + 1);
                // A level that were worth nothing would pass the first check.
                assert!(level <= exact + 5.0, "d {d}, {rows} rows, {} seen: {level} far above {exact}", i + 1);
            }
            assert!(belief.history().consolidations() >= 5);
        }
    }
}
