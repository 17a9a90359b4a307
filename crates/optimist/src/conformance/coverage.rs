//! How often the true parameter leaves a confidence set. A run misses if it does so in *any* of its rounds.

use rand::RngExt;

use super::Simulation;
use crate::policy::Policy;
use crate::set::Radius;
use crate::{ArmSet, Belief, generator};

/// Runs of a check.
pub(super) const COVERAGE_RUNS: usize = 60;
/// Rounds of a run.
pub(super) const COVERAGE_ROUNDS: usize = 150;

/// The largest share of runs with a miss that is compatible with delta: three standard deviations above it.
pub fn largest_share(delta: f64, runs: usize) -> f64 {
    delta + 3.0 * (delta * (1.0 - delta) / runs as f64).sqrt()
}

/// The share of runs in which the truth leaves the policy's own set, while the policy chooses among ten arms in the unit
/// disk. `make` makes the policy for two features; the true parameter has norm 3.
///
/// # Panics
/// If the policy refuses arms in the unit disk, or keeps no set.
pub fn policy_misses(make: impl Fn() -> Box<dyn Policy>, runs: usize, rounds: usize) -> f64 {
    share(runs, |run| {
        let (mut policy, mut rng) = (make(), generator(run));
        let mut world = Simulation::new(2, 3.0, 0xc0ffee + run);
        let arms = ArmSet::from(world.ball_arms(10));
        let theta = world.theta.clone();
        (0..rounds).any(|_| {
            let x = policy.choose(&arms, &mut rng).expect("arms in the disk").features.into_owned();
            policy.observe(&x, world.reward(&x)).expect("a sound reward");
            !policy.contains(&theta).expect("a set of its own")
        })
    })
}

/// The share of runs in which the truth leaves the set of a radius, while arms are chosen greedily and one in five at
/// random. The radius must be for two features; the true parameter has the norm `length`.
///
/// # Panics
/// If the radius refuses arms in the unit disk.
pub fn radius_misses(radius: &Radius, length: f64, runs: usize, rounds: usize) -> f64 {
    share(runs, |run| {
        let mut belief = Belief::with_radius(radius.clone()).expect("two features");
        let mut world = Simulation::new(2, length, 0xc0ffee + run);
        let arms = world.ball_arms(10);
        (0..rounds).any(|_| {
            let any = world.rng.random_range(0..arms.len());
            let is_random = world.rng.random_bool(0.2);
            let x = arms.arm(if is_random { any } else { arms.best_for(belief.estimate()) });
            let reward = world.reward(x);
            belief.observe(x, reward).expect("a sound observation");
            !belief.set().contains(&world.theta)
        })
    })
}

fn share(runs: usize, misses: impl Fn(u64) -> bool) -> f64 {
    (0..runs as u64).filter(|run| misses(*run)).count() as f64 / runs as f64
}
