//! Attacks on the probabilities that are logged.

use optimist::rand::RngExt;
use optimist_engine::{Answer, Change, Column, Engine, Features, Kind, Record, Request, Settings, Structure};

use super::{bounds, nothing, plain};

#[test]
fn an_id_that_is_used_again_draws_anew() {
    // Every decision says one third, and whatever is chosen earns one half.
    let settings = Settings { policy: "uniform".into(), retention: 1.0, ..plain() };
    let mut engine = Engine::new(settings).unwrap();
    let mut rng = optimist::generator(2);
    for visit in 0..600 {
        let time = 10.0 * f64::from(visit);
        let decision = engine.decide(nothing("user-17"), time).unwrap();
        assert!(!decision.repeated);
        engine.reward("user-17", f64::from(u8::from(rng.random::<f64>() < 0.5)), time).unwrap();
    }
    let report = engine.report();
    for action in &report.actions {
        let (lower, upper) = bounds(&action.value);
        assert!((lower..=upper).contains(&0.5), "{}: 0.5 is not in [{lower}, {upper}]", action.action);
        assert!((100..300).contains(&action.plays), "{}: chosen {} times of 600", action.action, action.plays);
    }
}

#[test]
fn a_hybrid_model_without_own_columns_tells_actions_apart() {
    for policy in ["bayes-ucb", "laplace-ts", "uniform"] {
        let settings = Settings {
            model: Some(Structure::Hybrid),
            own: Some(vec![]),
            policy: policy.into(),
            context: Some(vec![Column::new("member", Kind::Boolean)]),
            ..plain()
        };
        let mut engine = Engine::new(settings).unwrap();
        let mut rng = optimist::generator(4);
        for visit in 0..300 {
            let context = Features::from([("member", rng.random::<bool>().into())]);
            let decision = engine.decide(Request::new(format!("{visit}"), context), 0.0).unwrap();
            assert_eq!(decision.ranking.len(), 3, "{policy}: {decision:?}");
            let sum: f64 = decision.ranking.iter().map(|ranked| ranked.probability).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{policy}: {decision:?}");
            engine.reward(&decision.event, f64::from(u8::from(&*decision.action == "blue")), 0.0).unwrap();
        }
        let predicted = engine.predict(&Features::from([("member", true.into())])).unwrap();
        assert!(predicted[2].1 > predicted[0].1 + 0.3, "{policy}: {predicted:?}");
    }
}

#[test]
fn answers_of_records_are_checked() {
    let mut engine = Engine::new(plain()).unwrap();
    let before = engine.digest().unwrap();
    for probability in [0.0, -1.0, 2.0, f64::NAN, f64::INFINITY] {
        let answer = Some(Answer { action: "red".into(), probability: Some(probability) });
        let change = Change::Decide { request: nothing("a"), answer };
        assert!(engine.apply(Record::new(0.0, change)).is_err(), "{probability}");
    }
    // An answer that contradicts the caller's own choice.
    let answer = Some(Answer { action: "blue".into(), probability: Some(0.5) });
    let change = Change::Decide { request: nothing("a").baseline("red", Some(0.5)), answer };
    assert!(engine.apply(Record::new(0.0, change)).is_err());
    assert_eq!(engine.digest().unwrap(), before);
}

#[test]
fn every_policy_says_the_probability_with_which_it_chooses() {
    for info in optimist::policy::registry() {
        let settings = Settings {
            policy: info.name.into(),
            explore: 0.0,
            draws: 20,
            norm_bound: Some(3.0),
            context: Some(vec![Column::new("member", Kind::Boolean)]),
            ..plain()
        };
        let mut engine = match Engine::new(settings) {
            Ok(engine) => engine,
            Err(error) => {
                println!("{}: {error}", info.name);
                continue;
            }
        };
        let mut rng = optimist::generator(10);
        for visit in 0..60 {
            let context = Features::from([("member", rng.random::<bool>().into())]);
            let decision = engine.decide(Request::new(format!("{visit}"), context), 0.0).unwrap();
            assert!(decision.note.is_none(), "{}: {:?}", info.name, decision.note);
            engine.reward(&decision.event, f64::from(rng.random_range(0..2)), 0.0).unwrap();
        }
        let restored = Engine::restore(&engine.snapshot().unwrap()).unwrap();
        let (mut weights, n) = ([0.0; 3], 300);
        for i in 0..n {
            let request = Request::new(format!("id-{i}"), Features::from([("member", true.into())]));
            let decision = engine.clone().decide(request.clone(), 0.0).unwrap();
            assert_eq!(decision, restored.clone().decide(request, 0.0).unwrap(), "{}", info.name);
            assert!(decision.note.is_none(), "{}: {:?}", info.name, decision.note);
            let k = ["red", "green", "blue"].iter().position(|name| *name == &*decision.action).unwrap();
            weights[k] += 1.0 / decision.probability.unwrap();
        }
        // The mean of 1/p is at most one, but for chance: a probability of at least 1/20 has variance 19 at most.
        for weight in weights {
            let mean: f64 = weight / f64::from(n);
            assert!(mean < 1.0 + 5.0 * (19.0 / f64::from(n)).sqrt(), "{}: {weights:?}", info.name);
        }
        let deterministic = weights.iter().filter(|weight| **weight > 0.0).count() == 1;
        assert!(info.randomised || deterministic, "{}: {weights:?}", info.name);
    }
}
