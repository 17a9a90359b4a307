//! Does the true parameter stay in the policy's own set as often as promised, while the policy itself chooses?
//!
//! A run fails if the true parameter leaves the set in *any* round. `OPTIMIST_FULL=1`: 1,000 runs of 1,000 rounds.

use optimist::Problem;
use optimist::policy::Policy;
use optimist::{ArmSet, policy};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::conformance::{build, for_each};
use crate::simulation::Simulation;

const DELTA: f64 = 0.1;

/// Runs, and rounds of a run.
fn size() -> (usize, usize) {
    if std::env::var_os("OPTIMIST_FULL").is_some() { (1000, 1000) } else { (60, 150) }
}

/// The largest share of failed runs that is compatible with delta.
fn largest_share(runs: usize) -> f64 {
    DELTA + 3.0 * (DELTA * (1.0 - DELTA) / runs as f64).sqrt()
}

fn problem(delta: f64) -> Problem {
    Problem { dimension: 2, delta, norm_bound: Some(4.0) }
}

/// Whether the truth ever leaves the set: ten arms in the disk, ||theta*|| = 3.
fn leaves(mut policy: Box<dyn Policy>, run: u64, rounds: usize) -> bool {
    let mut world = Simulation::new(2, 3.0, 0xc0ffee + run);
    let arms = ArmSet::from(world.ball_arms(10));
    let mut rng = ChaCha8Rng::seed_from_u64(run);
    let theta = world.theta.clone();
    (0..rounds).any(|_| {
        let x = policy.choose(&arms, &mut rng).unwrap().features.into_owned();
        policy.observe(&x, world.reward(&x)).unwrap();
        !policy.contains(&theta).unwrap()
    })
}

fn share_of_failures(make: impl Fn() -> Box<dyn Policy>, runs: usize, rounds: usize) -> f64 {
    (0..runs as u64).filter(|run| leaves(make(), *run, rounds)).count() as f64 / runs as f64
}

#[test]
fn guaranteed_policies_cover() {
    let (runs, rounds) = size();
    for_each(|info| {
        if !info.guaranteed {
            return;
        }
        let share = share_of_failures(|| build(info, &problem(DELTA)), runs, rounds);
        println!("{}: left in {:.1}% of {runs} runs of {rounds} rounds", info.name, 100.0 * share);
        assert!(share <= largest_share(runs), "left in {share} of the runs, delta is {DELTA}");
    });
}

/// A set that promises next to nothing must be found out.
#[test]
fn a_set_that_is_too_small_is_found_out() {
    let (runs, rounds) = size();
    let info = policy::info("optimist").unwrap();
    let share = share_of_failures(|| build(info, &problem(0.9999)), runs, rounds);
    println!("delta = 0.9999: left in {:.1}% of {runs} runs of {rounds} rounds", 100.0 * share);
    assert!(share > largest_share(runs), "left in {share} of the runs only");
}
