//! What it costs to find the best of many items in a new context.
//!
//! `cargo bench -p optimist --bench catalogue` plays `bayes-ucb` on catalogues of 1,000 to 1,000,000 items with contexts of four
//! features, and prints for each the time of a choice and its reward, the quadratic forms that the search computed as a share
//! of all items, and the time of the search by that of looking at every item, by turns in one run. Items lie on the
//! sphere, where nothing groups them, or in a hundred clusters.

#[path = "support/arguments.rs"]
mod arguments;

use std::hint::black_box;
use std::time::Instant;

use arguments::Arguments;
use optimist::numerics::{dot, norm, square_form};
use optimist::policy;
use optimist::posterior::DenseFilter;
use optimist::{ArmSet, Catalogue, FiniteArms, Generator, Problem, generator};
use rand::RngExt;
use serde_json::json;

const USAGE: &str = "\
cargo bench -p optimist --bench catalogue -- [ARGUMENTS]

  --items N       only catalogues of so many items (1000, 10000, 100000, 1000000)
  --features N    only items of so many features (8, 16)";

/// Features of a context.
const CONTEXT: usize = 4;
/// Rounds by which the posterior is learnt before anything is measured.
const LEARNING: usize = 2_000;
/// Requests that are measured.
const REQUESTS: usize = 64;

fn main() {
    let arguments = Arguments::read(USAGE, &["items", "features"], &[]);
    let items = arguments.get("items").map_or(vec![1_000, 10_000, 100_000, 1_000_000], |n| vec![n]);
    let features = arguments.get("features").map_or(vec![8, 16], |n| vec![n]);
    println!("bayes-ucb, {CONTEXT} features of the context, after {LEARNING} rounds; means of {REQUESTS} requests");
    println!(
        "{:>9} {:>8} {:>9} {:>10} {:>11} {:>7} {:>12} {:>9}",
        "items", "features", "where", "build (s)", "round (us)", "forms", "search (us)", "by a scan"
    );
    for q in features {
        for clusters in [None, Some(100)] {
            for k in &items {
                measure(*k, q, clusters);
            }
        }
    }
}

fn measure(items: usize, q: usize, clusters: Option<usize>) {
    let mut rng = generator(1);
    let list = FiniteArms::new(q, draw(&mut rng, items, q, clusters)).expect("numbers");
    let start = Instant::now();
    let catalogue = Catalogue::new(list).expect("few enough");
    let build = start.elapsed().as_secs_f64();
    let problem = Problem { dimension: CONTEXT * q, delta: 0.05, norm_bound: Some(4.0) };
    let mut policy = policy::build_with("bayes-ucb", &problem, json!({"certify": "off"})).expect("options");
    let theta: Vec<f64> = unit(&mut rng, CONTEXT * q).iter().map(|v| 3.0 * v).collect();
    let mut filter = DenseFilter::new(problem.dimension, problem.dimension as f64 / 16.0).expect("numbers");
    let mut play = |rounds: usize, rng: &mut Generator, filter: Option<&mut DenseFilter>| {
        let mut filter = filter;
        for _ in 0..rounds {
            let context = context(rng);
            let arms = ArmSet::from(catalogue.in_context(&context).expect("numbers"));
            let choice = policy.choose(&arms, rng).expect("a list");
            let probability = 1.0 / (1.0 + (-dot(&choice.features, &theta)).exp());
            let reward = f64::from(u8::from(rng.random_bool(probability)));
            policy.observe(&choice.features, reward).expect("a row");
            if let Some(filter) = &mut filter {
                filter.observe(&choice.features, reward).expect("a row");
            }
        }
    };
    play(LEARNING, &mut rng, Some(&mut filter));
    let start = Instant::now();
    play(REQUESTS, &mut rng, None);
    let round = start.elapsed().as_secs_f64() / REQUESTS as f64;
    // The search alone, for the law that was learnt.
    let (mut forms, mut search, mut scan) = (0, 0.0, 0.0);
    for _ in 0..REQUESTS {
        let (mean, square) = seen_from(&filter, &context(&mut rng), q);
        let share = LEARNING as f64 / (CONTEXT * q) as f64;
        let z = |mean: f64, square: f64| {
            let odds = (-mean.abs()).exp();
            (3.0 + 2.0 * (share * odds / ((1.0 + odds) * (1.0 + odds)) * square).ln_1p()).sqrt()
        };
        let start = Instant::now();
        let found = catalogue.best(&mean, Some(&square), z);
        search += start.elapsed().as_secs_f64();
        forms += found.forms;
        let start = Instant::now();
        let all = scan_all(&catalogue, &mean, &square, z);
        scan += start.elapsed().as_secs_f64();
        assert!(found.value == all, "the search found {} and the scan {all}", found.value);
    }
    let n = REQUESTS as f64;
    println!(
        "{items:>9} {q:>8} {:>9} {build:>10.2} {:>11.1} {:>6.1}% {:>12.1} {:>9.3}",
        if clusters.is_some() { "clusters" } else { "sphere" },
        1e6 * round,
        100.0 * forms as f64 / n / items as f64,
        1e6 * search / n,
        search / scan
    );
}

