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
        let option = |name: &str, default| spec.options.get(name).and_then(Value::as_str).unwrap_or(default);
        let unproved = || Err("its constants are as printed in the paper, for which nothing is proved".to_owned());
        let set = match (spec.policy.as_str(), option("radius", "tight"), option("gamma", "corrected")) {
            ("ofulog", _, "corrected") => Self::NewtonDecrement { gamma: Decrement::Corrected },
            ("ofulog-r", "tight", _) => Self::Tight,
            ("ofulog-r", "corrected", _) => Self::Corrected,
            ("ofulog" | "ofulog-r", ..) => return unproved(),
            ("optimist", ..) => Self::Mixture,
            ("ofuglb", ..) => Self::Ofuglb { published: option("constants", "ours") == "published" },
            ("ofulog-plus", ..) => Self::OfulogPlus { published: option("constants", "ours") == "published" },
            ("emk", ..) => return Err("the level of its set is a function of the data that nothing bounds yet".into()),
            _ => return Err("it is not optimism over a level set of the log-loss".into()),
        };
        check_planning(spec, environment)?;
        Ok(set)
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
fn check_planning(spec: &PolicySpec, environment: &Environment) -> Result<(), String> {
    let is_round = matches!(environment.arms, Arms::Ball | Arms::Sphere);
    if environment.dimension > COMPLETE && (is_round || spec.policy == "ofulog") {
        return Err(format!("its planning is complete in up to {COMPLETE} dimensions only"));
    }
    if spec.policy != "optimist" && spec.options.get("eliminate") == Some(&Value::Bool(true)) {
        return Err("it drops arms by the mixture set, which is not its own".into());
    }
    Ok(())
}
