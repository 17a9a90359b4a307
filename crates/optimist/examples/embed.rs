//! Ten lines in a program of one's own: `cargo run --example embed`.

use optimist::rand::{Rng, RngExt, SeedableRng};
use optimist::{ArmSet, FiniteArms, Problem, Result, link, policy};

fn main() -> Result<()> {
    let offers = ArmSet::from(FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])?);
    let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
    let mut policy = policy::build("bayes-ucb", &problem)?;
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    for _ in 0..1000 {
        let choice = policy.choose(&offers, &mut rng)?;
        let reward = make_offer(&choice.features, &mut rng);
        policy.observe(&choice.features, reward)?;
    }
    let sure = policy.interval(&[0.0, 1.0])?.interval;
    println!("the third offer is accepted with probability {:.3} to {:.3}", sure.lower, sure.upper);
    Ok(())
}

/// Stands for the world: one if the offer is accepted, else zero.
fn make_offer(x: &[f64], rng: &mut impl Rng) -> f64 {
    f64::from(rng.random_bool(link::mean(-0.5 * x[0] + x[1])))
}
