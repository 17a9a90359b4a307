//! Attacks on what the engine promises, one test each.

use optimist::rand::{Rng, RngExt};
use optimist_engine::{
    Action, Answer, Change, Column, Engine, Features, Interval, Intervals, Kind, Missing, Record, Request, Rewards,
    Scale, Second, Settings, Structure, Unseen, Value,
};

use crate::support::{play, shop, three, visitor};

fn bounds(interval: &Interval) -> (f64, f64) {
    match interval {
        Interval::Certified { lower, upper, .. } => (*lower, *upper),
        Interval::None { why } => panic!("{why}"),
    }
}

fn plain() -> Settings {
    Settings { actions: three(), context: Some(vec![]), ..Settings::default() }
}

fn nothing(id: impl Into<String>) -> Request {
    Request::new(id, Features::new())
}

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

/// Replaces the end of a snapshot, with the seal put right.
fn forged(engine: &Engine, cut: usize, end: &[u8]) -> Vec<u8> {
    let mut bytes = engine.snapshot().unwrap();
    bytes.truncate(bytes.len() - cut);
    bytes.extend_from_slice(end);
    reseal(&mut bytes);
    bytes
}

fn reseal(bytes: &mut [u8]) {
    let length = (bytes.len() - 28) as u64;
    bytes[12..20].copy_from_slice(&length.to_le_bytes());
    let checksum = optimist::hash::bytes(&bytes[28..]);
    bytes[20..28].copy_from_slice(&checksum.to_le_bytes());
}

#[test]
fn forged_counts_do_not_overflow() {
    let mut engine = Engine::new(plain()).unwrap();
    play_plain(&mut engine, 100);
    // Records 200, rewards 100, no trouble.
    let bytes = engine.snapshot().unwrap();
    assert_eq!(&bytes[bytes.len() - 4..], &[0xcc, 200, 100, 0xc0]);
    let mut end = vec![0xcf; 1];
    end.extend([0xff; 8]);
    end.push(0xcf);
    end.extend([0xff; 8]);
    end.push(0xc0);
    if let Ok(mut engine) = Engine::restore(&forged(&engine, 4, &end)) {
        engine.decide(nothing("x"), 0.0).unwrap();
        engine.reward("x", 1.0, 0.0).unwrap();
    }
}

fn play_plain(engine: &mut Engine, visits: u32) {
    for visit in 0..visits {
        let decision = engine.decide(nothing(format!("{visit}")), 0.0).unwrap();
        engine.reward(&decision.event, 1.0, 0.0).unwrap();
    }
}

fn rich(rng: &mut impl Rng) -> (Settings, Vec<Features>) {
    let columns = vec![
        Column::new("n", Kind::Number { mean: Some(0.0), deviation: Some(1.0), cut: 3.0 }),
        Column::new("k", Kind::category()),
        Column::new("h", Kind::Hashed { buckets: 4 }),
        Column::new("t", Kind::Text { buckets: 4 }),
        Column::new("w", Kind::time()),
        Column::new("v", Kind::Vector { length: 2, means: Some(vec![0.0, 1.0]), deviation: Some(2.0), cut: 3.0 }),
        Column::new("b", Kind::Boolean),
    ];
    let settings = Settings {
        actions: vec![
            Action::new("one", Features::from([("price", 1.0.into())])),
            Action::new("two", Features::from([("price", 2.0.into())])),
        ],
        context: Some(columns),
        interactions: vec!["k:price".into(), "n:b".into(), "n:n".into(), "h:action".into()],
        slices: vec!["k".into()],
        own: [None, Some(vec!["k".into()])][rng.random_range(0..2)].clone(),
        ..Settings::default()
    };
    let contexts = (0..40)
        .map(|i| {
            Features::from([
                ("n", rng.random::<f64>().into()),
                ("k", format!("k{}", i % 5).into()),
                ("h", i.into()),
                ("t", "some words".into()),
                ("w", 1e9.into()),
                ("v", vec![rng.random::<f64>(), 1.0].into()),
                ("b", (i % 2 == 0).into()),
            ])
        })
        .collect();
    (settings, contexts)
}

