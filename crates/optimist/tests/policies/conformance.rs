//! What every policy of the registry must do. A policy that is added is covered without a line here.
//!
//! `OPTIMIST_POLICY=name` runs one policy only.

use std::panic::{AssertUnwindSafe, catch_unwind};

use optimist::Problem;
use optimist::policy::{self, Policy, PolicyInfo};
use optimist::{ArmSet, Result};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};

use crate::simulation::Simulation;

mod arms;
mod certify;
mod documents;
mod input;
mod line;
mod numbers;
mod order;
mod probabilities;
mod solves;
mod state;

/// Policies whose radius or estimate depends on the order of the observations by design: `emk` weighs each by what was
/// known before it, `rs-glincb` fits anew only when its matrix has grown enough.
const ORDER_MATTERS: &[&str] = &["emk", "rs-glincb"];

/// Policies that spend their randomness row by row of the history, so that another order of rows gives other draws.
const DRAWS_BY_ROW: &[&str] = &["pg-ts"];

/// Runs `check` for every policy and fails with the names of all that failed.
pub(crate) fn for_each(check: impl Fn(&'static PolicyInfo)) {
    let only = std::env::var("OPTIMIST_POLICY").ok();
    let chosen = policy::registry().into_iter().filter(|info| only.as_ref().is_none_or(|name| name == info.name));
    let failed: Vec<&str> = chosen
        .filter(|info| {
            let outcome = catch_unwind(AssertUnwindSafe(|| check(info)));
            if outcome.is_err() {
                eprintln!("^ {}", info.name);
            }
            outcome.is_err()
        })
        .map(|info| info.name)
        .collect();
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
}

/// d features, delta 0.05, norm bound 4.
pub(crate) fn problem(dimension: usize) -> Problem {
    Problem { dimension, delta: 0.05, norm_bound: Some(4.0) }
}

/// The options that the policy requires.
fn required(info: &PolicyInfo) -> Map<String, Value> {
    let value = |name: &str| match name {
        "horizon" => json!(10_000),
        other => panic!("\"{}\" requires \"{other}\": say here what the tests should give it", info.name),
    };
    info.required.iter().map(|name| ((*name).to_owned(), value(name))).collect()
}

/// The policy with its required options and defaults otherwise.
pub(crate) fn build(info: &PolicyInfo, problem: &Problem) -> Box<dyn Policy> {
    build_with(info, problem, &[]).unwrap_or_else(|e| panic!("{}: {e}", info.name))
}

/// The policy with its required options and these.
fn build_with(info: &PolicyInfo, problem: &Problem, options: &[(&str, Value)]) -> Result<Box<dyn Policy>> {
    let mut all = required(info);
    all.extend(options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    policy::build_with(info.name, problem, Value::Object(all))
}

/// The variants of a policy: as it is and, if it remembers its observations, certified, and eliminating.
fn variants(info: &PolicyInfo, problem: &Problem) -> Vec<Box<dyn Policy>> {
    let mut all = vec![build(info, problem)];
    if info.uses_history {
        for eliminate in [false, true] {
            let options = [("certify", json!("mixture")), ("eliminate", json!(eliminate))];
            all.push(build_with(info, problem, &options).unwrap());
        }
    }
    all
}

fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A policy at play: the world, its arms, and the policy's randomness.
struct Game {
    world: Simulation,
    arms: ArmSet<'static>,
    rng: ChaCha8Rng,
}

impl Game {
    /// ||theta*|| = 3 and arms in the unit ball.
    fn new(dimension: usize, arms: usize, seed: u64) -> Self {
        let mut world = Simulation::new(dimension, 3.0, seed);
        let arms = ArmSet::from(world.ball_arms(arms));
        Self { world, arms, rng: seeded(seed + 1000) }
    }

    /// Plays a round and returns what was chosen and the reward.
    fn round(&mut self, policy: &mut dyn Policy) -> (Vec<f64>, f64) {
        let choice = policy.choose(&self.arms, &mut self.rng).unwrap();
        let x = choice.features.into_owned();
        let reward = self.world.reward(&x);
        policy.observe(&x, reward).unwrap();
        (x, reward)
    }

    fn play(&mut self, policy: &mut dyn Policy, rounds: usize) -> Vec<(Vec<f64>, f64)> {
        (0..rounds).map(|_| self.round(policy)).collect()
    }
}

fn is_finite(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
