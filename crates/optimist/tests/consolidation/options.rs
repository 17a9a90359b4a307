//! The option `memory`: what it bounds, what it leaves alone, what it refuses.

use optimist::policy::{self, Policy};
use optimist::{ArmSet, Belief, FiniteArms, Problem, generator, link};
use rand::RngExt;
use serde_json::{Value, json};

use super::{bounded, play};
use crate::common::checks::dot;
use crate::simulation::{Simulation, unit};

fn problem() -> Problem {
    Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) }
}

#[test]
fn rows_stay_within_the_memory_at_every_look() {
    let mut rng = generator(2);
    for norm_bound in [Some(4.0), None] {
        let mut belief = bounded(2, norm_bound, 0.05, 50);
        for _ in 0..1000 {
            belief.set();
            let (x, reward) = play(&mut rng, &[2.0, 1.0]);
            belief.observe(&x, reward).unwrap();
            assert!(belief.history().rows() <= 51);
        }
        assert_eq!(belief.history().observations(), 1000.0);
        assert!(belief.history().consolidations() > 20);
    }
}

#[test]
fn between_two_looks_nothing_is_consolidated() {
    let mut rng = generator(2);
    let mut belief = bounded(2, Some(4.0), 0.05, 50);
    for _ in 0..500 {
        let (x, reward) = play(&mut rng, &[2.0, 1.0]);
        belief.observe(&x, reward).unwrap();
    }
    assert_eq!((belief.history().rows(), belief.history().consolidations()), (500, 0));
    belief.set();
    assert_eq!(belief.history().rows(), 500);
    belief.observe(&[0.1, 0.2], 1.0).unwrap();
    assert_eq!((belief.history().rows(), belief.history().consolidations()), (26, 1));
}

/// Files of policies in bytes: those that consolidate stop growing.
fn sizes(name: &str, options: Value) -> [usize; 2] {
    let mut policy = policy::build_with(name, &problem(), options).unwrap();
    let mut rng = generator(1);
    [1000, 2000].map(|rounds| {
        for _ in 0..rounds {
            let rows: Vec<Vec<f64>> = (0..3).map(|_| unit(&mut rng, 2)).collect();
            let arms = ArmSet::from(FiniteArms::from_rows(&rows).unwrap());
            let x = policy.choose(&arms, &mut rng).unwrap().features.into_owned();
            let success = rng.random::<f64>() < link::mean(dot(&x, &[2.0, -1.0]));
            policy.observe(&x, f64::from(u8::from(success))).unwrap();
        }
        policy.save_bytes().unwrap().len()
    })
}

#[test]
fn policies_on_ever_new_arms_stop_growing() {
    for name in ["optimist", "greedy", "laplace-ts", "bayes-ucb", "evill", "epsilon-greedy", "uniform"] {
        let [before, after] = sizes(name, json!({}));
        // Between a half and all of 400 rows.
        assert!(after <= 2 * before, "{name}: {before} and {after} bytes");
        let [_, all] = sizes(name, json!({ "memory": null }));
        assert!(all > 3 * after, "{name}: {after} and {all} bytes");
    }
}

#[test]
fn a_fixed_list_is_not_touched() {
    let mut simulation = Simulation::new(2, 3.0, 1);
    let arms = ArmSet::from(simulation.ball_arms(40));
    let mut policies: Vec<Box<dyn Policy>> = [json!({}), json!({ "memory": null })]
        .map(|options| policy::build_with("optimist", &problem(), options).unwrap())
        .into();
    let mut rng = generator(1);
    for _ in 0..600 {
        let choices: Vec<_> = policies.iter_mut().map(|p| p.choose(&arms, &mut rng).unwrap().into_owned()).collect();
        assert_eq!(choices[0].index, choices[1].index);
        assert_eq!(choices[0].optimistic_log_odds, choices[1].optimistic_log_odds);
        let reward = simulation.reward(&choices[0].features);
        policies.iter_mut().for_each(|p| p.observe(&choices[0].features, reward).unwrap());
    }
}

#[test]
fn what_it_cannot_be_is_refused() {
    let message = |name: &str, memory: Value| {
        policy::build_with(name, &problem(), json!({ "memory": memory })).unwrap_err().to_string()
    };
    insta::assert_snapshot!(message("optimist", json!(0)), @r#"memory is 0: it must be "auto", at least 1, or null"#);
    insta::assert_snapshot!(message("pg-ts", json!(100)), @r#"memory: is 100: "pg-ts" needs all of its observations, or keeps no mixture set (certify); use null"#);
    for wrong in [json!("much"), json!(-3), json!(2.5), json!(true)] {
        assert!(message("optimist", wrong).contains("memory"));
    }
    for name in ["pg-ts", "glm-ucb", "log-ucb-1", "log-ucb-2"] {
        assert_eq!(policy::build(name, &problem()).unwrap().options().unwrap()["memory"], Value::Null, "{name}");
    }
    for sound in [json!("auto"), json!("all"), json!(null), json!(7)] {
        policy::build_with("optimist", &problem(), json!({ "memory": sound })).unwrap();
    }
    let radius = optimist::set::Radius::by_name("ofuglb", &problem()).unwrap();
    assert!(Belief::with_radius(radius).unwrap().with_memory(Some(100)).is_err());
}

/// A refuted norm bound leaves the level set without the ball, also after consolidations.
#[test]
fn a_refuted_norm_bound_leaves_the_level_set() {
    let problem = Problem { norm_bound: Some(1.0), ..problem() };
    let mut policy = policy::build_with("optimist", &problem, json!({ "memory": 60 })).unwrap();
    let mut rng = generator(4);
    let theta = [2.5, 0.0];
    for _ in 0..3000 {
        let (x, reward) = play(&mut rng, &theta);
        let _ = policy.interval(&x).unwrap();
        policy.observe(&x, reward).unwrap();
    }
    let certified = policy.interval(&[1.0, 0.0]).unwrap();
    assert_eq!(certified.guarantee.norm_bound, None);
    assert!(certified.interval.log_odds_lower > 1.0 && certified.interval.log_odds_upper < 5.0, "{certified:?}");
    assert!(certified.interval.log_odds_lower < 2.5 && certified.interval.log_odds_upper > 2.5, "{certified:?}");
}
