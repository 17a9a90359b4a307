//! Bad input gets one clear error, and changes nothing.

use optimist_engine::{
    Action, Column, Engine, Error, Features, Kind, RECORD_VERSION, Record, Request, Settings, Value,
};

use crate::support::{play, shop, three, visitor};

fn trained() -> Engine {
    let mut engine = Engine::new(shop()).unwrap();
    play(&mut engine, 0..100, &mut optimist::generator(1));
    engine
}

#[test]
fn wrong_requests_are_refused_by_name() {
    let mut engine = trained();
    let before = engine.digest().unwrap();
    let mut rng = optimist::generator(2);
    let with = |name: &str, value: Value| {
        let mut context = visitor(&mut optimist::generator(3));
        context.set(name, value);
        context
    };
    let cases = [
        (Request::new("", visitor(&mut rng)), "1 to 256"),
        (Request::new("a".repeat(300), visitor(&mut rng)), "300 bytes"),
        (Request::new("x", with("income", "much".into())), "\"income\" is a text: the schema says a number"),
        (Request::new("x", with("income", f64::NAN.into())), "\"income\" is NaN"),
        (Request::new("x", with("device", vec![1.0].into())), "\"device\" is a vector: the schema says a category"),
        (Request::new("x", with("colour", "blue".into())), "\"colour\" is not in the schema"),
        (Request::new("x", visitor(&mut rng)).among(["rde"]), "did you mean \"red\""),
        (Request::new("x", visitor(&mut rng)).among(["red", "red"]), "offered twice"),
        (Request::new("x", visitor(&mut rng)).among(Vec::<String>::new()), "no action"),
        (Request::new("x", visitor(&mut rng)).baseline("red", Some(0.0)), "probability 0"),
        (Request::new("x", visitor(&mut rng)).among(["blue"]).baseline("red", None), "not among"),
    ];
    for (request, expected) in cases {
        let error = engine.decide(request, 0.0).unwrap_err().to_string();
        assert!(error.contains(expected), "\"{error}\" does not say \"{expected}\"");
    }
    let twice: Features = [("income", 1.0.into()), ("income", 2.0.into())].into_iter().collect();
    assert!(engine.decide(Request::new("x", twice), 0.0).unwrap_err().to_string().contains("twice"));
    for (event, value, expected) in
        [("never", 1.0, "unknown"), ("visit-1", 1.0, "already"), ("visit-1", f64::NAN, "NaN")]
    {
        let error = engine.reward(event, value, 0.0).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(engine.decide(Request::new("x", visitor(&mut rng)), f64::NAN).is_err());
    assert!(engine.tick(f64::INFINITY).is_err());
    assert!(engine.retire_action("nobody", 0.0).is_err());
    assert!(engine.add_action("red", 0.0).is_err());
    let featured = Action::new("new", Features::from([("price", 1.0.into())]));
    assert!(engine.add_action(featured, 0.0).unwrap_err().to_string().contains("price"));
    assert_eq!(engine.digest().unwrap(), before);
}

#[test]
fn a_column_that_changes_its_type_is_refused_in_the_warm_up_too() {
    let mut engine = Engine::new(shop()).unwrap();
    let context = |value: Value| Features::from([("x", value)]);
    engine.decide(Request::new("a", context(1.0.into())), 0.0).unwrap();
    let before = engine.digest().unwrap();
    let error = engine.decide(Request::new("b", context("one".into())), 0.0).unwrap_err().to_string();
    assert!(error.contains("is a text: it was a number before"), "{error}");
    assert!(engine.decide(Request::new("b", context(f64::INFINITY.into())), 0.0).is_err());
    assert_eq!(engine.digest().unwrap(), before);
}

#[test]
fn very_many_categories_are_refused_or_shared() {
    let levels = (0..100_000).map(|i| format!("{i}")).collect();
    let kind = Kind::Category { levels, unseen: Default::default(), most: 64 };
    let settings = Settings { actions: three(), context: Some(vec![Column::new("zip", kind)]), ..Settings::default() };
    let error = Engine::new(settings).unwrap_err().to_string();
    assert!(error.contains("100000 levels") && error.contains("hashed"), "{error}");
    // As they come: 64 get a place, all others share one.
    let settings =
        Settings { actions: three(), context: Some(vec![Column::new("zip", Kind::category())]), ..Settings::default() };
    let mut engine = Engine::new(settings).unwrap();
    for i in 0..300 {
        engine.decide(Request::new(format!("{i}"), Features::from([("zip", format!("{i}").into())])), 0.0).unwrap();
    }
    let said = engine.describe();
    assert!(said[0].contains("64 levels") && said[0].contains("some share"), "{said:?}");
}

#[test]
fn wrong_settings_are_refused_by_name() {
    let refused = |settings: Settings| Engine::new(settings).unwrap_err().to_string();
    let column = |name: &str| Column::new(name, Kind::Boolean);
    let cases = [
        (Settings { policy: "bayes-ubc".into(), ..shop() }, "bayes-ucb"),
        (Settings { explore: 1.5, ..shop() }, "explore is 1.5"),
        (Settings { delta: 0.0, ..shop() }, "delta"),
        (Settings { actions: vec!["a".into(), "a".into()], ..shop() }, "\"a\" is there already"),
        (Settings { actions: vec!["".into()], ..shop() }, "no name"),
        (Settings { context: Some(vec![column("x"), column("x")]), ..shop() }, "declared twice"),
        (Settings { context: Some(vec![column("a:b")]), ..shop() }, "colon"),
        (
            Settings { context: Some(vec![column("x")]), own: Some(vec!["y".into()]), ..shop() },
            "own names the column \"y\"",
        ),
        (Settings { context: Some(vec![column("x")]), interactions: vec!["x:y".into()], ..shop() }, "\"y\""),
        (Settings { interactions: vec!["x".into()], ..shop() }, "colon between"),
        (Settings { warm_up: 0, ..shop() }, "warm_up is 0"),
        (Settings { options: serde_json::from_str("{\"explore\": 0.1}").unwrap(), ..shop() }, "options.explore"),
        (Settings { options: serde_json::from_str("{\"quantil\": 0.1}").unwrap(), ..shop() }, "quantil"),
    ];
    for (settings, expected) in cases {
        let error = refused(settings);
        assert!(error.contains(expected), "\"{error}\" does not say \"{expected}\"");
    }
    assert!(serde_json::from_str::<Settings>("{\"polcy\": \"greedy\"}").unwrap_err().to_string().contains("polcy"));
}

#[test]
fn damaged_records_are_refused() {
    let mut engine = trained();
    let line = engine.creation().to_json();
    let newer = line.replace(&format!("\"version\":{RECORD_VERSION}"), &format!("\"version\":{}", RECORD_VERSION + 1));
    assert!(Record::from_json(&newer).unwrap_err().to_string().contains("newer"));
    assert!(Record::from_json(&line[..line.len() / 2]).is_err());
    assert!(Record::from_json("{}").is_err());
    let mut record = engine.creation();
    let bytes = record.to_bytes();
    for length in 0..bytes.len() {
        let error = Record::from_bytes(&bytes[..length]).unwrap_err().to_string();
        assert!(error.contains("cut off"), "{error}");
    }
    for place in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x41;
        assert!(Record::from_bytes(&damaged).is_err(), "byte {place}");
    }
    record.version += 1;
    assert!(Record::from_bytes(&record.to_bytes()).unwrap_err().to_string().contains("newer"));
    assert!(matches!(engine.apply(record), Err(Error::Record { .. })));
}

