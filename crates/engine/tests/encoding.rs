//! Contexts become numbers by rules that are stored and said.

use optimist_engine::{Column, Engine, Features, Kind, Request, Settings, Value};

use crate::support::{likes, shop, three, visitor};
use optimist::rand::RngExt;

/// Plays the same visits with numbers in other units: all choices are the same, and all estimates to 1e-9.
#[test]
fn a_change_of_units_changes_nothing() {
    let settings = Settings { warm_up: 64, ..shop() };
    let (mut one, mut other) = (Engine::new(settings.clone()).unwrap(), Engine::new(settings).unwrap());
    let mut rng = optimist::generator(1);
    for visit in 0..1500 {
        let context = visitor(&mut rng);
        let mut converted = context.clone();
        // Dollars to cents of another currency, years to days since birth from another origin.
        for (name, scale, shift) in [("income", 137.3, -4711.0), ("age", -365.2425, 12.5)] {
            if let Some(Value::Number(v)) = context.get(name) {
                converted.set(name, v * scale + shift);
            }
        }
        let a = one.decide(Request::new(format!("{visit}"), context.clone()), 0.0).unwrap();
        let b = other.decide(Request::new(format!("{visit}"), converted), 0.0).unwrap();
        assert_eq!((&a.action, a.probability), (&b.action, b.probability), "visit {visit}");
        assert!((a.estimate - b.estimate).abs() < 1e-9, "visit {visit}: {} {}", a.estimate, b.estimate);
        let reward = f64::from(u8::from(rng.random::<f64>() < likes(&context, &a.action)));
        one.reward(&a.event, reward, 0.0).unwrap();
        other.reward(&b.event, reward, 0.0).unwrap();
    }
}

#[test]
fn everything_that_was_decided_is_said() {
    let columns = vec![
        Column::new("income", Kind::number()),
        Column::new("constant", Kind::number()),
        Column::new("device", Kind::category()),
        Column::new("user", Kind::Hashed { buckets: 8 }),
        Column::new("query", Kind::Text { buckets: 16 }),
        Column::new("when", Kind::time()),
        Column::new("taste", Kind::vector(2)),
        Column::new("member", Kind::Boolean),
    ];
    let settings = Settings { actions: three(), context: Some(columns), warm_up: 32, ..Settings::default() };
    let mut engine = Engine::new(settings).unwrap();
    for i in 0..40 {
        let context = Features::from([
            ("income", (1000.0 * f64::from(i % 7)).into()),
            ("constant", 5.0.into()),
            ("device", ["phone", "watch"][i as usize % 2].into()),
            ("user", format!("user {}", i % 12).into()),
            ("query", "red shoes for running".into()),
            ("when", "2026-03-01T12:30:00Z".into()),
            ("taste", vec![f64::from(i), -f64::from(i % 5)].into()),
            ("member", if i % 3 == 0 { Value::Missing } else { true.into() }),
        ]);
        engine.decide(Request::new(format!("{i}"), context), 0.0).unwrap();
    }
    let said = engine.describe().join("\n");
    // The mean of 32 incomes 0, 1000, ..., 6000, 0, ...: 21 + 15 - ... by hand: four rounds of 21,000 and 0+1+2+3 thousands.
    let mean = (4.0 * 21_000.0 + 6_000.0) / 32.0;
    for expected in [
        &format!("(value - {mean})"),
        "the same in all of the warm-up",
        "2 levels",
        "8 places for 12 different levels",
        "16 places for 4 different words",
        "hour, weekday as points on a circle",
        "2 numbers less their means",
        "missing values are flagged",
        "each action has",
    ] {
        assert!(said.contains(expected), "\"{expected}\" is not said in:\n{said}");
    }
    // Twelve levels in eight places: some share theirs, and the figure is the true one.
    assert!(!said.contains("12 different levels, of which 0%"), "{said}");
}

