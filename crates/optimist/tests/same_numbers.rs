//! The same numbers with every instruction set: what a policy has learnt does not depend on the machine.

use optimist::numerics::force_scalar;
use optimist::policy;
use optimist::{ArmSet, FiniteArms, HybridArms, Problem, generator, link};
use rand::RngExt;
use serde_json::{Value, json};

/// Plays rounds with ten arms each, and returns the state and the intervals of some arms.
fn play(name: &str, dimension: usize, options: &Value, rounds: usize) -> (Vec<u8>, Vec<u64>) {
    let problem = Problem { dimension, delta: 0.05, norm_bound: Some(3.0) };
    let own = options["own"].as_u64().unwrap_or(0);
    let mut policy = policy::build_with(name, &problem, options.clone()).unwrap();
    let (mut world, mut rng) = (generator(17), generator(18));
    let mut said = Vec::new();
    for round in 0..rounds {
        let scale = 1.0 / (dimension as f64).sqrt();
        let features: Vec<f64> = (0..10 * dimension).map(|_| scale * world.random_range(-1.0..1.0)).collect();
        let arms = if own > 0 {
            ArmSet::from(HybridArms::new((0..10).collect::<Vec<u64>>(), dimension, features).unwrap())
        } else {
            ArmSet::from(FiniteArms::new(dimension, features).unwrap())
        };
        let choice = policy.choose(&arms, &mut rng).unwrap().into_owned();
        said.push(choice.log_odds.to_bits());
        let success = world.random::<f64>() < link::mean(4.0 * choice.features[0]);
        policy.observe_row(&choice.row(), f64::from(u8::from(success))).unwrap();
        if round % 8 == 7
            && let Ok(certified) = policy.interval_of_row(&choice.row())
        {
            said.extend([certified.interval.log_odds_lower.to_bits(), certified.interval.log_odds_upper.to_bits()]);
        }
    }
    (policy.save_bytes().unwrap(), said)
}

#[test]
fn scalar_and_vector_instructions_leave_the_same_state() {
    // One part of two sums, several, a block of a Hessian and what is left of it, and several blocks.
    for dimension in [2, 7, 33, 100] {
        let small = dimension <= 7;
        for (name, options, rounds) in [
            ("bayes-ucb", json!({"posterior": "exact"}), if small { 100 } else { 24 }),
            ("bayes-ucb", json!({"posterior": "one-pass", "certify": "off"}), 200),
            ("bayes-ucb", json!({"own": 1, "delayed": 10}), 200),
            ("bayes-ucb", json!({"own": dimension}), if small { 100 } else { 16 }),
            ("laplace-ts", json!({"certify": "off"}), 150),
            ("optimist", json!({}), if small { 60 } else { 8 }),
            ("optimist-stream", json!({}), if small { 100 } else { 30 }),
        ] {
            let vector = play(name, dimension, &options, rounds);
            force_scalar(true);
            let scalar = play(name, dimension, &options, rounds);
            force_scalar(false);
            assert!(vector == scalar, "{name} {options}, d = {dimension}");
        }
    }
}
