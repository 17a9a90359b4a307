//! Values of any size, number and form.

use optimist::rand::{Rng, RngExt};
use optimist_engine::{Action, Column, Engine, Features, Intervals, Kind, Record, Request, Settings, Value};

use super::{plain, rich};
use crate::support::{play, shop, three, visitor};

/// A value that may be anything.
fn hostile(rng: &mut impl Rng) -> Value {
    let numbers = [0.0, -0.0, 1.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, f64::NAN, f64::INFINITY, 1e16];
    let texts = [
        "",
        " ",
        "\0",
        "ß",
        "🦀 crab 🦀",
        "İstanbul",
        "2026-03-01T12:30:00Z",
        "2026-03-01T1é:30:00Z",
        "9999-99-99",
        "+",
        "T-",
    ];
    match rng.random_range(0..8) {
        0 => Value::Missing,
        1 => Value::Bool(rng.random()),
        2..5 => Value::Number(numbers[rng.random_range(0..numbers.len())]),
        5 => Value::Vector((0..rng.random_range(0..4)).map(|_| numbers[rng.random_range(0..numbers.len())]).collect()),
        6 => Value::Text("x ".repeat(rng.random_range(0..2000))),
        _ => Value::Text(texts[rng.random_range(0..texts.len())].into()),
    }
}

fn hostile_features(rng: &mut impl Rng) -> Features {
    let names = ["n", "k", "h", "t", "w", "v", "b", "price", "", "action", "a:b", "é"];
    (0..rng.random_range(0..6)).map(|_| (names[rng.random_range(0..names.len())], hostile(rng))).collect()
}

#[test]
fn hostile_values_do_not_panic_and_errors_change_nothing() {
    for seed in 0..60 {
        let mut rng = optimist::generator(1000 + seed);
        let (mut settings, contexts) = rich(&mut rng);
        match seed % 4 {
            0 => settings.context = None,
            1 => settings.policy = "laplace-ts".into(),
            2 => (settings.context, settings.interactions, settings.own) = (None, vec!["n:k".into()], None),
            _ => {}
        }
        settings.warm_up = 8;
        settings.draws = 3;
        settings.retention = [0.0, 5.0, 1e9][rng.random_range(0..3)];
        settings.most_settled = rng.random_range(0..20);
        settings.most_open = rng.random_range(1..20);
        settings.intervals = if rng.random() { Intervals::Always } else { Intervals::OnRequest };
        let Ok(mut engine) = Engine::new(settings) else { continue };
        engine.keep_journal();
        let mut records = vec![engine.creation()];
        let mut time: f64 = 0.0;
        for step in 0..120 {
            let times = [0.0, -1e300, 1e300, f64::MAX, f64::NAN, time + 1.0, time - 1.0, time];
            time = if rng.random::<f64>() < 0.03 {
                times[rng.random_range(0..times.len())]
            } else {
                time + rng.random::<f64>()
            };
            let id = format!("{}", rng.random_range(0..step + 1));
            let before = engine.digest().unwrap();
            let context = if rng.random() { hostile_features(&mut rng) } else { contexts[step % 40].clone() };
            let outcome = match rng.random_range(0..10) {
                0..5 => {
                    let request =
                        Request { deferred: rng.random::<f64>() < 0.2, ..Request::new(format!("{step}"), context) };
                    engine.decide(request, time).map(drop)
                }
                5..7 => {
                    engine.reward(&id, [0.0, 0.5, 1.0, -0.0, 2.0, f64::NAN][rng.random_range(0..6)], time).map(drop)
                }
                7 => engine.activate(&id, time),
                8 => engine.add_action(Action::new(format!("a{step}"), hostile_features(&mut rng)), time),
                _ => engine.tick(time),
            };
            if outcome.is_err() {
                assert_eq!(engine.digest().unwrap(), before, "{outcome:?}");
            }
            let _ = engine.predict(&hostile_features(&mut rng));
            let _ = engine.explain(&id);
            let _ = engine.interval(&id);
            engine.describe();
            if !time.is_finite() {
                time = 0.0;
            }
        }
        engine.report();
        let restored = Engine::restore(&engine.snapshot().unwrap()).unwrap();
        assert_eq!(restored.digest().unwrap(), engine.digest().unwrap());
        records.extend(engine.take_journal());
        let records: Vec<Record> = records.iter().map(|record| Record::from_json(&record.to_json()).unwrap()).collect();
        let followed = Engine::from_records(&records).unwrap();
        assert_eq!(followed.digest().unwrap(), engine.digest().unwrap(), "seed {seed}");
    }
}

#[test]
fn numbers_of_any_size_leave_a_state_that_can_be_restored() {
    let huge = |cut: f64| Kind::Number { mean: Some(0.0), deviation: Some(1e-300), cut };
    for cut in [1.0, 1e160, 1e300] {
        let columns = vec![Column::new("x", huge(cut)), Column::new("y", huge(cut))];
        let settings = Settings {
            context: Some(columns),
            interactions: vec!["x:y".into(), "x:x".into()],
            intervals: Intervals::Always,
            ..plain()
        };
        let Ok(mut engine) = Engine::new(settings) else { continue };
        for (i, x) in [1e300, -1e300, f64::MAX, f64::MIN_POSITIVE, 0.0].into_iter().enumerate() {
            let context = Features::from([("x", x.into()), ("y", (-x).into())]);
            let decision = engine.decide(Request::new(format!("{i}"), context), 0.0).unwrap();
            assert!(decision.note.is_none(), "{cut} {x}: {:?}", decision.note);
            engine.reward(&format!("{i}"), 1.0, 0.0).unwrap();
            Engine::restore(&engine.snapshot().unwrap()).unwrap();
        }
    }
}

#[test]
fn long_names_cost_little() {
    let mut engine = Engine::new(shop()).unwrap();
    let begin = std::time::Instant::now();
    let long = "x".repeat(2_000_000);
    let error = engine.decide(Request::new("a", Features::new()).among([long.clone()]), 0.0).unwrap_err();
    assert!(error.to_string().len() > 10);
    play(&mut engine, 0..40, &mut optimist::generator(5));
    let mut context = visitor(&mut optimist::generator(6));
    context.set(long, 1.0);
    engine.decide(Request::new("a", context), 0.0).unwrap_err();
    assert!(begin.elapsed().as_secs_f64() < 0.5, "{:?}", begin.elapsed());
}

#[test]
fn a_warm_up_whose_model_cannot_be_built_ends() {
    let mut engine = Engine::new(Settings { actions: three(), warm_up: 8, ..Settings::default() }).unwrap();
    let wide: Features = (0..10_500).map(|i| (format!("c{i}"), Value::Number(f64::from(i)))).collect();
    let _ = engine.decide(Request::new("wide", wide), 0.0);
    let size = |engine: &Engine| engine.snapshot().unwrap().len();
    let mut sizes = Vec::new();
    for visit in 0..1200 {
        let text = format!("{:0>200}", visit);
        let context = Features::from([("c1", 1.0.into()), ("note", text.into())]);
        let time = 1e6 * f64::from(visit);
        if engine.decide(Request::new(format!("{visit}"), context), time).is_ok() {
            let _ = engine.reward(&format!("{visit}"), 1.0, time);
        }
        // Settled decisions are kept for a while: forget them.
        if visit % 300 == 299 {
            engine.tick(time + 1e5).unwrap();
            sizes.push(size(&engine));
        }
        if visit == 300 {
            engine = Engine::restore(&engine.snapshot().unwrap()).unwrap();
        }
    }
    assert!(sizes[3] < sizes[0] + sizes[0] / 10, "{sizes:?}");
}