#[test]
fn schemas_are_inferred() {
    let mut engine = Engine::new(shop()).unwrap();
    let mut rng = optimist::generator(2);
    for i in 0..32 {
        let mut context = visitor(&mut rng);
        context.set("user", format!("u{i}"));
        context.set("words", format!("the quick brown fox {i} jumps"));
        engine.decide(Request::new(format!("{i}"), context), 0.0).unwrap();
    }
    let said = engine.describe();
    for (name, kind) in [
        ("income", "number"),
        ("device", "category"),
        ("member", "boolean"),
        ("user", "hashed category"),
        ("words", "text"),
    ] {
        assert!(said.iter().any(|s| s.starts_with(&format!("{name} ({kind})"))), "{name}: {said:?}");
    }
    // Once it is settled, another name is refused with a suggestion.
    let error = engine.decide(Request::new("x", Features::from([("divice", "phone".into())])), 0.0).unwrap_err();
    assert!(error.to_string().contains("did you mean \"device\""), "{error}");
}

#[test]
fn outliers_are_cut_and_rows_are_never_longer_than_one() {
    let kind = Kind::Number { mean: Some(0.0), deviation: Some(1.0), cut: 3.0 };
    let settings = Settings { actions: three(), context: Some(vec![Column::new("x", kind)]), ..Settings::default() };
    let mut engine = Engine::new(settings).unwrap();
    let at = |x: f64| Features::from([("x", x.into())]);
    for (id, x) in [("a", 3.0), ("b", 1e300), ("c", -1e300)] {
        engine.decide(Request::new(id, at(x)), 0.0).unwrap();
    }
    let values =
        |id: &str| -> Vec<f64> { engine.explain(id).unwrap().contributions.iter().map(|c| c.value.abs()).collect() };
    let (mut a, mut b, mut c) = (values("a"), values("b"), values("c"));
    for v in [&mut a, &mut b, &mut c] {
        v.sort_by(f64::total_cmp);
        assert!(v.iter().map(|v| v * v).sum::<f64>() <= 1.0);
    }
    assert_eq!((&a, &a), (&b, &c), "a value far out counts as one at the cut");
}

#[test]
fn contributions_add_up() {
    let mut rng = optimist::generator(3);
    let mut engine = Engine::new(shop()).unwrap();
    crate::support::play(&mut engine, 0..500, &mut rng);
    let explained = engine.explain("visit-499").unwrap();
    let sum: f64 = explained.contributions.iter().map(|c| c.log_odds).sum();
    assert!((sum - explained.log_odds).abs() < 1e-9, "{sum} {}", explained.log_odds);
    let names: Vec<&str> = explained.contributions.iter().map(|c| &*c.feature).collect();
    assert!(names.iter().any(|name| name.starts_with("device=")) && names.contains(&"constant (own)"), "{names:?}");
}

/// A column of moments is known by its texts; one other text among them, and they are levels.
#[test]
fn moments_are_inferred() {
    for (odd, kind) in [("2026-03-01", Kind::time()), ("soon", Kind::hashed())] {
        let mut engine = Engine::new(Settings { actions: three(), warm_up: 16, ..Settings::default() }).unwrap();
        assert_eq!(engine.columns(), None, "the warm-up goes on");
        for i in 0..16 {
            let when = if i == 3 { odd.to_owned() } else { format!("2026-03-{:02}T12:30:00Z", i + 1) };
            let context = Features::from([("when", when.into())]);
            engine.decide(Request::new(format!("{i}"), context), 0.0).unwrap();
        }
        assert_eq!(engine.columns(), Some(vec![Column::new("when", kind)]));
    }
}

/// The estimates alone are those that come with bounds; columns are known from the start where they are declared.
#[test]
fn estimates_are_those_of_predictions() {
    let columns = vec![Column::new("member", Kind::Boolean)];
    let settings = Settings { actions: three(), context: Some(columns.clone()), ..Settings::default() };
    let mut engine = Engine::new(settings).unwrap();
    assert_eq!(engine.columns(), Some(columns));
    let member = Features::from([("member", true.into())]);
    for i in 0..50 {
        let decision = engine.decide(Request::new(format!("{i}"), member.clone()), 0.0).unwrap();
        engine.reward(&decision.event, f64::from(u8::from(&*decision.action == "red")), 0.0).unwrap();
    }
    let with_bounds = engine.predict(&member).unwrap().into_iter().map(|(name, estimate, _)| (name, estimate));
    assert_eq!(engine.estimates(&member).unwrap(), with_bounds.collect::<Vec<_>>());
    assert!(engine.estimates(&Features::from([("membr", true.into())])).is_err());
}
