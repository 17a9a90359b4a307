//! Attacks on what is certified.

use optimist::rand::RngExt;
use optimist_engine::{Column, Engine, Features, Interval, Kind, Missing, Request, Rewards, Settings, Value};

use super::{bounds, nothing, plain};
use crate::support::{shop, visitor};

#[test]
fn rewards_of_the_warm_up_that_are_learnt_after_it_do_not_reach_the_certified_set() {
    let rewards = Rewards { wait: 1000.0, ..Rewards::default() };
    let mut engine = Engine::new(Settings { rewards, ..shop() }).unwrap();
    let mut rng = optimist::generator(1);
    for visit in 0..32 {
        engine.decide(Request::new(format!("{visit}"), visitor(&mut rng)), f64::from(visit)).unwrap();
        engine.reward(&format!("{visit}"), 1.0, f64::from(visit)).unwrap();
    }
    // The moments are frozen, and nothing was learnt: certified bounds say nothing.
    let before: Vec<(f64, f64)> = (0..32).map(|visit| bounds(&engine.interval(&format!("{visit}")).unwrap())).collect();
    engine.tick(10_000.0).unwrap();
    assert_eq!(engine.version(), 32);
    let after: Vec<(f64, f64)> = (0..32).map(|visit| bounds(&engine.interval(&format!("{visit}")).unwrap())).collect();
    assert_eq!(before, after, "the set learnt rewards whose rows were found from later contexts");
    // Estimates do learn them.
    assert!(engine.predict(&visitor(&mut rng)).unwrap().iter().any(|(_, estimate, _)| *estimate > 0.55));
}

#[test]
fn what_was_decided_in_the_warm_up_is_known_as_that_after_a_restore() {
    let rewards = Rewards { wait: 1000.0, ..Rewards::default() };
    let mut engine = Engine::new(Settings { rewards, ..shop() }).unwrap();
    let mut rng = optimist::generator(1);
    for visit in 0..40 {
        engine.decide(Request::new(format!("{visit}"), visitor(&mut rng)), f64::from(visit)).unwrap();
        engine.reward(&format!("{visit}"), 1.0, f64::from(visit)).unwrap();
    }
    let mut restored = Engine::restore(&engine.snapshot().unwrap()).unwrap();
    engine.tick(10_000.0).unwrap();
    restored.tick(10_000.0).unwrap();
    assert_eq!(engine.digest().unwrap(), restored.digest().unwrap());
}

#[test]
fn values_hold_if_the_loss_of_rewards_depends_on_the_action() {
    // Neither delay nor loss depends on the value of a reward: but those of red always come, and others never.
    let mut engine = Engine::new(Settings { policy: "uniform".into(), ..plain() }).unwrap();
    let mut rng = optimist::generator(3);
    for visit in 0..2000 {
        let time = f64::from(visit);
        let decision = engine.decide(nothing(format!("{visit}")), time).unwrap();
        if &*decision.action == "red" {
            engine.reward(&decision.event, f64::from(u8::from(rng.random::<f64>() < 0.3)), time).unwrap();
        }
    }
    let (lower, upper) = bounds(&engine.report().actions[0].value);
    assert!((lower..=upper).contains(&0.3), "0.3 is not in [{lower}, {upper}]");
}

#[test]
fn values_hold_if_only_some_actions_are_carried_out() {
    let mut engine = Engine::new(Settings { policy: "uniform".into(), ..plain() }).unwrap();
    let mut rng = optimist::generator(3);
    for visit in 0..2000 {
        let time = f64::from(visit);
        let decision = engine.decide(nothing(format!("{visit}")).deferred(), time).unwrap();
        if &*decision.action == "red" {
            engine.activate(&decision.event, time).unwrap();
            engine.reward(&decision.event, f64::from(u8::from(rng.random::<f64>() < 0.3)), time).unwrap();
        }
    }
    let (lower, upper) = bounds(&engine.report().actions[0].value);
    assert!((lower..=upper).contains(&0.3), "0.3 is not in [{lower}, {upper}]");
}

#[test]
fn actions_of_different_decisions_are_not_compared() {
    let settings = Settings { policy: "uniform".into(), retention: 0.0, ..plain() };
    let mut engine = Engine::new(settings).unwrap();
    let mut time = 0.0;
    let mut offer = |engine: &mut Engine, id: &str, among: &[&str], reward: f64| {
        time += 1.0;
        engine.decide(nothing(id).among(among.iter().copied()), time).unwrap();
        engine.reward(id, reward, time).unwrap();
    };
    // Red has good days, green bad ones; each id comes twice, 64 decisions apart.
    for round in 0..40 {
        for _ in 0..2 {
            for k in 0..64 {
                offer(&mut engine, &format!("r{round}-{k}"), &["red", "blue"], 1.0);
                offer(&mut engine, &format!("g{round}-{k}"), &["green", "blue"], 0.0);
            }
        }
    }
    let beaten = engine.report().beaten;
    assert!(!beaten.contains(&("red".into(), "green".into())), "{beaten:?}");
}

#[test]
fn no_bounds_are_stated_where_the_model_has_no_place() {
    // A policy that cannot grow, and a category whose levels are not declared: there is no warm-up, and all levels are zeros.
    let settings = Settings {
        policy: "ofulog".into(),
        norm_bound: Some(6.0),
        context: Some(vec![Column::new("device", Kind::category())]),
        actions: vec!["only".into()],
        ..Settings::default()
    };
    let mut engine = Engine::new(settings).unwrap();
    let mut rng = optimist::generator(12);
    for visit in 0..1000 {
        let phone = visit % 2 == 0;
        let context = Features::from([("device", if phone { "phone" } else { "desktop" }.into())]);
        engine.decide(Request::new(format!("{visit}"), context), 0.0).unwrap();
        let rate = if phone { 0.9 } else { 0.1 };
        engine.reward(&format!("{visit}"), f64::from(u8::from(rng.random::<f64>() < rate)), 0.0).unwrap();
    }
    let said = engine.predict(&Features::from([("device", "phone".into())])).unwrap().remove(0);
    if let Interval::Certified { lower, upper, .. } = said.2 {
        assert!((lower..=upper).contains(&0.9), "0.9 is not in [{lower}, {upper}]; {:?}", engine.describe());
    }
}

#[test]
fn no_bounds_are_stated_for_a_level_that_was_never_seen() {
    // Asking makes no room: the row of a new level is that of no level at all.
    let column = Column { missing: Missing::Middle, ..Column::new("device", Kind::category()) };
    let mut engine = Engine::new(Settings { context: Some(vec![column]), ..plain() }).unwrap();
    for visit in 0..300 {
        engine.decide(nothing(format!("{visit}")), 0.0).unwrap();
        engine.reward(&format!("{visit}"), 0.0, 0.0).unwrap();
    }
    let interval =
        |engine: &Engine, device: Value| engine.predict(&Features::from([("device", device)])).unwrap().remove(0).2;
    assert!(bounds(&interval(&engine, Value::Missing)).1 < 0.9);
    let Interval::None { why } = interval(&engine, "phone".into()) else { panic!("certified") };
    assert!(why.contains("new"), "{why}");
    engine.decide(Request::new("phone", Features::from([("device", "phone".into())])), 0.0).unwrap();
    assert_eq!(bounds(&interval(&engine, "phone".into())).1, 1.0);
}
