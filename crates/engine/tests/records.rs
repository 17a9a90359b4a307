//! The same records give the same state, to the last bit.

use optimist::rand::{Rng, RngExt};
use optimist_engine::{
    Change, Column, Engine, Features, Kind, Late, Learn, Missing, Record, Request, Rewards, Second, Settings,
    Structure, Unseen, Value,
};
use proptest::prelude::*;

use crate::support::{shop, three, visitor};

/// Something that may happen, sensible or not: an error must leave everything as it was.
fn anything(rng: &mut impl Rng, step: u64, engine: &Engine) -> Change {
    let id = |rng: &mut dyn Rng| format!("e{}", step.saturating_sub(rng.random_range(0..12)));
    let names = ["red", "green", "blue", "white", "nobody"];
    match rng.random_range(0..100) {
        0..50 => {
            let mut context = visitor(rng);
            if rng.random::<f64>() < 0.02 {
                context.set("device", format!("new {}", rng.random_range(0..5)));
            }
            if rng.random::<f64>() < 0.02 {
                context.set("income", [f64::NAN, f64::INFINITY][rng.random_range(0..2)]);
            }
            let mut request = Request::new(format!("e{step}"), context);
            if rng.random::<f64>() < 0.2 {
                let some: Vec<&str> = names.into_iter().filter(|_| rng.random::<f64>() < 0.5).collect();
                request = request.among(some);
            }
            if rng.random::<f64>() < 0.1 {
                request = request.baseline(names[rng.random_range(0..4)], Some(rng.random::<f64>()));
            }
            request.deferred = rng.random::<f64>() < 0.1;
            Change::Decide { request, answer: None }
        }
        50..80 => Change::Reward { event: id(rng), value: f64::from(rng.random_range(0..3)) },
        80..85 => Change::Activate { event: id(rng) },
        85..92 => Change::Tick,
        92..94 => Change::AddAction(names[rng.random_range(0..5)].into()),
        94..96 => Change::RetireAction(names[rng.random_range(0..5)].into()),
        96..98 => Change::RestoreAction(names[rng.random_range(0..5)].into()),
        98 => {
            let kind = Kind::Number { mean: Some(0.0), deviation: Some(2.0), cut: 3.0 };
            Change::AddColumn(Column::new(format!("c{}", rng.random_range(0..2)), kind))
        }
        _ => Change::Create(Box::new(engine.settings().clone())),
    }
}

fn settings(rng: &mut impl Rng) -> Settings {
    let columns = vec![
        Column::new("income", Kind::number()),
        Column::new("age", Kind::Number { mean: Some(45.0), deviation: Some(15.0), cut: 3.0 }),
        Column::new("device", Kind::category()),
        Column { missing: Missing::Middle, ..Column::new("member", Kind::Boolean) },
    ];
    let learn = [Learn::WhenDue, Learn::OnArrival, Learn::Uncertified][rng.random_range(0..3)];
    let wait = [0.0, 3.0][rng.random_range(0..2)];
    let silence = (learn != Learn::OnArrival && rng.random()).then_some(0.0);
    Settings {
        context: rng.random::<bool>().then_some(columns),
        policy: ["bayes-ucb", "laplace-ts", "greedy", "uniform"][rng.random_range(0..4)].into(),
        model: [None, Some(Structure::Hybrid)][rng.random_range(0..2)],
        rewards: Rewards { wait, silence, learn, second: Second::First, late: Late::Count, ..Rewards::default() },
        draws: 5,
        retention: 20.0,
        most_open: 30,
        seed: rng.random(),
        ..shop()
    }
}

