//! Which policies a bound speaks of.

use optimist::policy::{Claim, Planning};
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
        let planning = spec.info().map_err(|e| e.to_string())?.planning;
        if !matches!(planning, Planning::LevelSet | Planning::NonConvexSet) {
            return Err("it is not optimism over a level set of the log-loss".into());
        }
        let set = Self::by_name(set_name(spec, environment)?)?;
        check_planning(&set, spec, environment)?;
        Ok(set)
    }

    /// The set of that name, as guarantees call it.
    fn by_name(name: &str) -> Result<Self, String> {
        Ok(match name {
            "decrement" => Self::NewtonDecrement { gamma: Decrement::Corrected },
            "tight" => Self::Tight,
            "corrected" => Self::Corrected,
            "mixture" => Self::Mixture,
            "ofuglb" => Self::Ofuglb { published: false },
            "ofuglb-published" => Self::Ofuglb { published: true },
            "ofulog-plus" => Self::OfulogPlus { published: false },
            "ofulog-plus-printed" => Self::OfulogPlus { published: true },
            _ => return Err("the level of its set is a function of the data that nothing bounds yet".into()),
        })
    }
}

/// What the policy's own set is called, if that promises anything.
fn set_name(spec: &PolicySpec, environment: &Environment) -> Result<&'static str, String> {
    // Neither delta nor the number of rounds decides which set it is.
    match spec.build_for(environment, 0.05, 1).map_err(|e| e.to_string())?.claim() {
        Claim::Holds(guarantee) => Ok(guarantee.name),
        Claim::None { .. } => Err("its constants are as printed in the paper, for which nothing is proved".into()),
    }
}

/// What the proof asks of the environment.
fn check_environment(environment: &Environment) -> Result<(), String> {
    if environment.told_bound().is_none() {
        return Err("no norm bound is known: it takes one".into());
    }
    if !environment.drift.is_none() {
        return Err("theta* drifts: the bound is for a parameter that stays".into());
    }
    if let Some(why) = environment.misfit() {
        return Err(format!("{why}: the bound is for the logistic model"));
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