#[test]
fn damaged_snapshots_are_refused_and_do_not_panic() {
    let engine = trained();
    let bytes = engine.snapshot().unwrap();
    assert!(Engine::restore(&[]).is_err());
    assert!(Engine::restore(b"{\"json\": true}").is_err());
    for length in (0..bytes.len()).step_by(97) {
        assert!(Engine::restore(&bytes[..length]).is_err());
    }
    for place in (0..bytes.len()).step_by(89) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        assert!(Engine::restore(&damaged).is_err(), "byte {place}");
    }
    // Well sealed, but edited: refused or sound, never a panic.
    for place in (28..bytes.len()).step_by(31) {
        let mut forged = bytes.clone();
        forged[place] = forged[place].wrapping_add(1);
        let checksum = optimist::hash::bytes(&forged[28..]);
        forged[20..28].copy_from_slice(&checksum.to_le_bytes());
        if let Ok(mut engine) = Engine::restore(&forged) {
            let mut rng = optimist::generator(4);
            for visit in 0..20 {
                let _ = engine.decide(Request::new(format!("f{visit}"), visitor(&mut rng)), 1.0);
                let _ = engine.reward(&format!("f{visit}"), 1.0, 1.0);
                let _ = engine.interval(&format!("f{visit}"));
                let _ = engine.explain("visit-99");
            }
            engine.report();
        }
    }
}
