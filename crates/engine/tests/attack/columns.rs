//! Columns and settings that mean something else than they say.

use optimist_engine::{
    Action, Column, Engine, Features, Kind, Request, Rewards, Scale, Second, Settings, Structure, Unseen, Value,
};

use super::{plain, rich};
use crate::support::{play, shop, three};

#[test]
fn a_column_is_added_once_in_the_warm_up_too() {
    let columns = vec![Column::new("x", Kind::number())];
    let mut engine = Engine::new(Settings { context: Some(columns), ..shop() }).unwrap();
    let context = |i: i32| Features::from([("x", i.into())]);
    for i in 0..10 {
        engine.decide(Request::new(format!("{i}"), context(i)), 0.0).unwrap();
    }
    engine.add_column(Column::new("y", Kind::Boolean), 0.0).unwrap();
    let before = engine.digest().unwrap();
    assert!(engine.add_column(Column::new("y", Kind::Boolean), 0.0).is_err());
    assert_eq!(engine.digest().unwrap(), before);
    for i in 10..60 {
        let mut with = context(i);
        with.set("y", i % 2 == 0);
        engine.decide(Request::new(format!("{i}"), with), 0.0).unwrap();
    }
}

#[test]
fn what_is_always_null_in_the_warm_up_may_be_null_after_it() {
    let mut engine = Engine::new(Settings { actions: three(), warm_up: 8, ..Settings::default() }).unwrap();
    for i in 0..20 {
        let context = Features::from([("x", i.into()), ("referrer", Value::Missing)]);
        engine.decide(Request::new(format!("{i}"), context), 0.0).unwrap();
    }
    // A value is another matter, and so is a name that is there twice.
    let named = Features::from([("x", 1.0.into()), ("referrer", "news".into())]);
    assert!(engine.decide(Request::new("named", named), 0.0).unwrap_err().to_string().contains("referrer"));
    let twice = Features::from([("x", 1.0.into()), ("x", Value::Missing)]);
    assert!(engine.decide(Request::new("twice", twice), 0.0).unwrap_err().to_string().contains("twice"));
    let twice = Features::from([("z", Value::Missing), ("z", Value::Missing)]);
    assert!(engine.decide(Request::new("twice", twice), 0.0).unwrap_err().to_string().contains("twice"));
}

#[test]
fn sums_of_a_range_that_does_not_start_at_zero_are_refused() {
    // Two values of nothing would be the best there is: 1/2 + 1/2.
    let rewards = Rewards { wait: 10.0, second: Second::Sum, scale: Scale::Range(-1.0, 1.0), ..Rewards::default() };
    let error = Engine::new(Settings { rewards, ..plain() }).unwrap_err().to_string();
    assert!(error.contains("rewards.second"), "{error}");
    let rewards = Rewards { wait: 10.0, second: Second::Sum, scale: Scale::Range(0.0, 5.0), ..Rewards::default() };
    assert!(Engine::new(Settings { rewards, ..plain() }).is_ok());
}

#[test]
fn a_category_has_as_many_levels_as_it_may() {
    let kind = Kind::Category { levels: vec!["a".into(), "b".into()], unseen: Unseen::Grow, most: 2 };
    let columns = vec![Column::new("k", kind), Column::new("x", Kind::number())];
    let settings = Settings { context: Some(columns), warm_up: 8, ..plain() };
    let mut engine = Engine::new(settings).unwrap();
    for i in 0..20 {
        let context = Features::from([("k", ["c", "d", "a"][i % 3].into()), ("x", (i as i32).into())]);
        engine.decide(Request::new(format!("{i}"), context), 0.0).unwrap();
    }
    assert!(engine.describe()[0].contains("2 levels"), "{:?}", engine.describe());
}

#[test]
fn misspelt_options_of_columns_and_actions_are_refused() {
    let column = r#"{"name": "age", "kind": "number", "mean": 1, "deviaton": 3}"#;
    let error = serde_json::from_str::<Column>(column).unwrap_err().to_string();
    assert!(error.contains("age") && error.contains("deviaton"), "{error}");
    let action = r#"{"name": "red", "feature": {"price": 1}}"#;
    assert!(serde_json::from_str::<Action>(action).is_err());
}

#[test]
fn growth_keeps_predictions() {
    for model in [None, Some(Structure::Hybrid), Some(Structure::Disjoint)] {
        let mut rng = optimist::generator(9);
        let (settings, contexts) = rich(&mut rng);
        // A disjoint model has no parameter for products with features of the actions.
        let interactions =
            settings.interactions.iter().filter(|name| model != Some(Structure::Disjoint) || !name.contains("price"));
        let interactions = interactions.cloned().collect();
        let mut engine = Engine::new(Settings { model, own: None, interactions, ..settings }).unwrap();
        for (i, context) in contexts.iter().enumerate() {
            engine.decide(Request::new(format!("{i}"), context.clone()), 0.0).unwrap();
            engine.reward(&format!("{i}"), f64::from(u8::from(i % 3 == 0)), 0.0).unwrap();
        }
        let before = engine.predict(&contexts[7]).unwrap();
        let mut other = contexts[3].clone();
        other.set("k", "quite new");
        engine.decide(Request::new("new", other), 0.0).unwrap();
        engine.add_column(Column::new("later", Kind::Boolean), 0.0).unwrap();
        let after = engine.predict(&contexts[7]).unwrap();
        for (a, b) in before.iter().zip(&after) {
            assert!((a.1 - b.1).abs() < 1e-9, "{model:?}: {a:?} {b:?}");
        }
    }
}

#[test]
fn settings_that_mean_nothing_are_told() {
    // Products with features of actions need shared parameters: a disjoint model drops them without a word.
    let mut rng = optimist::generator(11);
    let (settings, _) = rich(&mut rng);
    assert!(Engine::new(Settings { model: Some(Structure::Disjoint), ..settings }).is_err());
    // Where columns are inferred, a name that never appears is never missed.
    let settings = Settings {
        warm_up: 8,
        interactions: vec!["devcie:member".into()],
        own: Some(vec!["incmoe".into()]),
        slices: vec!["devcie".into()],
        ..shop()
    };
    let mut engine = Engine::new(settings).unwrap();
    play(&mut engine, 0..20, &mut rng);
    let said = engine.describe().join("\n");
    assert!(said.contains("devcie") && said.contains("incmoe"), "{said}");
}