/// Plays random changes; an engine that is killed and restored, one that follows the records as JSON, and one as bytes, end
/// where the first does.
fn interleave(seed: u64, steps: u64) {
    let mut rng = optimist::generator(seed);
    let settings = settings(&mut rng);
    let mut engine = Engine::new(settings.clone()).unwrap();
    engine.keep_journal();
    let mut lines = vec![engine.creation().to_json()];
    let mut frames = engine.creation().to_bytes();
    let mut killed = Engine::new(settings).unwrap();
    let mut time = 0.0;
    for step in 0..steps {
        time += [0.0, 0.1, 1.0, -0.5][rng.random_range(0..4)];
        let change = anything(&mut rng, step, &engine);
        let before = (step % 16 == 0).then(|| engine.digest().unwrap());
        let outcome = engine.apply(Record::new(time, change));
        if let (Err(_), Some(before)) = (&outcome, before) {
            assert_eq!(engine.digest().unwrap(), before, "an error changed the state: {outcome:?}");
        }
        for record in engine.take_journal() {
            lines.push(record.to_json());
            frames.extend(record.to_bytes());
            killed.apply(record).unwrap();
        }
        if rng.random::<f64>() < 0.02 {
            killed = Engine::restore(&killed.snapshot().unwrap()).unwrap();
        }
    }
    let digest = engine.digest().unwrap();
    assert_eq!(killed.digest().unwrap(), digest, "restored, seed {seed}");
    let records: Vec<Record> = lines.iter().map(|line| Record::from_json(line).unwrap()).collect();
    assert_eq!(Engine::from_records(&records).unwrap().digest().unwrap(), digest, "JSON, seed {seed}");
    let mut rest = &frames[..];
    let mut read = Vec::new();
    while !rest.is_empty() {
        let (record, length) = Record::from_bytes(rest).unwrap();
        read.push(record);
        rest = &rest[length..];
    }
    assert_eq!(read, records);
    assert_eq!(engine.report().divergences, 0);
}

