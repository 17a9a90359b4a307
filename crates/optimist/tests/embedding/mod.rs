//! What a program that embeds the library relies on: batches, borrowed memory, snapshots, stored sessions, extensions.

mod arms;
mod batches;
mod hostile;
mod registration;
mod sessions;
mod snapshots;

use optimist::policy::{self, Policy};
use optimist::{ArmSet, FiniteArms, Problem};

fn problem() -> Problem {
    Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) }
}

fn arms() -> ArmSet<'static> {
    ArmSet::from(FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-0.6, 0.8]]).unwrap())
}

/// A policy of every kind, with what it requires.
fn every_policy() -> impl Iterator<Item = Box<dyn Policy>> {
    policy::registry().into_iter().map(|info| {
        let options: serde_json::Map<_, _> =
            info.required.iter().map(|name| ((*name).to_owned(), 100.into())).collect();
        policy::build_with(info.name, &problem(), options).unwrap()
    })
}

/// Lets a policy play `rounds` rounds against a fixed theta.
fn play(policy: &mut dyn Policy, rounds: usize, rng: &mut optimist::Generator) {
    use rand::RngExt;
    let arms = arms();
    for _ in 0..rounds {
        let choice = policy.choose(&arms, rng).unwrap().into_owned();
        let mean = optimist::link::mean(1.5 * choice.features[0] - 0.5 * choice.features[1]);
        let reward = f64::from(u8::from(rng.random_bool(mean)));
        policy.observe(&choice.features, reward).unwrap();
    }
}
