//! How fast the innermost loops are: a pass over the data by order and size, and the link by element.
//!
//! `cargo bench -p optimist --bench kernels`

use std::hint::black_box;
use std::time::Instant;

use optimist::History;
use optimist::link;
use optimist::loss::{Evaluation, Order, evaluate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    println!("loss::evaluate, nanoseconds a row (and billions of multiply-adds a second for the matrices)");
    println!("{:>6} {:>5} {:>10} {:>10} {:>18} {:>18}", "rows", "d", "value", "gradient", "hessian", "curvature");
    for (rows, d) in [(40, 2), (1000, 10), (1000, 50), (10_000, 200)] {
        passes(rows, d);
    }
    link_functions();
}

/// The shortest of several timings of `work`, in nanoseconds, each long enough to be measured.
fn nanoseconds(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    let repeats = (2e7 / start.elapsed().as_nanos().max(20) as f64).clamp(1.0, 1e5) as u32;
    let timing = |_| {
        let start = Instant::now();
        (0..repeats).for_each(|_| work());
        start.elapsed().as_nanos() as f64 / f64::from(repeats)
    };
    (0..7).map(timing).fold(f64::INFINITY, f64::min)
}

fn passes(rows: usize, d: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut history = History::new(d).expect("a dimension");
    for _ in 0..rows {
        let x: Vec<f64> = (0..d).map(|_| rng.random_range(-1.0..1.0) / (d as f64).sqrt()).collect();
        history.observe(&x, f64::from(rng.random_bool(0.5))).expect("sound data");
    }
    let theta: Vec<f64> = (0..d).map(|_| rng.random_range(-2.0..2.0)).collect();
    let mut out = Evaluation::new(d);
    let mut per_row = |order| {
        nanoseconds(|| evaluate(black_box(&history), black_box(&theta), order, black_box(&mut out))) / rows as f64
    };
    let [value, gradient, hessian, curvature] =
        [Order::Value, Order::Gradient, Order::Hessian, Order::Curvature].map(&mut per_row);
    // One matrix costs d (d + 1) / 2 multiply-adds a row.
    let rate = |more: f64| (d * (d + 1)) as f64 / 2.0 / more;
    println!(
        "{rows:>6} {d:>5} {value:>10.2} {gradient:>10.2} {hessian:>10.1} ({:>5.2}) {curvature:>10.1} ({:>5.2})",
        rate(hessian - gradient),
        rate(curvature - hessian)
    );
}

fn link_functions() {
    const N: usize = 4096;
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let z: Vec<f64> = (0..N).map(|_| rng.random_range(-10.0..10.0)).collect();
    let (mut softplus, mut mean, mut variance) = (vec![0.0; N], vec![0.0; N], vec![0.0; N]);
    let slices =
        nanoseconds(|| link::evaluate(black_box(&z), &mut softplus, &mut mean, black_box(&mut variance))) / N as f64;
    let standard = nanoseconds(|| {
        for (i, z) in black_box(&z).iter().enumerate() {
            let e = (-z.abs()).exp();
            softplus[i] = z.max(0.0) + e.ln_1p();
            mean[i] = if *z > 0.0 { 1.0 } else { e } / (1.0 + e);
            variance[i] = e / ((1.0 + e) * (1.0 + e));
        }
        black_box(&mut variance);
    }) / N as f64;
    println!("link::evaluate: {slices:.2} ns an element; with the standard library's exp and ln_1p: {standard:.2} ns");
    println!("ratio {:.1}", standard / slices);
}
