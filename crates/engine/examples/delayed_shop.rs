//! A shop where sales take hours and silence means no: `cargo run --release -p optimist-engine --example delayed_shop`.
//!
//! Quick outcomes are not typical ones. All rewards are held until the waiting time of their decision is over, so that what is
//! certified stays true.

use optimist::rand::RngExt;
use optimist_engine::{Engine, Features, Interval, Request, Rewards, Settings};

const HOUR: f64 = 3600.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings {
        actions: vec!["full price".into(), "5% off".into(), "free delivery".into()],
        context: Some(vec![]),
        rewards: Rewards { wait: 48.0 * HOUR, silence: Some(0.0), ..Rewards::default() },
        explore: 0.1,
        ..Settings::default()
    };
    let chances = [0.05, 0.08, 0.15];
    let mut engine = Engine::new(settings)?;
    let mut world = optimist::generator(7);
    let mut sales: Vec<(f64, String)> = Vec::new();
    for visit in 0..20_000 {
        let now = 60.0 * f64::from(visit);
        // Sales that have come since the last visit, in the order in which they came.
        sales.sort_by(|a, b| a.0.total_cmp(&b.0));
        while sales.first().is_some_and(|(time, _)| *time <= now) {
            let (time, event) = sales.remove(0);
            engine.reward(&event, 1.0, time)?;
        }
        let decision = engine.decide(Request::new(format!("visit-{visit}"), Features::new()), now)?;
        let k =
            ["full price", "5% off", "free delivery"].iter().position(|name| *name == &*decision.action).unwrap_or(0);
        if world.random::<f64>() < chances[k] {
            // Within minutes, or after a night's sleep.
            let delay = if world.random() { 0.2 } else { 12.0 + 20.0 * world.random::<f64>() };
            sales.push((now + delay * HOUR, decision.event));
        }
    }
    let report = engine.report();
    for action in &report.actions {
        let Interval::Certified { lower, upper, .. } = action.interval else { continue };
        let rate = action.rate.unwrap_or(0.0);
        println!(
            "{:>14}: {:6} plays, {:.3} sold, between {lower:.3} and {upper:.3}",
            action.action, action.plays, rate
        );
    }
    for (better, worse) in &report.beaten {
        println!("{better} beats {worse}, now and whenever one looks again, at {}%", 100.0 * (1.0 - report.delta));
    }
    if let Some(stopping) = report.stopping {
        println!("stopping now with {} costs at most {:.3} sales per visit", stopping.action, stopping.cost);
    }
    Ok(())
}
