//! What a round costs where arms are new with every request.
//!
//! `cargo bench -p optimist --bench contextual` prints, for `bayes-ucb` in one pass: the time of a round as a multiple of the K
//! quadratic forms that no index can do without, by turns in one run; the time of disjoint and hybrid rounds; the time of a
//! round late against early; and the slowest of many choices against their median, in time of the thread alone.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "support/median.rs"]
mod median;
#[path = "support/thread_time.rs"]
mod thread_time;

use std::hint::black_box;
use std::time::Instant;

use arguments::Arguments;
use median::median;
use optimist::numerics::{add_outer, square_form};
use optimist::policy::{self, Policy};
use optimist::{ArmSet, FiniteArms, Generator, HybridArms, Problem, generator};
use rand::RngExt;
use serde_json::{Value, json};
use thread_time::thread_time;

const USAGE: &str = "\
cargo bench -p optimist --bench contextual -- [ARGUMENTS]

  --only PART     dense, structured, flat or freezes (all)
  --rounds N      rounds of the part flat (1000000)
  --requests N    requests of the part freezes (100000)";

/// Lists that come in turn: enough that none is remembered by the processor alone.
const LISTS: usize = 64;

/// Stretches of the part flat, each of one round per list.
const STRETCHES: usize = 32;

fn main() {
    let arguments = Arguments::read(USAGE, &["only", "rounds", "requests"], &[]);
    let only: Vec<&str> = arguments.all("only").collect();
    let wanted = |part: &str| only.is_empty() || only.contains(&part);
    if wanted("dense") {
        dense();
    }
    if wanted("structured") {
        structured();
    }
    if wanted("flat") {
        flat(arguments.get("rounds").unwrap_or(1_000_000));
    }
    if wanted("freezes") {
        freezes(arguments.get("requests").unwrap_or(100_000));
    }
}

fn build(dimension: usize, options: Value) -> Box<dyn Policy> {
    let problem = Problem { dimension, delta: 0.05, norm_bound: Some(4.0) };
    policy::build_with("bayes-ucb", &problem, options).expect("options of bayes-ucb")
}

fn numbers(rng: &mut Generator, count: usize, size: f64) -> Vec<f64> {
    (0..count).map(|_| size * rng.random_range(-1.0..1.0)).collect()
}

fn lists(rng: &mut Generator, d: usize, k: usize) -> Vec<ArmSet<'static>> {
    let size = (3.0 / d as f64).sqrt();
    (0..LISTS).map(|_| FiniteArms::new(d, numbers(rng, k * d, size)).expect("numbers").into()).collect()
}

