//! What names cost: decisions and rewards through the engine against the same rows handed to the policy, a snapshot of many
//! actions, and many random records with kills and restores.
//!
//! `cargo bench -p optimist-engine --bench engine` (add `-- --records 1000000` for the long version of the last).

use std::time::Instant;

use optimist::rand::RngExt;
use optimist::{ArmSet, HybridArms, Problem, policy};
use optimist_engine::{Action, Change, Column, Engine, Features, Kind, Record, Request, Rewards, Settings, Structure};
use serde_json::json;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let records = arguments.iter().position(|a| a == "--records").and_then(|i| arguments.get(i + 1)?.parse().ok());
    println!("decide and reward by name, contexts of 99 numbers and a constant, 10 actions, one model each");
    names_against_rows();
    println!("snapshot of a hybrid model: 1,000 actions, 20 shared and 5 own features, one prior scale");
    snapshot();
    println!("random records, killed and restored at random");
    killed(records.unwrap_or(100_000));
}

fn numbers(count: usize) -> Vec<Column> {
    let kind = || Kind::Number { mean: Some(0.0), deviation: Some(1.0), cut: 3.0 };
    (0..count).map(|i| Column::new(format!("number {i}"), kind())).collect()
}

fn context(columns: &[Column], rng: &mut optimist::Generator) -> Features {
    columns.iter().map(|column| (column.name.clone(), (rng.random::<f64>() - 0.5).into())).collect()
}

fn verdict(what: &str, value: f64, limit: f64) {
    println!("  {what}: {value:.2} (at most {limit}) {}", if value <= limit { "ok" } else { "MISSED" });
}

/// Blocks of rounds by turns, so that a busy machine slows both alike; the median of the ratios.
fn names_against_rows() {
    const ROUNDS: usize = 500;
    let columns = numbers(99);
    let options = json!({"certify": "off"});
    let settings = Settings {
        actions: (0..10).map(|i| Action::new(format!("action {i}"), Features::new())).collect(),
        context: Some(columns.clone()),
        options: options.as_object().cloned().unwrap_or_default(),
        ..Settings::default()
    };
    let mut engine = Engine::new(settings).expect("settings are right");
    let problem = Problem { dimension: 100, delta: 0.05, norm_bound: None };
    let mut core =
        policy::build_with("bayes-ucb", &problem, json!({"own": 100, "certify": "off"})).expect("options are right");
    let mut rng = optimist::generator(1);
    let mut ratios = Vec::new();
    let (mut by_name, mut by_row) = (f64::INFINITY, f64::INFINITY);
    for block in 0..40 {
        let contexts: Vec<Features> = (0..ROUNDS).map(|_| context(&columns, &mut rng)).collect();
        let rows: Vec<Vec<f64>> =
            (0..ROUNDS).map(|_| (0..100).map(|_| 0.1 * (rng.random::<f64>() - 0.5)).collect()).collect();
        let ids: Vec<String> = (0..ROUNDS).map(|i| format!("event {block} {i}")).collect();
        let start = Instant::now();
        for (context, id) in contexts.into_iter().zip(ids) {
            let decision = engine.decide(Request::new(id, context), 0.0).expect("a decision");
            engine.reward(&decision.event, 1.0, 0.0).expect("a reward");
        }
        let names = start.elapsed().as_secs_f64() / ROUNDS as f64;
        let start = Instant::now();
        for row in &rows {
            let arms = ArmSet::from(HybridArms::same((0..10).collect::<Vec<u64>>(), row).expect("arms"));
            let choice = core.choose(&arms, &mut rng).expect("a choice").into_owned();
            core.observe_row(&choice.row(), 1.0).expect("a reward");
        }
        let plain = start.elapsed().as_secs_f64() / ROUNDS as f64;
        ratios.push(names / plain);
        by_name = by_name.min(names);
        by_row = by_row.min(plain);
    }
    ratios.sort_by(f64::total_cmp);
    println!("  {:.1} us by name, {:.1} us by row (fastest blocks)", 1e6 * by_name, 1e6 * by_row);
    verdict("ratio, median of 40 blocks", ratios[20], 2.0);
}

