//! `optimist-stream` from the mixture set: without a norm bound, or with a large one.

use optimist::conformance::largest_share;
use optimist::policy::{self, Policy};
use optimist::{ArmSet, Problem, generator, link};
use rand::RngExt;
use serde_json::{Value, json};

use crate::simulation::Simulation;

fn build(name: &str, dimension: usize, delta: f64, norm_bound: Option<f64>) -> Box<dyn Policy> {
    policy::build(name, &Problem { dimension, delta, norm_bound }).unwrap()
}

fn is_streaming(policy: &dyn Policy) -> bool {
    let document: Value = serde_json::from_str(&policy.save().unwrap()).unwrap();
    !document["state"]["rule"]["stage"]["stream"].is_null()
}

#[test]
fn it_begins_as_optimist_and_goes_on_in_one_pass() {
    for norm_bound in [None, Some(32.0)] {
        let mut stream = build("optimist-stream", 2, 0.05, norm_bound);
        let mut optimist = build("optimist", 2, 0.05, norm_bound);
        let mut simulation = Simulation::new(2, 3.0, 3);
        let (mut first, mut second) = (generator(1), generator(1));
        let mut alike = 0;
        for _ in 0..2_000 {
            let arms = ArmSet::from(simulation.ball_arms(10));
            let choice = stream.choose(&arms, &mut first).unwrap().into_owned();
            if !is_streaming(&*stream) {
                assert_eq!(choice.index, optimist.choose(&arms, &mut second).unwrap().index);
                alike += 1;
            }
            let reward = simulation.reward(&choice.features);
            stream.observe(&choice.features, reward).unwrap();
            optimist.observe(&choice.features, reward).unwrap();
        }
        assert!((10..500).contains(&alike), "one pass after {alike} rounds");
        // What one pass loses, in width, on arms that were not chosen for it.
        let (mut own, mut full) = (0.0, 0.0);
        for x in simulation.ball_arms(20).iter() {
            let width = |policy: &mut dyn Policy| {
                let interval = policy.interval(x).unwrap().interval;
                interval.upper - interval.lower
            };
            own += width(&mut *stream);
            full += width(&mut *optimist);
        }
        assert!(own < 1.5 * full, "{own} and {full}");
    }
}

/// Both stages under one delta: misses of any round, where half of the runs may miss.
#[test]
fn one_event_covers_both_stages() {
    let (runs, rounds) = if std::env::var_os("OPTIMIST_FULL").is_some() { (2_000, 600) } else { (150, 200) };
    for delta in [0.05, 0.5] {
        let (mut misses, mut streaming) = (0, 0);
        for seed in 0..runs {
            let mut policy = build("optimist-stream", 2, delta, None);
            let mut simulation = Simulation::new(2, 2.0, seed);
            let arms = ArmSet::from(simulation.ball_arms(10));
            let mut rng = generator(seed);
            let mut missed = false;
            for _ in 0..rounds {
                let x = policy.choose(&arms, &mut rng).unwrap().features.into_owned();
                policy.observe(&x, simulation.reward(&x)).unwrap();
                missed |= !policy.contains(&simulation.theta).unwrap();
            }
            misses += u64::from(missed);
            streaming += u64::from(is_streaming(&*policy));
        }
        let share = misses as f64 / runs as f64;
        println!("delta {delta}: missed in {:.1}% of {runs} runs, {streaming} in one pass", 100.0 * share);
        assert!(streaming > runs / 2, "{streaming} of {runs} runs came to the second stage");
        assert!(share <= largest_share(delta, runs as usize), "{share} at delta {delta}");
    }
}

/// A batch sorted by outcome, without a look in between: nothing of its middle becomes permanent.
#[test]
fn a_sorted_batch_is_taken_in_before_it_moves_on() {
    let mut policy = build("optimist-stream", 1, 0.05, None);
    for k in 0..2_000 {
        policy.observe(&[1.0], f64::from(u8::from(k < 1_000))).unwrap();
    }
    assert!(policy.contains(&[0.0]).unwrap());
    assert!(is_streaming(&*policy));
    assert!(!policy.contains(&[1.0]).unwrap());
}

#[test]
fn it_is_stored_in_either_stage() {
    let mut policy = build("optimist-stream", 2, 0.05, None);
    let mut simulation = Simulation::new(2, 3.0, 5);
    let mut rng = generator(2);
    for t in 0..400 {
        let arms = ArmSet::from(simulation.ball_arms(10));
        let mut back = policy::restore(&policy.save().unwrap()).unwrap();
        let mut other = policy::restore_bytes(&policy.save_bytes().unwrap()).unwrap();
        let mut same = rng.clone();
        let choice = policy.choose(&arms, &mut rng).unwrap().into_owned();
        assert_eq!(back.choose(&arms, &mut same).unwrap(), choice, "round {t}");
        assert_eq!(other.choose(&arms, &mut same).unwrap(), choice, "round {t}");
        policy.observe(&choice.features, simulation.reward(&choice.features)).unwrap();
    }
    assert!(is_streaming(&*policy));
}

#[test]
fn the_start_is_an_option() {
    let with = |norm_bound, start: &str| {
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound };
        policy::build_with("optimist-stream", &problem, json!({"start": start}))
    };
    assert!(is_streaming(&*with(Some(32.0), "ball").unwrap()));
    assert!(!is_streaming(&*with(Some(3.0), "mixture").unwrap()));
    assert!(is_streaming(&*with(Some(3.0), "auto").unwrap()));
    assert!(!is_streaming(&*with(None, "auto").unwrap()));
    let wide = Problem { dimension: 51, delta: 0.05, norm_bound: Some(20.0) };
    assert!(is_streaming(&*policy::build("optimist-stream", &wide).unwrap()));
    let said = with(None, "ball").err().unwrap().to_string();
    assert!(said.contains("start") && said.contains("norm bound"), "{said}");
    let far = Problem { dimension: 2, delta: 0.05, norm_bound: Some(20.0) };
    let said = policy::build_with("optimist-stream", &far, json!({"ridge": 1.0})).err().unwrap().to_string();
    assert!(said.contains("ridge"), "{said}");
}

/// Long arms of one direction add more to W by rounding than a few short ones have taught across it: that must not count.
#[test]
fn rounding_teaches_nothing() {
    for norm_bound in [None, Some(8.0)] {
        for seed in 0..6 {
            let mut policy = build("optimist-stream", 2, 0.05, norm_bound);
            let mut rng = generator(seed + 99);
            let angle: f64 = rng.random_range(0.3..1.3);
            let (along, across) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
            for t in 0..300_000 {
                let turn: f64 = rng.random_range(0.0..std::f64::consts::TAU);
                let length = 2_f64.powi(t / 60).min(1e6);
                let x = if t < 20 { [turn.cos(), turn.sin()] } else { [length * along[0], length * along[1]] };
                // theta* is the direction across: long arms are fair coins.
                let log_odds = x[0] * across[0] + x[1] * across[1];
                policy.observe(&x, f64::from(u8::from(rng.random_bool(link::mean(log_odds))))).unwrap();
                if t < 20 || t % 1_000 == 0 {
                    let interval = policy.interval(&across).unwrap().interval;
                    let holds = (interval.log_odds_lower..=interval.log_odds_upper).contains(&1.0);
                    assert!(holds && policy.contains(&across).unwrap(), "seed {seed}, round {t}: {interval:?}");
                }
            }
        }
    }
}
