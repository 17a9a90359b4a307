//! Whether every policy can be run in every environment, before anything runs.

use optimist::Problem;
use optimist::policy::ArmKind;

use super::policies::place;
use crate::error::{Error, Result};
use crate::experiment::{Arms, Environment, Experiment, PolicySpec};

/// Builds every policy for every environment and throws it away.
pub(super) fn check(experiment: &Experiment) -> Result<()> {
    for (i, spec) in experiment.policies.iter().enumerate() {
        let at = place(i + 1, &spec.policy);
        experiment.environments.iter().try_for_each(|environment| pair(&at, spec, environment, experiment))?;
    }
    Ok(())
}

fn pair(at: &str, spec: &PolicySpec, environment: &Environment, experiment: &Experiment) -> Result<()> {
    let info = spec.info()?;
    if !info.arm_sets.contains(&core_kind(&environment.arms)) {
        let name = environment.arms.kind().name();
        return Err(Error::input(format!(
            "{at}: it is not defined for environment.arms.kind = \"{name}\"; draw or list arms, or leave the policy out"
        )));
    }
    let bound = environment.norm_bound.value(environment.truth.norm());
    if info.needs_norm_bound && bound.is_none() {
        return Err(Error::input(format!(
            "{at}: it needs a norm bound, and environment.norm_bound is \"none\"; give a bound, or leave the policy out"
        )));
    }
    let problem = Problem { dimension: environment.dimension, delta: experiment.delta, norm_bound: bound };
    let mut policy = spec.build(&problem, experiment.horizon).map_err(|e| {
        let text = e.to_string();
        let own = format!("options of \"{}\": ", spec.policy);
        Error::input(format!("{at}: {}", text.strip_prefix(&own).unwrap_or(&text)))
    })?;
    let Some((number, arm)) = longest(environment.arms.list()) else { return Ok(()) };
    // How long arms may be depends on the options: only the policy itself knows.
    policy.observe(arm, 0.0).map_err(|e| {
        let what = e.to_string();
        Error::input(format!("{at}: arm {number} of environment.arms {}", what.strip_prefix("x ").unwrap_or(&what)))
    })
}

fn core_kind(arms: &Arms) -> ArmKind {
    match arms {
        Arms::Ball => ArmKind::Ball,
        Arms::Sphere => ArmKind::Sphere,
        Arms::Drawn { .. } | Arms::List { .. } => ArmKind::Finite,
    }
}

/// The longest arm and its number, counted from one.
fn longest(list: &[Vec<f64>]) -> Option<(usize, &Vec<f64>)> {
    let square = |arm: &Vec<f64>| arm.iter().map(|v| v * v).sum::<f64>();
    let longest = list.iter().enumerate().max_by(|(_, a), (_, b)| square(a).total_cmp(&square(b)));
    longest.map(|(i, arm)| (i + 1, arm))
}
