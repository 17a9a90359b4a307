//! Which policies a bound speaks of.

use serde_json::Value;

use super::set::{ConfidenceSet, Decrement};
use crate::experiment::{Arms, Delay, Environment, PolicySpec};

/// Up to this dimension planning is complete where the problem is not convex: over C_t, and on ball and sphere.
const COMPLETE: usize = 4;

impl ConfidenceSet {
    /// The set over which a policy is optimistic in an environment.
    ///
    /// # Errors
    /// One line that says why no bound applies, if none does.
    pub fn of(spec: &PolicySpec, environment: &Environment) -> Result<Self, String> {
        check_environment(environment)?;
        let set = planned_over(spec)?;
        check_planning(&set, spec, environment)?;
        Ok(set)
    }
}

/// The set over which a policy plans. This is the one place that knows policies by name, because the registry does not say
/// over which set, and with which constants, a policy plans.
fn planned_over(spec: &PolicySpec) -> Result<ConfidenceSet, String> {
    let option = |name: &str, default| spec.options.get(name).and_then(Value::as_str).unwrap_or(default);
    let published = option("constants", "ours") == "published";
    match (spec.policy.as_str(), option("radius", "tight"), option("gamma", "corrected")) {
        ("ofulog", _, "corrected") => Ok(ConfidenceSet::NewtonDecrement { gamma: Decrement::Corrected }),
        ("ofulog-r", "tight", _) => Ok(ConfidenceSet::Tight),
        ("ofulog-r", "corrected", _) => Ok(ConfidenceSet::Corrected),
        ("ofulog" | "ofulog-r", ..) => {
            Err("its constants are as printed in the paper, for which nothing is proved".to_owned())
        }
        ("optimist", ..) => Ok(ConfidenceSet::Mixture),
        ("ofuglb", ..) => Ok(ConfidenceSet::Ofuglb { published }),
        ("ofulog-plus", ..) => Ok(ConfidenceSet::OfulogPlus { published }),
        ("emk", ..) => Err("the level of its set is a function of the data that nothing bounds yet".to_owned()),
        _ => Err("it is not optimism over a level set of the log-loss".to_owned()),
    }
}

/// What the proof asks of the environment.
fn check_environment(environment: &Environment) -> Result<(), String> {
    if environment.norm_bound.value(environment.truth.norm()).is_none() {
        return Err("no norm bound is known: it takes one".into());
    }
    if environment.arms.is_changing() {
        return Err("the arms change from round to round: the bound is for fixed arms".into());
    }
    if environment.feedback.delay != Delay::None || environment.feedback.missing > 0.0 {
        return Err("rewards come late or never: the bound is for rewards that come at once".into());
    }
    Ok(())
}

/// Whether the policy finds the most favourable arm.
fn check_planning(set: &ConfidenceSet, spec: &PolicySpec, environment: &Environment) -> Result<(), String> {
    let is_round = matches!(environment.arms, Arms::Ball | Arms::Sphere);
    let is_convex = !matches!(set, ConfidenceSet::NewtonDecrement { .. });
    if environment.dimension > COMPLETE && (is_round || !is_convex) {
        return Err(format!("its planning is complete in up to {COMPLETE} dimensions only"));
    }
    if *set != ConfidenceSet::Mixture && spec.options.get("eliminate") == Some(&Value::Bool(true)) {
        return Err("it drops arms by the mixture set, which is not its own".into());
    }
    Ok(())
}
