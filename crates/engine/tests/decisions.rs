//! Decisions: what is chosen, with which probability, and what is said of it.

use optimist::rand::RngExt;
use optimist_engine::{Action, Engine, Error, Features, Interval, Intervals, Request, Settings, Structure};

use crate::support::{play, shop, three, visitor};

#[test]
fn it_learns_what_visitors_like() {
    let mut rng = optimist::generator(1);
    let mut engine = Engine::new(shop()).unwrap();
    play(&mut engine, 0..2000, &mut rng);
    // Always red or always green has 0.37; the best rule has 0.57, less what exploring costs (a twentieth of the choices).
    let late = play(&mut engine, 2000..6000, &mut rng);
    assert!(late > 0.52, "{late}");
}

#[test]
fn every_kind_of_model_learns() {
    let priced = |name: &str, price: f64| Action::new(name, Features::from([("price", price.into())]));
    let actions = vec![priced("red", 1.0), priced("green", 2.0), priced("blue", 3.0)];
    for (model, interactions) in [
        (Structure::Hybrid, vec![]),
        (Structure::Disjoint, vec![]),
        (Structure::Shared, vec!["device:price".into(), "device:action".into()]),
    ] {
        let settings = Settings { actions: actions.clone(), model: Some(model), interactions, ..shop() };
        let mut rng = optimist::generator(2);
        let mut engine = Engine::new(settings).unwrap();
        play(&mut engine, 0..2000, &mut rng);
        let late = play(&mut engine, 2000..5000, &mut rng);
        assert!(late > 0.5, "{model:?}: {late}");
    }
}

#[test]
fn a_policy_without_own_parameters_gets_rows_written_out() {
    let settings = Settings { policy: "lin-ts".into(), draws: 20, ..shop() };
    let mut engine = Engine::new(settings).unwrap();
    let mut rng = optimist::generator(3);
    play(&mut engine, 0..1000, &mut rng);
    assert!(play(&mut engine, 1000..2000, &mut rng) > 0.45);
    let error = engine.add_action("white", 0.0).unwrap_err();
    assert!(error.to_string().contains("from the start"), "{error}");
}

#[test]
fn the_same_id_gets_the_same_answer() {
    let mut rng = optimist::generator(4);
    let mut engine = Engine::new(shop()).unwrap();
    play(&mut engine, 0..200, &mut rng);
    let (mut other, request) = (engine.clone(), Request::new("again", visitor(&mut rng)));
    let decision = engine.decide(request.clone(), 5.0).unwrap();
    // In the same state: the same. Asked again: the stored one, whatever has been learnt since.
    assert_eq!(decision, other.decide(request.clone(), 5.0).unwrap());
    play(&mut engine, 200..300, &mut rng);
    let digest = engine.digest().unwrap();
    let repeated = engine.decide(request, 9.0).unwrap();
    assert!(repeated.repeated);
    assert_eq!((repeated.action, repeated.probability), (decision.action, decision.probability));
    assert_eq!(engine.digest().unwrap(), digest);
}

#[test]
fn probabilities_are_those_with_which_actions_are_chosen() {
    // One state, many ids: frequencies within five standard errors of what is said.
    for policy in ["bayes-ucb", "laplace-ts", "uniform"] {
        let settings = Settings { policy: policy.into(), explore: 0.3, draws: 50, ..shop() };
        let mut engine = Engine::new(settings).unwrap();
        let mut rng = optimist::generator(5);
        play(&mut engine, 0..100, &mut rng);
        let context = visitor(&mut rng);
        let n = 4000;
        let (mut chosen, mut said, mut inverse) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for i in 0..n {
            let mut fresh = engine.clone();
            let decision = fresh.decide(Request::new(format!("id-{i}"), context.clone()), 0.0).unwrap();
            assert!((decision.ranking.iter().map(|r| r.probability).sum::<f64>() - 1.0).abs() < 1e-12);
            assert_eq!(decision.ranking[0].action, decision.action);
            assert_eq!(Some(decision.ranking[0].probability), decision.probability);
            for ranked in &decision.ranking {
                let k = ["red", "green", "blue"].iter().position(|name| *name == &*ranked.action).unwrap();
                said[k] += ranked.probability;
                if ranked.action == decision.action {
                    chosen[k] += 1.0;
                    inverse[k] += 1.0 / ranked.probability;
                }
            }
        }
        for k in 0..3 {
            let p: f64 = said[k] / f64::from(n);
            let margin = 5.0 * (p * (1.0 - p) / f64::from(n)).sqrt();
            assert!((chosen[k] / f64::from(n) - p).abs() < margin, "{policy} {k}: {chosen:?} {said:?}");
            // The mean of 1/p over the choices of k is one: variance (1-p)/p, p at least 0.1.
            assert!(
                (inverse[k] / f64::from(n) - 1.0).abs() < 5.0 * (9.0 / f64::from(n)).sqrt(),
                "{policy}: {inverse:?}"
            );
        }
    }
}

