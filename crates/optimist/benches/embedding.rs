//! What it costs to hand arms over, to store a policy, and to look at one: `cargo bench -p optimist --bench embedding`.
//!
//! Every time is the median of many repetitions. The bench fails if a state of 100 features takes a millisecond or more to
//! store in binary form.

#[path = "../tests/common/simulation.rs"]
mod simulation;

use std::hint::black_box;
use std::time::Instant;

use optimist::policy::{self, Policy};
use optimist::{FiniteArms, Problem};
use simulation::Simulation;

/// Binary state of 100 features, in microseconds.
const SAVE_LIMIT: f64 = 1000.0;

fn main() {
    println!("{:<64}{:>12}", "microseconds, median", "");
    for (d, k) in [(10, 200), (10, 5000)] {
        lists(d, k);
    }
    let slowest = ["optimist", "bayes-ucb", "optimist-stream", "laplace-ts"].map(|name| states(name, 100, 1000));
    states("optimist", 2, 1000);
    let slowest = slowest.into_iter().fold(0.0, f64::max);
    if slowest >= SAVE_LIMIT {
        println!("missed: {slowest:.0} us to store a state of 100 features, at most {SAVE_LIMIT:.0} are allowed");
        std::process::exit(1);
    }
}

fn line(what: &str, micros: f64) {
    println!("{what:<64}{micros:>12.2}");
}

/// Median time of `work`, in microseconds.
fn median<T>(repetitions: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut times: Vec<f64> = (0..repetitions)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[repetitions / 2]
}

/// A list from a flat slice beside the choice that is made from it.
fn lists(d: usize, k: usize) {
    let mut simulation = Simulation::new(d, 3.0, 1);
    let arms = simulation.ball_arms(k);
    let memory = arms.features().to_vec();
    line(&format!("d={d}, K={k}: a list of arms from a slice"), median(200, || FiniteArms::new(d, &memory)));
    let set = arms.into();
    for name in ["optimist-stream", "optimist"] {
        let mut policy = build(name, d);
        learn(&mut *policy, &mut simulation, 200);
        let mut rng = optimist::generator(1);
        let choice = median(200, || {
            let choice = policy.choose(&set, &mut rng).map(|choice| choice.into_owned()).expect("sound arms");
            policy.observe(&choice.features, 0.0).expect("a sound reward");
        });
        line(&format!("d={d}, K={k}: choose and observe, {name}, the list unchanged"), choice);
    }
}

/// What a state costs to store, restore, copy and look at; returns the time of the binary form.
fn states(name: &str, d: usize, observations: usize) -> f64 {
    let mut policy = build(name, d);
    learn(&mut *policy, &mut Simulation::new(d, 3.0, 2), observations);
    policy.estimate();
    let about = format!("{name}, d={d}, {observations} different arms observed");
    let bytes = policy.save_bytes().expect("a sound state");
    let text = policy.save().expect("a sound state");
    let binary = median(100, || policy.save_bytes());
    line(&format!("{about}: save_bytes ({} kB)", bytes.len() / 1000), binary);
    line(&format!("{about}: save ({} kB)", text.len() / 1000), median(20, || policy.save()));
    line(&format!("{about}: restore_bytes"), median(20, || policy::restore_bytes(&bytes)));
    // A policy makes one snapshot per state, so that every one measured is of a policy of its own.
    let mut copies: Vec<_> = (0..50).map(|_| policy::restore_bytes(&bytes).expect("a sound state")).collect();
    copies.iter_mut().for_each(|copy| drop(copy.estimate().to_vec()));
    let mut copies = copies.iter();
    line(&format!("{about}: snapshot"), median(50, || copies.next().map(|copy| copy.snapshot())));
    binary
}

fn build(name: &str, dimension: usize) -> Box<dyn Policy> {
    let problem = Problem { dimension, delta: 0.05, norm_bound: Some(4.0) };
    policy::build(name, &problem).expect("a policy that needs no options")
}

fn learn(policy: &mut dyn Policy, simulation: &mut Simulation, observations: usize) {
    let arms = simulation.ball_arms(observations);
    let rewards: Vec<f64> = arms.iter().map(|x| simulation.reward(x)).collect();
    policy.observe_many(arms.features(), &rewards).expect("sound observations");
}
