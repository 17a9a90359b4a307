//! What another policy would have earned.

use optimist::rand::RngExt;
use optimist_engine::evaluation::Verdict;
use optimist_engine::{Engine, Error, Logged, Request, Rewards, Settings, WhatIf};

use crate::support::{likes, shop, visitor};

/// A log of choices that were all alike, with rewards held for a while.
fn log(visits: u64) -> (Engine, Vec<optimist_engine::Record>) {
    let rewards = Rewards { wait: 10.0, silence: Some(0.0), ..Rewards::default() };
    let mut engine = Engine::new(Settings { policy: "uniform".into(), rewards, ..shop() }).unwrap();
    engine.keep_journal();
    let mut records = vec![engine.creation()];
    let mut rng = optimist::generator(1);
    for visit in 0..visits {
        let context = visitor(&mut rng);
        let time = visit as f64;
        let decision = engine.decide(Request::new(format!("{visit}"), context.clone()), time).unwrap();
        if rng.random::<f64>() < likes(&context, &decision.action) {
            engine.reward(&decision.event, 1.0, time + 3.0).unwrap();
        }
    }
    engine.tick(1e6).unwrap();
    records.extend(engine.take_journal());
    (engine, records)
}

#[test]
fn a_better_policy_is_seen_to_be_better() {
    let (engine, records) = log(6000);
    assert_eq!(engine.version(), 6000);
    // Uniform choices earn 0.311; the best rule earns (0.8 + 0.7 + 0.2)/3 = 0.567.
    let candidate = WhatIf::of_records(Settings { actions: vec![], explore: 0.0, ..shop() }, &records).unwrap();
    let report = candidate.report(0.05).unwrap();
    assert_eq!(report.rows, 6000);
    assert!(report.logged_interval.contains(0.311), "{:?}", report.logged_interval);
    let estimates = report.off_policy.estimates.unwrap();
    let value = estimates.doubly_robust.clone().unwrap();
    assert!((value.value - 0.56).abs() < 4.0 * value.standard_error.unwrap() + 0.01, "{value:?}");
    let bounds = estimates.inverse_propensity.always_valid.unwrap();
    assert!(bounds.lower > report.logged_interval.upper, "{bounds:?} {:?}", report.logged_interval);
    assert_eq!(report.off_policy.support.verdict, Verdict::Usable);
    // The same policy earns what it earned.
    let same = WhatIf::of_records(Settings { policy: "uniform".into(), ..shop() }, &records).unwrap();
    let ips = same.report(0.05).unwrap().off_policy.estimates.unwrap().inverse_propensity;
    assert!((ips.value - report.logged_mean).abs() < 1e-9, "{} {}", ips.value, report.logged_mean);
}

#[test]
fn without_probabilities_nothing_is_estimated() {
    let mut candidate = WhatIf::new(shop()).unwrap();
    let mut rng = optimist::generator(2);
    for _ in 0..100 {
        let context = visitor(&mut rng);
        candidate.step(Logged { context, action: "red".into(), reward: 1.0, ..Logged::default() }).unwrap();
    }
    let report = candidate.report(0.05).unwrap();
    assert!(report.off_policy.estimates.is_none());
    assert_eq!(report.off_policy.support.verdict, Verdict::Refused);
}

#[test]
fn wrong_rows_are_refused() {
    let mut candidate = WhatIf::new(shop()).unwrap();
    let row = Logged { action: "red".into(), probability: Some(0.5), reward: 0.5, ..Logged::default() };
    for wrong in [
        Logged { action: "nobody".into(), ..row.clone() },
        Logged { probability: Some(0.0), ..row.clone() },
        Logged { reward: 2.0, ..row.clone() },
        Logged { reward: f64::NAN, ..row.clone() },
    ] {
        assert!(candidate.step(wrong).is_err());
    }
    assert_eq!(candidate.report(0.05).unwrap().rows, 0);
    assert!(matches!(WhatIf::of_records(shop(), []), Err(Error::Record { .. })));
}
