//! What decides the outcome of a run, as a short text.

use serde_json::json;

use super::hash::checksum;
use crate::experiment::{Environment, Experiment, PolicySpec};

/// Raised whenever runs come out differently, or are written differently, than by the program before.
const FORMAT: u32 = 2;

/// A fingerprint of everything that decides the runs of a policy in an environment, except their numbers. What reports
/// call the policy, how many runs there are, and what else is in the experiment do not matter.
pub(crate) fn fingerprint(experiment: &Experiment, environment: &Environment, spec: &PolicySpec) -> String {
    let decisive = json!({
        "format": FORMAT,
        "version": env!("CARGO_PKG_VERSION"),
        "seed": experiment.seed,
        "horizon": experiment.horizon,
        "delta": experiment.delta,
        "checkpoints": experiment.checkpoints,
        "coverage": experiment.coverage,
        "environment": environment,
        "policy": spec.policy,
        "options": spec.options,
    });
    checksum(decisive.to_string().as_bytes())
}
