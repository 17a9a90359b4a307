//! Requests with a context, items with parameters of their own, rewards that come later: `cargo run --example contextual`.
//!
//! A shop shows one of four banners. What a visitor likes depends on the visitor, and differently for every banner: so each
//! banner has parameters of its own that meet the visitor's features (a disjoint model). Clicks arrive up to 50 visitors
//! later. A fifth banner joins half-way.

use std::collections::VecDeque;
use std::error::Error;

use optimist::rand::RngExt;
use optimist::{ArmSet, HybridArms, Problem, generator, link, policy};
use serde_json::json;

/// Visitor's features: a constant, on a phone, has been here before.
const FEATURES: usize = 3;
/// What each banner means to visitors; nobody knows that.
const TRUTH: [[f64; FEATURES]; 5] =
    [[-1.0, 1.5, 0.0], [-1.0, -1.0, 1.5], [-1.2, 0.4, 0.4], [-0.8, 0.0, -1.0], [-0.5, 0.8, 0.8]];

fn chance(banner: usize, visitor: &[f64]) -> f64 {
    link::mean(TRUTH[banner].iter().zip(visitor).map(|(t, x)| t * x).sum())
}

fn main() -> Result<(), Box<dyn Error>> {
    let problem = Problem { dimension: FEATURES, delta: 0.05, norm_bound: None };
    let options = json!({"own": FEATURES, "delayed": 200, "explore": 0.05});
    let mut policy = policy::build_with("bayes-ucb", &problem, options)?;
    let mut rng = generator(1);
    let mut outstanding = VecDeque::new();
    let (mut clicks, mut best, mut random) = (0.0, 0.0, 0.0);
    for t in 1..=8_000 {
        let visitor = [1.0, f64::from(rng.random_range(0..2_u8)), f64::from(rng.random_range(0..2_u8))];
        let banners: Vec<u64> = (0..if t <= 4_000 { 4 } else { 5 }).collect();
        let arms = ArmSet::from(HybridArms::same(&banners[..], &visitor)?); // the visitor is not written out per banner
        let choice = policy.choose(&arms, &mut rng)?;
        // Of a list a choice has a place, and with option delayed a number.
        let (banner, play) = choice.index.zip(choice.play).ok_or("neither a list nor late rewards")?;
        let click = rng.random::<f64>() < chance(banner, &visitor);
        outstanding.push_back((t + rng.random_range(0..50), play, f64::from(u8::from(click))));
        while let Some((due, play, reward)) = outstanding.front().copied() {
            if due > t {
                break;
            }
            policy.settle(play, reward)?; // the policy remembers what was shown to whom
            outstanding.pop_front();
        }
        let chances = banners.iter().map(|k| chance(*k as usize, &visitor));
        (clicks, best) = (clicks + chance(banner, &visitor), best + chances.clone().fold(0.0, f64::max));
        random += chances.sum::<f64>() / banners.len() as f64;
        if t % 2_000 == 0 {
            println!("{t} visitors: {clicks:.0} clicks expected, {best:.0} with hindsight, {random:.0} at random");
        }
    }
    Ok(())
}
