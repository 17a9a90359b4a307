//! A policy that learns which offer to make, says how sure it is, and is stored overnight: `cargo run --example policy`.

use optimist::Problem;
use optimist::rand::{RngExt, SeedableRng};
use optimist::{ArmSet, FiniteArms, Result, link, policy};
use rand_chacha::ChaCha8Rng;

fn main() -> Result<()> {
    let offers = FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])?.with_ids(["blue", "mixed", "green"])?;
    let arms = ArmSet::from(offers.clone());
    // What nobody knows outside a simulation.
    let truth = |x: &[f64]| link::mean(0.5 * x[0] + 1.5 * x[1]);

    let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
    let mut policy = policy::build_with("laplace-ts", &problem, serde_json::json!({"eliminate": true}))?;
    let mut rng = ChaCha8Rng::seed_from_u64(1);

    // A day: choices are made at once, outcomes come in the evening.
    for _day in 0..20 {
        let mut played = Vec::new();
        for _ in 0..50 {
            let choice = policy.choose(&arms, &mut rng)?;
            played.push(choice.features.into_owned());
        }
        for x in &played {
            policy.observe(x, f64::from(rng.random_bool(truth(x))))?;
        }
    }

    // What is certain, whatever rule chose the offers.
    for k in 0..offers.len() {
        let sure = policy.interval(offers.arm(k))?.interval;
        println!("{:6} succeeds with probability {:.3} to {:.3}", offers.id(k), sure.lower, sure.upper);
    }
    // With which probability each offer comes next: what an evaluation of other rules on these data will need.
    let next = policy.probabilities(&arms, 1000, &mut rng)?;
    println!("next: {:.3?}, give or take {:.3?}", next.values, next.standard_errors.unwrap_or_default());

    // Stored and restored, it goes on exactly as it would have.
    let mut restored = policy::restore(&policy.save()?)?;
    let mut same = rng.clone();
    assert_eq!(restored.choose(&arms, &mut same)?, policy.choose(&arms, &mut rng)?);
    Ok(())
}