fn snapshot() {
    let mut rng = optimist::generator(2);
    // A constant, 9 numbers of the context and 10 of the action are shared; a constant and 4 numbers are the action's own.
    let (context_columns, action_columns) = (numbers(9), numbers(10));
    let rename = |column: &Column| Column { name: format!("action {}", column.name), ..column.clone() };
    let action_columns: Vec<Column> = action_columns.iter().map(rename).collect();
    let settings = Settings {
        actions: (0..1000).map(|i| Action::new(format!("action {i}"), context(&action_columns, &mut rng))).collect(),
        own: Some(context_columns[..4].iter().map(|c| c.name.clone()).collect()),
        context: Some(context_columns.clone()),
        action_columns: Some(action_columns),
        model: Some(Structure::Hybrid),
        options: json!({"ridge": 1.0}).as_object().cloned().unwrap_or_default(),
        ..Settings::default()
    };
    let mut engine = Engine::new(settings).expect("settings are right");
    for i in 0..3000_usize {
        let request = Request::new(format!("{i}"), context(&context_columns, &mut rng))
            .baseline(format!("action {}", i % 1000), None);
        engine.decide(request, i as f64).expect("a decision");
        engine.reward(&format!("{i}"), 1.0, i as f64).expect("a reward");
    }
    // Settled decisions are forgotten after a day, and are not the model.
    engine.tick(1e6).expect("a tick");
    let mut fastest = f64::INFINITY;
    let mut size = 0;
    for _ in 0..10 {
        let start = Instant::now();
        let bytes = engine.snapshot().expect("a snapshot");
        fastest = fastest.min(start.elapsed().as_secs_f64());
        size = bytes.len();
    }
    verdict("milliseconds", 1e3 * fastest, 50.0);
    verdict("megabytes", size as f64 / 1e6, 10.0);
    let bytes = engine.snapshot().expect("a snapshot");
    let start = Instant::now();
    let restored = Engine::restore(&bytes).expect("restored");
    println!("  restored in {:.1} ms; {}", 1e3 * start.elapsed().as_secs_f64(), same(&engine, &restored));
}

fn same(a: &Engine, b: &Engine) -> &'static str {
    if a.digest().ok() == b.digest().ok() { "bit-identical" } else { "DIFFERENT" }
}

fn killed(records: u64) {
    let columns = vec![
        Column::new("number", Kind::number()),
        Column::new("device", Kind::category()),
        Column::new("member", Kind::Boolean),
    ];
    let settings = Settings {
        actions: vec!["red".into(), "green".into(), "blue".into()],
        context: Some(columns),
        rewards: Rewards { wait: 5.0, silence: Some(0.0), ..Rewards::default() },
        retention: 50.0,
        options: json!({"certify": "off"}).as_object().cloned().unwrap_or_default(),
        ..Settings::default()
    };
    let mut rng = optimist::generator(3);
    let mut engine = Engine::new(settings.clone()).expect("settings are right");
    engine.keep_journal();
    let mut follower = Engine::new(settings).expect("settings are right");
    let (mut restores, mut time, mut applied) = (0, 0.0, 0_u64);
    let start = Instant::now();
    while applied < records {
        time += 0.1 * rng.random::<f64>();
        let change = match rng.random_range(0..10) {
            0..5 => {
                let device = ["phone", "desktop", "tablet"][rng.random_range(0..3)];
                let context = Features::from([
                    ("number", (100.0 * rng.random::<f64>()).into()),
                    ("device", device.into()),
                    ("member", rng.random::<bool>().into()),
                ]);
                Change::Decide { request: Request::new(format!("e{applied}"), context), answer: None }
            }
            5..9 => {
                let event = format!("e{}", applied.saturating_sub(rng.random_range(1..50)));
                Change::Reward { event, value: f64::from(rng.random_range(0..2)) }
            }
            _ => Change::Tick,
        };
        // Many rewards find no decision: an error, and no record.
        let _ = engine.apply(Record::new(time, change));
        for record in engine.take_journal() {
            let (read, _) = Record::from_bytes(&record.to_bytes()).expect("what was written is read");
            follower.apply(read).expect("what was applied once can be followed");
            applied += 1;
        }
        if rng.random::<f64>() < 0.001 {
            follower = Engine::restore(&follower.snapshot().expect("a snapshot")).expect("restored");
            restores += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("  {applied} records, {restores} kills, {seconds:.1} s: {}", same(&engine, &follower));
}
