//! Whether every policy can be run in every environment, before anything runs.

use optimist::policy::ArmKind;
use optimist::posterior::Row;

use super::policies::place;
use crate::error::{Error, Result};
use crate::experiment::{Arms, Environment, Experiment, Hybrid, PolicySpec, Rows};

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
    let kind = core_kind(&environment.arms);
    if !info.arm_sets.contains(&kind) {
        let name = environment.arms.kind().name();
        let remedy = if kind == ArmKind::Hybrid { "add written_out = true to them" } else { "draw or list arms" };
        return Err(Error::input(format!(
            "{at}: it is not defined for environment.arms.kind = \"{name}\"; {remedy}, or leave the policy out"
        )));
    }
    if info.needs_norm_bound && environment.told_bound().is_none() {
        return Err(Error::input(format!(
            "{at}: it needs a norm bound, and environment.norm_bound is \"none\"; give a bound, or leave the policy out"
        )));
    }
    let mut policy = spec.build_for(environment, experiment.delta, experiment.horizon).map_err(|e| {
        let text = e.to_string();
        let own = format!("options of \"{}\": ", spec.policy);
        Error::input(format!("{at}: {}", text.strip_prefix(&own).unwrap_or(&text)))
    })?;
    // How long arms may be, and of which form, depends on the options: only the policy itself knows.
    let Some((number, arm)) = longest(environment.arms.list()) else {
        let mut features = vec![0.0; environment.dimension];
        if let Arms::Table(table) = &environment.arms {
            features[..table.width].copy_from_slice(table.longest());
        }
        let row = match kind {
            ArmKind::Hybrid => Row::Own { owner: 0, features: &features },
            _ => Row::Dense(&features),
        };
        return policy.observe_row(&row, 0.0).map_err(|e| Error::input(format!("{at}: {e}")));
    };
    policy.observe(arm, 0.0).map_err(|e| {
        let what = e.to_string();
        Error::input(format!("{at}: arm {number} of environment.arms {}", what.strip_prefix("x ").unwrap_or(&what)))
    })
}

fn core_kind(arms: &Arms) -> ArmKind {
    match arms {
        Arms::Ball => ArmKind::Ball,
        Arms::Sphere => ArmKind::Sphere,
        Arms::Hybrid(Hybrid { written_out: false, .. }) => ArmKind::Hybrid,
        Arms::Table(table) if table.rows == Rows::Context && !table.written_out => ArmKind::Hybrid,
        _ => ArmKind::Finite,
    }
}

/// The longest arm and its number, counted from one.
fn longest(list: &[Vec<f64>]) -> Option<(usize, &Vec<f64>)> {
    let square = |arm: &Vec<f64>| arm.iter().map(|v| v * v).sum::<f64>();
    let longest = list.iter().enumerate().max_by(|(_, a), (_, b)| square(a).total_cmp(&square(b)));
    longest.map(|(i, arm)| (i + 1, arm))
}