#[test]
fn certificates_begin_when_the_warm_up_ends() {
    let mut rng = optimist::generator(6);
    let mut engine = Engine::new(Settings { intervals: Intervals::Always, ..shop() }).unwrap();
    for visit in 0..40 {
        let decision = engine.decide(Request::new(format!("{visit}"), visitor(&mut rng)), 0.0).unwrap();
        engine.reward(&decision.event, f64::from(rng.random_range(0..2)), 0.0).unwrap();
        match decision.interval {
            Interval::None { why } if visit < 32 => assert!(why.contains("warm-up has seen"), "{why}"),
            Interval::Certified { lower, upper, delta } if visit >= 32 => {
                assert!(lower >= 0.0 && lower < upper && upper <= 1.0 && delta == 0.05);
            }
            other => panic!("visit {visit}: {other:?}"),
        }
    }
}

#[test]
fn hybrid_models_say_why_they_have_no_certificate() {
    let priced = |name: &str, price: f64| Action::new(name, Features::from([("price", price.into())]));
    let settings = Settings { actions: vec![priced("red", 1.0), priced("green", 2.0)], ..shop() };
    let mut engine = Engine::new(settings).unwrap();
    let mut rng = optimist::generator(7);
    play(&mut engine, 0..50, &mut rng);
    let Interval::None { why } = engine.interval("visit-49").unwrap() else { panic!("certified") };
    assert!(why.contains("hybrid") || why.contains("share"), "{why}");
}

#[test]
fn the_callers_choice_is_returned_and_learnt_from() {
    let mut engine = Engine::new(shop()).unwrap();
    let mut rng = optimist::generator(8);
    for visit in 0..300 {
        let context = visitor(&mut rng);
        let request = Request::new(format!("{visit}"), context).baseline("blue", Some(0.9));
        let decision = engine.decide(request, 0.0).unwrap();
        assert_eq!((&*decision.action, decision.probability), ("blue", Some(0.9)));
        assert!(decision.advice.is_some());
        engine.reward(&decision.event, 1.0, 0.0).unwrap();
    }
    let decision = engine.decide(Request::new("now", visitor(&mut rng)), 0.0).unwrap();
    assert!(decision.ranking.iter().find(|r| &*r.action == "blue").unwrap().estimate > 0.9);
}

#[test]
fn actions_come_and_go() {
    let mut engine = Engine::new(shop()).unwrap();
    let mut rng = optimist::generator(9);
    play(&mut engine, 0..100, &mut rng);
    engine.add_action("white", 0.0).unwrap();
    engine.retire_action("red", 0.0).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for visit in 0..200 {
        let decision = engine.decide(Request::new(format!("w{visit}"), visitor(&mut rng)), 0.0).unwrap();
        assert_eq!(decision.ranking.len(), 3);
        seen.insert(decision.action.to_string());
        engine.reward(&decision.event, f64::from(u8::from(&*decision.action == "white")), 0.0).unwrap();
    }
    assert!(seen.contains("white") && !seen.contains("red"));
    let error = engine.decide(Request::new("x", visitor(&mut rng)).among(["red", "blue"]), 0.0).unwrap_err();
    assert!(error.to_string().contains("retired"), "{error}");
    engine.restore_action("red", 0.0).unwrap();
    let decision = engine.decide(Request::new("x", visitor(&mut rng)).among(["red"]), 0.0).unwrap();
    assert_eq!((&*decision.action, decision.probability), ("red", Some(1.0)));
}

#[test]
fn without_context_there_is_no_warm_up() {
    let settings =
        Settings { actions: three(), context: Some(vec![]), intervals: Intervals::Always, ..Settings::default() };
    let mut engine = Engine::new(settings).unwrap();
    for visit in 0..200 {
        let decision = engine.decide(Request::new(format!("{visit}"), Features::new()), 0.0).unwrap();
        assert!(matches!(decision.interval, Interval::Certified { .. }), "{:?}", decision.interval);
        engine.reward(&decision.event, f64::from(u8::from(&*decision.action == "blue")), 0.0).unwrap();
    }
    let best = engine.predict(&Features::new()).unwrap();
    assert!(best[2].1 > 0.8 && best[0].1 < 0.5, "{best:?}");
}

#[test]
fn shared_models_need_something_that_tells_actions_apart() {
    let error = Engine::new(Settings { model: Some(Structure::Shared), ..shop() }).unwrap_err();
    assert!(matches!(&error, Error::Setting { field, .. } if field == "model"), "{error}");
}