/// Everything that can be asked of an engine that came from a forger.
fn exercise(engine: &mut Engine, contexts: &[Features]) {
    for (i, context) in contexts.iter().take(3).enumerate() {
        let mut context = context.clone();
        context.set("k", format!("new {i}"));
        let _ = engine.decide(Request::new(format!("f{i}"), context.clone()), 1.0);
        let _ = engine.reward(&format!("f{i}"), 1.0, 1.0);
        let _ = engine.interval(&format!("f{i}"));
        let _ = engine.predict(&context);
        let _ = engine.explain("30");
        let _ = engine.describe();
    }
    let _ = engine.add_column(Column::new("new", Kind::Boolean), 2.0);
    let _ = engine.add_action(Action::new("three", Features::from([("price", 1.5.into())])), 2.0);
    engine.report();
    engine.tick(1e9).unwrap();
    let _ = engine.snapshot().unwrap();
}

fn rich_engine(rng: &mut impl Rng) -> (Engine, Vec<Features>) {
    let (settings, contexts) = rich(rng);
    let mut engine = Engine::new(settings).unwrap();
    for (i, context) in contexts.iter().enumerate() {
        engine.decide(Request::new(format!("{i}"), context.clone()), 0.0).unwrap();
        engine.reward(&format!("{i}"), 1.0, 0.0).unwrap();
    }
    (engine, contexts)
}

#[test]
fn forged_places_do_not_panic() {
    let (engine, contexts) = rich_engine(&mut optimist::generator(8));
    let bytes = engine.snapshot().unwrap();
    for word in ["Context", "Action", "Hashed", "Numbers", "Boolean", "Time", "Levels", "Waiting", "Settled", "Product"]
    {
        let places: Vec<usize> =
            bytes.windows(word.len()).enumerate().filter(|(_, w)| *w == word.as_bytes()).map(|(i, _)| i).collect();
        let step = places.len().div_ceil(40);
        for place in places.into_iter().step_by(step.max(1)) {
            for offset in 0..4 {
                let at = place + word.len() + offset;
                for value in [&[0x7f][..], &[0xce, 0xff, 0xff, 0xff, 0xff], &[0xcf, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]]
                {
                    let mut forged = bytes.clone();
                    forged.splice(at..=at, value.iter().copied());
                    reseal(&mut forged);
                    if let Ok(mut engine) = Engine::restore(&forged) {
                        exercise(&mut engine, &contexts);
                    }
                }
            }
        }
    }
}

#[test]
fn forged_snapshots_of_rich_models_do_not_panic() {
    let mut rng = optimist::generator(7);
    let (engine, contexts) = rich_engine(&mut rng);
    let bytes = engine.snapshot().unwrap();
    let mut restored = 0;
    for _ in 0..2000 {
        let mut forged = bytes.clone();
        for _ in 0..rng.random_range(1..3) {
            let place = rng.random_range(28..forged.len());
            forged[place] = match rng.random_range(0..3) {
                0 => rng.random(),
                1 => forged[place].wrapping_add(1),
                _ => 0xff,
            };
        }
        reseal(&mut forged);
        if let Ok(mut engine) = Engine::restore(&forged) {
            restored += 1;
            exercise(&mut engine, &contexts);
        }
    }
    assert!(restored > 100, "{restored}");
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
fn misspelt_options_of_columns_and_actions_are_refused() {
    let column = r#"{"name": "age", "kind": "number", "mean": 1, "deviaton": 3}"#;
    let error = serde_json::from_str::<Column>(column).unwrap_err().to_string();
    assert!(error.contains("age") && error.contains("deviaton"), "{error}");
    let action = r#"{"name": "red", "feature": {"price": 1}}"#;
    assert!(serde_json::from_str::<Action>(action).is_err());
}

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
