//! An embedded decision loop: `cargo run --release -p optimist-engine --example decide`.

use optimist::rand::RngExt;
use optimist_engine::{Engine, Features, Request, Settings};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings { actions: vec!["banner".into(), "video".into(), "text".into()], ..Settings::default() };
    let mut engine = Engine::new(settings)?; // columns are inferred from the first 128 contexts
    let mut world = optimist::generator(1);
    let mut clicks = 0.0;
    for visit in 0..5000 {
        let device = ["phone", "desktop"][world.random_range(0..2)];
        let age = 18.0 + 60.0 * world.random::<f64>();
        let visitor = Features::from([("device", device.into()), ("age", age.into())]);

        let decision = engine.decide(Request::new(format!("visit-{visit}"), visitor), 0.0)?;

        // Phones like videos, others banners; the young click more.
        let likes = (device == "phone") == (&*decision.action == "video");
        let chance = if likes { 0.5 - age / 200.0 } else { 0.05 };
        let click = f64::from(u8::from(world.random::<f64>() < chance));
        engine.reward(&decision.event, click, 0.0)?;
        clicks += click;
    }
    println!("{clicks} clicks in 5,000 visits");
    engine.describe().iter().for_each(|sentence| println!("- {sentence}"));
    for part in engine.explain("visit-4999")?.contributions {
        println!("{:>8.3}  {}", part.log_odds, part.feature);
    }
    Ok(())
}
