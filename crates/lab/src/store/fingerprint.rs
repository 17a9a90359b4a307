//! What decides the outcome of a run, as a short text.

use serde_json::json;

use crate::experiment::{Contender, Environment, Experiment};

/// Raised whenever runs come out differently, or are written differently, than by the program before.
const FORMAT: u32 = 2;

/// A fingerprint of everything that decides the runs of a policy in an environment, except their numbers. What reports
/// call the policy, how many runs there are, and what else is in the experiment do not matter.
pub fn fingerprint(experiment: &Experiment, environment: &Environment, contender: &Contender) -> String {
    let decisive = json!({
        "format": FORMAT,
        "version": env!("CARGO_PKG_VERSION"),
        "seed": experiment.seed,
        "horizon": experiment.horizon,
        "delta": experiment.delta,
        "checkpoints": experiment.checkpoints,
        "coverage": experiment.coverage,
        "environment": environment,
        "policy": contender.policy,
        "options": contender.options,
    });
    checksum(decisive.to_string().as_bytes())
}

/// FNV-1a, in hexadecimal.
pub(super) fn checksum(bytes: &[u8]) -> String {
    let step = |h: u64, byte: &u8| (h ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}
