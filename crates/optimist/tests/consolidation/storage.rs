//! Saving and restoring a set of which rows were consolidated.

use optimist::policy::{self, Policy};
use optimist::{ArmSet, Belief, FiniteArms, Generator, Problem, generator, link};
use rand::RngExt;
use serde_json::{Value, json};

use super::{bounded, play};
use crate::common::checks::dot;
use crate::simulation::unit;

const THETA: [f64; 2] = [1.0, -1.5];

fn round(policy: &mut dyn Policy, rng: &mut Generator) -> [u64; 2] {
    let rows: Vec<Vec<f64>> = (0..5).map(|_| unit(rng, 2)).collect();
    let arms = ArmSet::from(FiniteArms::from_rows(&rows).unwrap());
    let choice = policy.choose(&arms, rng).unwrap().into_owned();
    let reward = f64::from(u8::from(rng.random::<f64>() < link::mean(dot(&choice.features, &THETA))));
    policy.observe(&choice.features, reward).unwrap();
    let interval = policy.interval(&[0.6, 0.8]).unwrap().interval;
    [interval.log_odds_lower.to_bits(), interval.log_odds_upper.to_bits()]
}

#[test]
fn a_restored_policy_goes_on_to_the_last_bit() {
    for (name, norm_bound) in
        [("optimist", Some(3.0)), ("optimist", None), ("laplace-ts", Some(3.0)), ("bayes-ucb", None)]
    {
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound };
        let mut policy = policy::build_with(name, &problem, json!({ "memory": 16 })).unwrap();
        let mut rng = generator(3);
        for _ in 0..70 {
            round(&mut *policy, &mut rng);
        }
        for stage in 0..3 {
            let mut text = policy::restore(&policy.save().unwrap()).unwrap();
            let mut bytes = policy::restore_bytes(&policy.save_bytes().unwrap()).unwrap();
            assert_eq!(text.options().unwrap(), policy.options().unwrap());
            let mut copies = [rng.clone(), rng.clone()];
            for _ in 0..25 {
                let expected = round(&mut *policy, &mut rng);
                assert_eq!(round(&mut *text, &mut copies[0]), expected, "{name}, {stage}");
                assert_eq!(round(&mut *bytes, &mut copies[1]), expected, "{name}, {stage}");
            }
        }
    }
}

fn stored() -> Value {
    let mut rng = generator(1);
    let mut belief = bounded(2, Some(3.0), 0.05, 10);
    for _ in 0..50 {
        let (x, reward) = play(&mut rng, &THETA);
        belief.set();
        belief.observe(&x, reward).unwrap();
    }
    assert!(belief.history().consolidations() > 3);
    serde_json::to_value(&belief).unwrap()
}

#[test]
fn nonsense_is_refused() {
    let sound = stored();
    assert!(serde_json::from_value::<Belief>(sound.clone()).is_ok());
    let edits: [(&str, Value); 13] = [
        ("/history/summary/lower/matrix", json!([-1.0, 0.0, 0.0, 1.0])),
        ("/history/summary/lower/slope", json!([0.0])),
        ("/history/summary/lower/constant", json!(null)),
        ("/history/summary/excess/matrix", json!([1.0, 0.0, 9.0, 1.0])),
        ("/history/summary/excess_anywhere/matrix", json!([1.0])),
        ("/history/summary/origin", json!([1.0, 2.0, 3.0])),
        ("/history/summary/lower/lost", json!([0.0])),
        ("/history/summary/lower/lost", json!([1e300, 0.0, 0.0, 0.0])),
        ("/history/summary/region/matrix", json!([1.0, 0.0, 2.0, 1.0])),
        ("/history/summary/region/matrix", json!([0.0, 0.0, 0.0, 0.0])),
        ("/history/summary/region/radius", json!(-1.0)),
        ("/history/summary/longest", json!(-1.0)),
        ("/memory", json!(0)),
    ];
    for (pointer, value) in edits {
        let mut wrong = sound.clone();
        *wrong.pointer_mut(pointer).unwrap() = value;
        assert!(serde_json::from_value::<Belief>(wrong).is_err(), "{pointer}");
    }
}

#[test]
fn a_document_without_memory_keeps_all() {
    let mut old = stored();
    let fields = old.as_object_mut().unwrap();
    fields.remove("memory");
    fields.remove("crowded");
    fields["history"].as_object_mut().unwrap().remove("summary");
    let belief: Belief = serde_json::from_value(old).unwrap();
    assert_eq!((belief.memory(), belief.history().consolidations()), (None, 0));
}
