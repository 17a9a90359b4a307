//! Snapshots that were edited and sealed again.

use optimist::rand::{Rng, RngExt};
use optimist_engine::{Action, Column, Engine, Features, Kind, Request};

use super::{nothing, plain, rich};

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