/// Rounds with rewards that are coin flips: what is learnt does not matter here.
fn play(policy: &mut dyn Policy, lists: &[ArmSet<'_>], rounds: usize, rng: &mut Generator) -> f64 {
    let start = Instant::now();
    for t in 0..rounds {
        let choice = policy.choose(&lists[t % lists.len()], rng).expect("a list");
        policy.observe_row(&choice.row(), f64::from(u8::from(t % 3 == 0))).expect("a row");
    }
    start.elapsed().as_secs_f64() / rounds as f64
}

fn dense() {
    println!(
        "K=10 new arms, one prior scale, without certificates: choose + observe by 10 quadratic forms, medians of 15 turns"
    );
    println!("{:>5} {:>12} {:>12} {:>7}", "d", "round (us)", "forms (us)", "ratio");
    for (d, aim) in [(20, 2.0), (100, 1.5), (200, 1.5)] {
        let mut rng = generator(1);
        let lists = lists(&mut rng, d, 10);
        let mut policy = build(d, json!({"posterior": "one-pass", "certify": "off"}));
        let mut matrix = vec![0.0; d * d];
        (0..2 * d).for_each(|_| add_outer(&mut matrix, 1.0, &numbers(&mut rng, d, 1.0)));
        let rounds = 4_000_000 / (d * d);
        play(&mut *policy, &lists, rounds, &mut rng);
        let (mut own, mut forms) = (Vec::new(), Vec::new());
        for _ in 0..15 {
            own.push(play(&mut *policy, &lists, rounds, &mut rng));
            forms.push(time_forms(&matrix, &lists, rounds));
        }
        let (own, forms) = (1e6 * median(own), 1e6 * median(forms));
        let verdict = if own / forms <= aim { "ok" } else { "MISSED" };
        println!("{d:>5} {own:>12.2} {forms:>12.2} {:>7.2}  at most {aim}: {verdict}", own / forms);
    }
    println!();
}

fn time_forms(matrix: &[f64], lists: &[ArmSet<'_>], rounds: usize) -> f64 {
    let start = Instant::now();
    let mut sum = 0.0;
    for t in 0..rounds {
        let ArmSet::Finite(list) = &lists[t % lists.len()] else { continue };
        sum += list.iter().map(|x| square_form(matrix, x)).sum::<f64>();
    }
    black_box(sum);
    start.elapsed().as_secs_f64() / rounds as f64
}

fn structured() {
    println!("arms with parameters of their own: microseconds per round, median of 15");
    for (name, arms, shared, own, aim) in
        [("disjoint, 10 arms x 17", 10, 0, 17, 3.0), ("hybrid, 200 arms, 20 shared, 5 own", 200, 20, 5, 100.0)]
    {
        let (mut rng, d) = (generator(2), shared + own);
        let owners: Vec<u64> = (0..arms).collect();
        let lists: Vec<ArmSet<'_>> = (0..LISTS)
            .map(|_| {
                HybridArms::new(owners.clone(), d, numbers(&mut rng, arms as usize * d, 0.3)).expect("numbers").into()
            })
            .collect();
        let mut policy = build(d, json!({"own": own, "certify": "off"}));
        play(&mut *policy, &lists, 5_000, &mut rng);
        let each = 1e6 * median((0..15).map(|_| play(&mut *policy, &lists, 2_000, &mut rng)).collect());
        println!("  {name:36} {each:>8.2}  at most {aim}: {}", if each <= aim { "ok" } else { "MISSED" });
    }
    println!();
}

fn flat(rounds: usize) {
    println!(
        "d=20, K=10 new arms: microseconds per round, medians of {STRETCHES} stretches of {LISTS} rounds, around t = 10,000 and \
         at the end"
    );
    for (name, options) in [
        ("one pass, no certificates", json!({"posterior": "one-pass", "certify": "off"})),
        (
            "one pass, four prior scales",
            json!({"posterior": "one-pass", "certify": "off", "ridge": [0.03, 0.17, 1.0, 6.0]}),
        ),
        ("as built by default", json!({})),
    ] {
        let mut rng = generator(3);
        let mut policy = build(20, options);
        let mut fresh = || lists(&mut generator(rng.random()), 20, 10);
        let mut stretch = |count: usize, policy: &mut dyn Policy| {
            let mut rng = generator(4);
            let times = (0..count.div_ceil(LISTS)).map(|_| play(policy, &fresh(), LISTS, &mut rng));
            median(times.collect())
        };
        stretch(9_000, &mut *policy);
        let early = 1e6 * stretch(STRETCHES * LISTS, &mut *policy);
        stretch(rounds.saturating_sub(13_000), &mut *policy);
        let late = 1e6 * stretch(STRETCHES * LISTS, &mut *policy);
        println!("  {name:30} {early:>8.2} {late:>8.2}  ratio {:.2} (aim: at most 1.2)", late / early);
    }
    println!();
}

/// 200 items with 20 features, a new context with every request: the features of an item are its own times the context.
fn freezes(requests: usize) {
    println!(
        "200 items x 20 features, a new context per request, {requests} requests: microseconds of the thread per choice"
    );
    for (name, options) in [("bayes-ucb", json!({})), ("without certificates", json!({"certify": "off"}))] {
        let mut rng = generator(5);
        let items = numbers(&mut rng, 200 * 20, 1.0);
        let mut policy = build(20, options);
        let mut times = Vec::with_capacity(requests);
        for t in 0..requests {
            let context = numbers(&mut rng, 20, 0.3);
            let features: Vec<f64> = items.iter().zip(context.iter().cycle()).map(|(a, b)| a * b).collect();
            let arms = ArmSet::from(FiniteArms::new(20, features).expect("numbers"));
            let before = thread_time();
            let choice = policy.choose(&arms, &mut rng).expect("a list");
            times.push(thread_time() - before);
            policy.observe(&choice.features, f64::from(u8::from(t % 3 == 0))).expect("a row");
        }
        let worst = times.iter().copied().fold(0.0, f64::max);
        let median = median(times);
        println!(
            "  {name:22} median {median:>7.1}, worst {worst:>9.1}, {:>6.1} times (aim: at most 20)",
            worst / median
        );
    }
}
