//! What an experiment asks of a run, as a short text.

use serde_json::json;

use super::hash::checksum;
use crate::experiment::{Environment, Experiment, PolicySpec};

/// Raised whenever runs are written differently than by the program before, so that not even `--keep` could use them.
const FORMAT: u32 = 3;

/// A fingerprint of everything in an experiment that decides the runs of a policy in an environment, except their numbers.
/// What reports call the policy, how many runs there are, and what else is in the experiment do not matter. What the code
/// decides is not in it: that is the build's to tell.
pub(crate) fn fingerprint(experiment: &Experiment, environment: &Environment, spec: &PolicySpec) -> String {
    let decisive = json!({
        "format": FORMAT,
        "seed": experiment.seed,
        "horizon": experiment.horizon,
        "delta": experiment.delta,
        "checkpoints": experiment.checkpoints,
        "coverage": experiment.coverage,
        "environment": environment.unlabelled(),
        "policy": spec.policy,
        "options": spec.options,
    });
    checksum(decisive.to_string().as_bytes())
}