/// Mean and covariance of what items meet in a context, by what the filter says about combinations of two features.
fn seen_from(filter: &DenseFilter, context: &[f64], q: usize) -> (Vec<f64>, Vec<f64>) {
    let said = |i: usize, j: usize| {
        let item: Vec<f64> = (0..q).map(|k| f64::from(u8::from(k == i)) + f64::from(u8::from(k == j))).collect();
        let x: Vec<f64> = context.iter().flat_map(|c| item.iter().map(move |a| c * a)).collect();
        filter.predict(&x).expect("numbers")
    };
    let mean = (0..q).map(|i| said(i, i).mean / 2.0).collect();
    let diagonal: Vec<f64> = (0..q).map(|i| said(i, i).variance / 4.0).collect();
    let mut square = vec![0.0; q * q];
    for i in 0..q {
        square[i * q + i] = diagonal[i];
        (0..i).for_each(|j| square[i * q + j] = (said(i, j).variance - diagonal[i] - diagonal[j]) / 2.0);
    }
    (mean, square)
}

fn scan_all(catalogue: &Catalogue, mean: &[f64], square: &[f64], z: impl Fn(f64, f64) -> f64) -> f64 {
    let index = |k| {
        let (a, m) = (catalogue.item(k), dot(catalogue.item(k), mean));
        let v = square_form(square, a).max(0.0);
        m + z(m, v) * v.sqrt()
    };
    black_box((0..catalogue.len()).map(index).fold(f64::NEG_INFINITY, f64::max))
}

/// Items of norm one.
fn draw(rng: &mut Generator, items: usize, q: usize, clusters: Option<usize>) -> Vec<f64> {
    let Some(clusters) = clusters else { return (0..items).flat_map(|_| unit(rng, q)).collect() };
    let centres: Vec<Vec<f64>> = (0..clusters).map(|_| unit(rng, q)).collect();
    (0..items)
        .flat_map(|k| {
            let near = unit(rng, q);
            let item: Vec<f64> = centres[k % clusters].iter().zip(&near).map(|(c, e)| c + 0.3 * e).collect();
            let length = norm(&item);
            item.into_iter().map(move |v| v / length)
        })
        .collect()
}

/// A constant, and the rest at random.
fn context(rng: &mut Generator) -> Vec<f64> {
    let mut context = vec![0.7];
    context.extend(unit(rng, CONTEXT - 1).iter().map(|v| 0.7 * v));
    context
}

fn unit(rng: &mut Generator, d: usize) -> Vec<f64> {
    loop {
        let x: Vec<f64> = (0..d)
            .map(|_| rng.random_range(-1.0..1.0) + rng.random_range(-1.0..1.0) + rng.random_range(-1.0..1.0))
            .collect();
        let length = norm(&x);
        if length > 0.1 {
            return x.into_iter().map(|v| v / length).collect();
        }
    }
}