/// Failures are told by their seed; no file of them is kept.
fn config() -> ProptestConfig {
    let cases = if std::env::var("OPTIMIST_FULL").is_ok() { 1000 } else { 40 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_interleavings_end_alike(seed: u64) {
        interleave(seed, 400);
    }
}

#[test]
fn questions_change_nothing() {
    let mut engine = Engine::new(shop()).unwrap();
    let mut rng = optimist::generator(1);
    crate::support::play(&mut engine, 0..300, &mut rng);
    let before = engine.digest().unwrap();
    engine.report();
    engine.interval("visit-299").unwrap();
    engine.explain("visit-299").unwrap();
    engine.predict(&visitor(&mut rng)).unwrap();
    assert_eq!(engine.digest().unwrap(), before);
    let mut asked = engine.clone();
    let mut silent = Engine::restore(&engine.snapshot().unwrap()).unwrap();
    for visit in 0..50 {
        let request = Request::new(format!("q{visit}"), visitor(&mut rng));
        let decision = asked.decide(request.clone(), 0.0).unwrap();
        assert_eq!(decision, silent.decide(request, 0.0).unwrap());
        asked.interval(&decision.event).unwrap();
        asked.report();
        asked.reward(&decision.event, 1.0, 0.0).unwrap();
        silent.reward(&decision.event, 1.0, 0.0).unwrap();
    }
    assert_eq!(asked.digest().unwrap(), silent.digest().unwrap());
}

#[test]
fn what_a_record_says_was_decided_counts() {
    let mut engine = Engine::new(shop()).unwrap();
    engine.keep_journal();
    let mut rng = optimist::generator(2);
    crate::support::play(&mut engine, 0..100, &mut rng);
    let mut records = engine.take_journal();
    let index = records.iter().rposition(|record| matches!(record.change, Change::Decide { .. })).unwrap();
    let Change::Decide { answer: Some(answer), .. } = &mut records[index].change else { panic!() };
    answer.action = if answer.action == "red" { "blue" } else { "red" }.into();
    let other = answer.action.clone();
    let mut follower = Engine::new(shop()).unwrap();
    for record in records {
        follower.apply(record).unwrap();
    }
    assert_eq!(follower.report().divergences, 1);
    assert_eq!(&*follower.decision("visit-99").unwrap().action, &other);
}

#[test]
fn a_schema_grows_and_keeps_what_was_learnt() {
    let columns = vec![Column::new("device", Kind::category())];
    let settings = Settings { actions: three(), context: Some(columns), ..Settings::default() };
    let mut engine = Engine::new(settings).unwrap();
    let on = |device: &str| Features::from([("device", device.into())]);
    let mut rng = optimist::generator(3);
    let mut teach = |engine: &mut Engine, device: &str, best: &str, tag: &str| {
        for i in 0..150 {
            let decision = engine.decide(Request::new(format!("{tag}{i}"), on(device)), 0.0).unwrap();
            let p = if &*decision.action == best { 0.9 } else { 0.1 };
            engine.reward(&decision.event, f64::from(u8::from(rng.random::<f64>() < p)), 0.0).unwrap();
        }
    };
    teach(&mut engine, "phone", "red", "a");
    let before = engine.predict(&on("phone")).unwrap();
    engine.add_column(Column::new("sunny", Kind::Boolean), 0.0).unwrap();
    let after = engine.predict(&on("phone")).unwrap();
    for (before, after) in before.iter().zip(&after) {
        assert!((before.1 - after.1).abs() < 1e-12, "{before:?} {after:?}");
    }
    teach(&mut engine, "watch", "green", "b");
    let best = |engine: &Engine, device: &str| {
        let all = engine.predict(&on(device)).unwrap();
        all.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0
    };
    assert_eq!((&*best(&engine, "phone"), &*best(&engine, "watch")), ("red", "green"));
    assert!(engine.describe().iter().any(|sentence| sentence.contains("2 levels")), "{:?}", engine.describe());
    let error = engine.add_column(Column::new("device", Kind::Boolean), 0.0).unwrap_err();
    assert!(error.to_string().contains("already"), "{error}");
    let error = engine.add_column(Column::new("age", Kind::number()), 0.0).unwrap_err();
    assert!(error.to_string().contains("mean and a deviation"), "{error}");
}

#[test]
fn unseen_levels_go_by_the_rule() {
    for unseen in [Unseen::Grow, Unseen::Other, Unseen::Refuse] {
        let kind = Kind::Category { levels: vec!["a".into()], unseen, most: 2 };
        let settings =
            Settings { actions: three(), context: Some(vec![Column::new("x", kind)]), ..Settings::default() };
        let mut engine = Engine::new(settings).unwrap();
        let mut ask = |level: &str| {
            engine
                .decide(Request::new(level, Features::from([("x", Value::from(level))])), 0.0)
                .map(|_| engine.describe()[0].clone())
        };
        ask("a").unwrap();
        match unseen {
            Unseen::Refuse => assert!(ask("b").unwrap_err().to_string().contains("not declared")),
            Unseen::Other => {
                assert!(ask("b").unwrap().contains("1 levels") && ask("c").unwrap().contains("some share"))
            }
            Unseen::Grow => assert!(ask("b").unwrap().contains("2 levels") && ask("c").unwrap().contains("some share")),
        }
    }
}

/// The only test of this binary that switches paths: it must not run beside itself, and others do not mind which path they take.
#[test]
fn the_state_does_not_depend_on_the_vector_path() {
    let digest = |scalar: bool, settings: &Settings| {
        optimist::numerics::force_scalar(scalar);
        let mut engine = Engine::new(settings.clone()).unwrap();
        crate::support::play(&mut engine, 0..400, &mut optimist::generator(5));
        let digest = engine.digest().unwrap();
        optimist::numerics::force_scalar(false);
        digest
    };
    for policy in ["bayes-ucb", "laplace-ts", "greedy", "lin-ts"] {
        for model in [None, Some(Structure::Hybrid)] {
            let settings = Settings { policy: policy.into(), model, draws: 5, ..shop() };
            assert_eq!(digest(true, &settings), digest(false, &settings), "{policy} {model:?}");
        }
    }
}
