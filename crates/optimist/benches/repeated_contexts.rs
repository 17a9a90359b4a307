//! Contexts that explore nothing by themselves: what a smaller bonus saves in most runs, and what it costs in the worst.
//!
//! `cargo bench -p optimist --bench repeated_contexts` plays `bayes-ucb` with one model per arm, on one to eight contexts in a
//! random order, each of which is a feature of its own, and on one whose only other feature jitters and means nothing. Rates of
//! success are uniform between 2% and 30%.

use optimist::policy::{self, Policy};
use optimist::{ArmSet, Generator, HybridArms, Problem, generator};
use rand::RngExt;
use serde_json::{Value, json};

const RUNS: u64 = 60;
const ROUNDS: usize = 10_000;
/// Contexts and arms; no context: one that jitters.
const SHAPES: [(usize, usize); 6] = [(0, 2), (0, 5), (1, 5), (2, 5), (4, 5), (8, 10)];
/// The deviation of what jitters.
const JITTER: f64 = 0.01;

fn main() {
    println!(
        "{:12} {:>8} {:>5} {:>8} {:>8} {:>8} {:>8}",
        "quantile", "contexts", "arms", "mean", "median", "90%", "worst"
    );
    for quantile in [json!("leverage"), json!(2.0), json!(1.0), json!(0.5)] {
        for (contexts, arms) in SHAPES {
            let mut regrets: Vec<f64> = (0..RUNS).map(|run| play(&quantile, contexts, arms, run)).collect();
            regrets.sort_by(f64::total_cmp);
            let at = |share: f64| regrets[(share * (RUNS - 1) as f64) as usize];
            let mean = regrets.iter().sum::<f64>() / RUNS as f64;
            let (name, contexts) =
                (quantile.to_string(), if contexts == 0 { "jitter".into() } else { contexts.to_string() });
            println!(
                "{name:12} {contexts:>8} {arms:>5} {mean:>8.1} {:>8.1} {:>8.1} {:>8.1}",
                at(0.5),
                at(0.9),
                at(1.0)
            );
        }
    }
}

/// The regret of a run.
fn play(quantile: &Value, contexts: usize, arms: usize, run: u64) -> f64 {
    let mut rng = generator(77);
    rng.set_stream(run);
    let rates: Vec<f64> = (0..contexts.max(1) * arms).map(|_| rng.random_range(0.02..0.3)).collect();
    let dimension = if contexts == 0 { 2 } else { contexts };
    let problem = Problem { dimension, delta: 0.05, norm_bound: None };
    let options = json!({"own": dimension, "certify": "off", "quantile": quantile});
    let mut policy = policy::build_with("bayes-ucb", &problem, options).expect("the options are right");
    let owners: Vec<u64> = (0..arms as u64).collect();
    (0..ROUNDS).map(|_| round(&mut *policy, contexts, &owners, &rates, &mut rng)).sum()
}

/// What a round loses.
fn round(policy: &mut dyn Policy, contexts: usize, owners: &[u64], rates: &[f64], rng: &mut Generator) -> f64 {
    let context = if contexts == 0 { 0 } else { rng.random_range(0..contexts) };
    let x = match contexts {
        0 => vec![0.7, JITTER * rng.random_range(-1.7..1.7)],
        _ => (0..contexts).map(|k| f64::from(u8::from(k == context))).collect(),
    };
    let rates = &rates[context * owners.len()..][..owners.len()];
    let arms = ArmSet::from(HybridArms::same(owners, x).expect("there are arms"));
    let choice = policy.choose(&arms, rng).expect("the arms fit");
    let rate = rates[choice.index.expect("arms of a list")];
    let reward = f64::from(u8::from(rng.random::<f64>() < rate));
    policy.observe_row(&choice.row(), reward).expect("the row fits");
    rates.iter().copied().fold(0.0, f64::max) - rate
}
