use optimist::set::SetOptions;
use optimist::{ArmSet, policy};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::simulation::Simulation;

/// The options that must be given.
fn required_options(info: &policy::PolicyInfo) -> serde_json::Value {
    let horizon = info.required.iter().map(|&name| (name.to_owned(), serde_json::json!(1000)));
    serde_json::Value::Object(horizon.collect())
}

#[test]
fn every_policy_plays() {
    for info in policy::registry() {
        let problem = SetOptions { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
        let mut simulation = Simulation::new(2, 3.0, 1);
        let arms = ArmSet::from(simulation.ball_arms(10));
        let mut policy = policy::build(info.name, &problem, &required_options(info)).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..200 {
            let choice = policy.choose(&arms, &mut rng).unwrap();
            let reward = simulation.reward(&choice.features);
            policy.observe(&choice.features, reward).unwrap();
        }
        let mut restored = policy::restore(&policy.save().unwrap()).unwrap();
        for _ in 0..200 {
            let mut copy = rng.clone();
            let choice = policy.choose(&arms, &mut rng).unwrap();
            assert_eq!(choice, restored.choose(&arms, &mut copy).unwrap(), "{}", info.name);
            let reward = simulation.reward(&choice.features);
            policy.observe(&choice.features, reward).unwrap();
            restored.observe(&choice.features, reward).unwrap();
        }
        println!("{} {:?}", info.name, policy.estimate());
    }
}
