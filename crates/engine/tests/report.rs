//! The report: what was seen, and bounds that hold at all times.

use optimist::rand::RngExt;
use optimist_engine::{Column, Engine, Features, Interval, Kind, Learn, Request, Rewards, Settings};

use crate::support::{play, shop, three};

fn bounds(interval: &Interval) -> (f64, f64) {
    match interval {
        Interval::Certified { lower, upper, .. } => (*lower, *upper),
        Interval::None { why } => panic!("{why}"),
    }
}

#[test]
fn counts_add_up() {
    let mut engine = Engine::new(Settings { slices: vec!["device".into()], ..shop() }).unwrap();
    play(&mut engine, 0..1000, &mut optimist::generator(1));
    let report = engine.report();
    assert_eq!(report.actions.iter().map(|a| a.plays).sum::<u64>(), 1000);
    assert_eq!(report.calibration.as_ref().unwrap().rows, 1000);
    assert_eq!(report.slices.iter().map(|s| &*s.level).collect::<Vec<_>>(), ["desktop", "phone", "tablet"]);
    assert_eq!(report.slices.iter().flat_map(|s| &s.actions).map(|a| a.rewards).sum::<u64>(), 1000);
    for action in &report.actions {
        let (lower, upper) = bounds(&action.interval);
        assert!((lower..=upper).contains(&action.rate.unwrap()));
        assert!((action.predicted.unwrap() - action.rate.unwrap()).abs() < 0.1, "{action:?}");
    }
}

/// Rates 0.2, 0.4 and 0.6 without context: what each would have earned is known, at every moment.
fn watch(seed: u64, settings: Settings) -> (bool, Engine) {
    let rates = [0.2, 0.4, 0.6];
    let mut rng = optimist::generator(seed);
    let mut engine = Engine::new(settings).unwrap();
    let mut missed = false;
    for visit in 0..400 {
        let decision = engine.decide(Request::new(format!("{visit}"), Features::new()), 0.0).unwrap();
        let k = ["red", "green", "blue"].iter().position(|name| *name == &*decision.action).unwrap();
        engine.reward(&decision.event, f64::from(u8::from(rng.random::<f64>() < rates[k])), 0.0).unwrap();
        if visit % 10 == 0 {
            for (action, rate) in engine.report().actions.iter().zip(rates) {
                let inside = |interval: &Interval| (bounds(interval).0..=bounds(interval).1).contains(&rate);
                missed |= !inside(&action.interval) || !inside(&action.value);
            }
        }
    }
    (missed, engine)
}

#[test]
fn bounds_hold_at_all_times() {
    // At delta = 0.5, where a violation would show: at most half of the runs may miss, plus four standard errors.
    let runs = 60;
    let settings =
        Settings { actions: three(), context: Some(vec![]), delta: 0.5, explore: 0.3, ..Settings::default() };
    let misses = (0..runs).filter(|seed| watch(*seed, Settings { seed: *seed, ..settings.clone() }).0).count();
    let limit = 0.5 * runs as f64 + 4.0 * (0.25 * runs as f64).sqrt();
    assert!((misses as f64) < limit, "{misses} of {runs}");
}

#[test]
fn the_best_is_found_and_the_worst_can_be_dropped() {
    let settings = Settings { actions: three(), context: Some(vec![]), explore: 0.5, ..Settings::default() };
    let mut engine = watch(3, settings).1;
    let rates = [0.1, 0.4, 0.9];
    let mut rng = optimist::generator(4);
    for visit in 0..4000 {
        let decision = engine.decide(Request::new(format!("more {visit}"), Features::new()), 0.0).unwrap();
        let k = ["red", "green", "blue"].iter().position(|name| *name == &*decision.action).unwrap();
        engine.reward(&decision.event, f64::from(u8::from(rng.random::<f64>() < rates[k])), 0.0).unwrap();
    }
    let report = engine.report();
    assert!(report.beaten.contains(&("blue".into(), "red".into())), "{report:?}");
    assert!(report.droppable.contains(&"red".into()) && !report.droppable.contains(&"blue".into()));
    assert_eq!(&*report.stopping.as_ref().unwrap().action, "blue");
    assert_eq!(report.stopping.unwrap().cost, 0.0);
    // A new action was not offered in the same decisions.
    engine.add_action("white", 0.0).unwrap();
    for visit in 0..50 {
        let decision = engine.decide(Request::new(format!("new {visit}"), Features::new()), 0.0).unwrap();
        engine.reward(&decision.event, 0.0, 0.0).unwrap();
    }
    let report = engine.report();
    assert!(report.stopping.is_none() && report.beaten.iter().all(|(a, b)| &**a != "white" && &**b != "white"));
}

#[test]
fn without_the_right_to_there_are_no_bounds() {
    let rewards = Rewards { wait: 10.0, learn: Learn::Uncertified, ..Rewards::default() };
    let columns = vec![Column::new("member", Kind::Boolean)];
    let mut engine = Engine::new(Settings { context: Some(columns), rewards, ..shop() }).unwrap();
    engine.decide(Request::new("a", Features::from([("member", true.into())])), 0.0).unwrap();
    engine.reward("a", 1.0, 1.0).unwrap();
    let report = engine.report();
    assert!(
        report.actions.iter().all(|a| matches!(&a.interval, Interval::None { why } if why.contains("uncertified")))
    );
    assert!(report.not_compared.unwrap().contains("uncertified"));
    assert!(matches!(engine.interval("a").unwrap(), Interval::None { .. }));
}

#[test]
fn many_actions_are_not_compared() {
    let actions = (0..9).map(|i| format!("{i}").as_str().into()).collect();
    let engine = Engine::new(Settings { actions, ..Settings::default() }).unwrap();
    assert!(engine.report().not_compared.unwrap().contains("more than 8"));
}
