//! Saving and going on: a snapshot, and the records since. `cargo run --release -p optimist-engine --example going_on`.

use optimist_engine::{Engine, Features, Record, Request, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings { actions: vec!["a".into(), "b".into()], context: Some(vec![]), ..Settings::default() };
    let mut engine = Engine::new(settings)?;
    engine.keep_journal();
    play(&mut engine, 0..1000)?;
    engine.take_journal(); // what the snapshot holds need not be kept
    let snapshot = engine.snapshot()?; // to be written to a file, under another name first

    play(&mut engine, 1000..1100)?;
    let log: Vec<u8> = engine.take_journal().iter().flat_map(Record::to_bytes).collect(); // appended to a file as they come

    // The process dies. Another one reads the snapshot and follows the records since.
    let mut restored = Engine::restore(&snapshot)?;
    let mut rest = &log[..];
    while !rest.is_empty() {
        let (record, length) = Record::from_bytes(rest)?; // one that was cut off by the crash is an error: stop there
        restored.apply(record)?;
        rest = &rest[length..];
    }
    assert_eq!(restored.digest()?, engine.digest()?);
    println!(
        "{} bytes of snapshot, {} of records: the same state, digest {:016x}",
        snapshot.len(),
        log.len(),
        engine.digest()?
    );
    Ok(())
}

fn play(engine: &mut Engine, visits: std::ops::Range<u32>) -> Result<(), optimist_engine::Error> {
    for visit in visits {
        let decision = engine.decide(Request::new(visit.to_string(), Features::new()), f64::from(visit))?;
        let reward = if &*decision.action == "b" { f64::from(u8::from(visit % 3 > 0)) } else { 0.2 };
        engine.reward(&decision.event, reward, f64::from(visit))?;
    }
    Ok(())
}
