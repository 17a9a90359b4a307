//! A small world to play in: visitors of a shop, and what they like.

use optimist::rand::{Rng, RngExt};
use optimist_engine::{Action, Engine, Features, Request, Settings, Value};

/// A visitor: three numbers in odd units, a device, a flag, now and then something missing.
pub(crate) fn visitor(rng: &mut impl Rng) -> Features {
    let income = 1000.0 * (20.0 + 30.0 * rng.random::<f64>());
    let age = if rng.random::<f64>() < 0.1 { Value::Missing } else { (20.0 + 50.0 * rng.random::<f64>()).into() };
    let device = ["phone", "desktop", "tablet"][rng.random_range(0..3)];
    let member = rng.random::<f64>() < 0.3;
    Features::from([("income", income.into()), ("age", age), ("device", device.into()), ("member", member.into())])
}

/// Phones like green, desktops red.
pub(crate) fn likes(visitor: &Features, action: &str) -> f64 {
    match (visitor.get("device"), action) {
        (Some(Value::Text(device)), "green") if device == "phone" => 0.8,
        (Some(Value::Text(device)), "red") if device == "desktop" => 0.7,
        _ => 0.2,
    }
}

pub(crate) fn three() -> Vec<Action> {
    vec!["red".into(), "green".into(), "blue".into()]
}

pub(crate) fn shop() -> Settings {
    Settings { actions: three(), warm_up: 32, ..Settings::default() }
}

/// Plays so many visits; says the mean reward.
pub(crate) fn play(engine: &mut Engine, visits: std::ops::Range<u64>, rng: &mut impl Rng) -> f64 {
    let count = visits.end - visits.start;
    let mut sum = 0.0;
    for visit in visits {
        let visitor = visitor(rng);
        let decision = engine.decide(Request::new(format!("visit-{visit}"), visitor.clone()), 0.0).unwrap();
        let reward = f64::from(u8::from(rng.random::<f64>() < likes(&visitor, &decision.action)));
        sum += reward;
        engine.reward(&decision.event, reward, 0.0).unwrap();
    }
    sum / count as f64
}
