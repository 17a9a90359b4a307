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

/// A standard normal number.
fn normal(rng: &mut optimist::Generator) -> f64 {
    let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

fn with_x(x: f64) -> Features {
    Features::from([("x", x.into())])
}

fn certified(context: &Features, engine: &Engine) -> Option<(f64, f64)> {
    match engine.predict(context).unwrap()[0].2 {
        Interval::Certified { lower, upper, .. } => Some((lower, upper)),
        Interval::None { .. } => None,
    }
}

/// Log-odds of success are 1 + x, exactly linear in a number. Whatever contexts there are, no bound that is given may be wrong,
/// more often than delta says. What is cut at three deviations, or shortened to fit, is another number than x.
#[test]
fn bounds_hold_where_log_odds_are_linear_in_a_number_whatever_its_law() {
    let declared = |policy: &str| {
        let kind = Kind::Number { mean: Some(0.0), deviation: Some(1.0), cut: 3.0 };
        let context = Some(vec![Column { name: "x".into(), kind, missing: Missing::Flag }]);
        Settings { context, policy: policy.into(), ..plain() }
    };
    let inferred = Settings { context: None, ..plain() };
    type Law = fn(f64, f64) -> f64;
    let laws: [(&str, Law); 4] = [
        ("normal", |z, _| z),
        ("heavy tails", |z, _| z * z * z / 2.0),
        ("drift", |z, share| z + 4.0 * share),
        ("sorted", |z, share| 0.01 * z + 6.0 * (share - 0.5)),
    ];
    let settings = [("declared", declared("bayes-ucb")), ("optimist", declared("optimist")), ("inferred", inferred)];
    for (form, settings) in settings {
        for (law, of) in laws {
            let runs = if form == "optimist" { 3 } else { 12 };
            let (mut wrong, mut given) = (0, 0);
            for seed in 0..runs {
                let (mut engine, mut rng) = (Engine::new(settings.clone()).unwrap(), optimist::generator(seed));
                let rounds = if form == "optimist" { 300 } else { 2500 };
                for visit in 0..rounds {
                    let x = of(normal(&mut rng), f64::from(visit) / f64::from(rounds));
                    let id = format!("{visit}");
                    engine.decide(Request::new(&*id, with_x(x)).baseline("red", Some(1.0)), 0.0).unwrap();
                    let success = rng.random::<f64>() < optimist::link::mean(1.0 + x);
                    engine.reward(&id, f64::from(u8::from(success)), 0.0).unwrap();
                }
                let xs = (-24..=24).map(|i| f64::from(i) / 4.0);
                let found: Vec<bool> = xs
                    .filter_map(|x| Some((optimist::link::mean(1.0 + x), certified(&with_x(x), &engine)?)))
                    .map(|(truth, (lower, upper))| (lower..=upper).contains(&truth))
                    .collect();
                given += found.len();
                wrong += usize::from(found.contains(&false));
            }
            // At delta = 0.05 four of twelve runs have probability 0.2%, and two of three 0.7%.
            assert!(wrong < if runs == 12 { 4 } else { 2 }, "{form}, {law}: wrong in {wrong} of {runs} runs");
            assert!(given > 0 || form == "optimist", "{form}, {law}: no bounds at all");
        }
    }
}

#[test]
fn what_is_beyond_its_cut_has_no_bounds_and_does_not_move_those_of_others() {
    let kind = Kind::Number { mean: Some(0.0), deviation: Some(1.0), cut: 3.0 };
    let context = Some(vec![Column { name: "x".into(), kind, missing: Missing::Flag }]);
    let mut engine = Engine::new(Settings { context, ..plain() }).unwrap();
    let tell = |engine: &mut Engine, id: String, x: f64| {
        engine.decide(Request::new(&*id, with_x(x)).baseline("red", None), 0.0).unwrap();
        engine.reward(&id, 1.0, 0.0).unwrap();
    };
    (0..50).for_each(|i| tell(&mut engine, format!("in {i}"), f64::from(i % 5) - 2.0));
    let (before, estimate) = (certified(&with_x(2.5), &engine), engine.predict(&with_x(2.5)).unwrap()[0].1);
    assert!(
        before.is_some() && certified(&with_x(3.5), &engine).is_none() && certified(&with_x(-1e9), &engine).is_none()
    );
    (0..50).for_each(|i| tell(&mut engine, format!("out {i}"), 40.0));
    assert_eq!(certified(&with_x(2.5), &engine), before, "the set learnt a number that was cut");
    assert!(engine.predict(&with_x(2.5)).unwrap()[0].1 > estimate, "the estimate did not learn");
    assert!(matches!(engine.interval("out 3").unwrap(), Interval::None { why } if why.contains("cut")));
    let restored = Engine::restore(&engine.snapshot().unwrap()).unwrap();
    assert!(matches!(restored.interval("out 3").unwrap(), Interval::None { .. }));
    // A policy whose choices come from its set learns it there, and promises nothing from then on.
    let mut engine = Engine::new(Settings { policy: "optimist".into(), ..engine.settings().clone() }).unwrap();
    tell(&mut engine, "in".into(), 1.0);
    assert!(certified(&with_x(1.0), &engine).is_some());
    tell(&mut engine, "out".into(), 40.0);
    assert!(matches!(&engine.predict(&with_x(1.0)).unwrap()[0].2, Interval::None { why } if why.contains("bayes-ucb")));
}
