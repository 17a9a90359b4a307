//! Attacks on what the engine promises, one test each.

mod certificates;
mod columns;
mod forged;
mod hostile_values;
mod probabilities;

use optimist::rand::{Rng, RngExt};
use optimist_engine::{Action, Column, Features, Interval, Kind, Request, Settings};

use crate::support::three;

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
