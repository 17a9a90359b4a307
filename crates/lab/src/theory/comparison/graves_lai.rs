//! The Graves-Lai constants of the instances that were played.

use optimist::ArmSet;
use optimist::numerics::norm;
use serde::Serialize;

use super::Played;
use crate::results::Statistics;
use crate::simulation::World;
use crate::theory::graves_lai::{Status, graves_lai};
use crate::theory::statement::Effort;

/// The Graves-Lai constants of the runs' instances.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct GravesLaiConstants {
    /// For policies that are good for all parameters.
    pub free: Statistics,
    /// For policies that rely on the norm bound they are told, if there is one.
    pub bounded: Option<Statistics>,
    /// Instances for which a constant is known from above only, not to its last digits.
    pub unsettled: usize,
}

/// The constants so far, without norm bound and with it.
pub(super) struct GravesLaiSum {
    free: Result<Constants, String>,
    bounded: Option<Result<Constants, String>>,
}

impl GravesLaiSum {
    /// Before the first instance, which is that of `world`; or why there are no constants.
    pub(super) fn new(played: &Played<'_>, world: &World) -> Result<Self, String> {
        let environment = played.environment;
        if !environment.drift.is_none() {
            return Err("theta* drifts: it is for a parameter that stays".to_owned());
        }
        if let Some(why) = environment.misfit() {
            return Err(format!("{why}: it is for the logistic model"));
        }
        if environment.arms.is_changing() {
            return Err("it is defined for a list of arms that does not change".to_owned());
        }
        let arms = world.instance().means().len();
        if !Effort::Seconds.allows(played.numbers.len(), arms, environment.dimension) {
            return Err("it would take too long for all runs; `optimist theory` computes it for one".to_owned());
        }
        Ok(Self { free: Ok(Constants::default()), bounded: played.norm_bound.map(|_| Ok(Constants::default())) })
    }

    /// Adds an instance.
    pub(super) fn add(&mut self, played: &Played<'_>, world: &World) {
        add(&mut self.free, world, None);
        if let Some(bounded) = &mut self.bounded {
            // Rounding of a drawn direction must not put theta* outside.
            add(bounded, world, played.norm_bound.map(|told| told.max(norm(world.theta()))));
        }
    }

    pub(super) fn finish(self) -> Result<GravesLaiConstants, String> {
        let (free, bounded) = (self.free?, self.bounded.transpose()?);
        Ok(GravesLaiConstants {
            free: Statistics::of(&free.values),
            unsettled: free.unsettled.max(bounded.as_ref().map_or(0, |bounded| bounded.unsettled)),
            bounded: bounded.map(|bounded| Statistics::of(&bounded.values)),
        })
    }
}

#[derive(Default)]
struct Constants {
    values: Vec<f64>,
    /// How many of them are known from above only.
    unsettled: usize,
}

/// Adds the constant of an instance, if none was refused before.
fn add(constants: &mut Result<Constants, String>, world: &World, norm_bound: Option<f64>) {
    let Ok(sum) = constants else { return };
    match constant(world, norm_bound) {
        Ok((value, is_settled)) => {
            sum.values.push(value);
            sum.unsettled += usize::from(!is_settled);
        }
        Err(why) => *constants = Err(why),
    }
}

/// The constant, and whether it is known to its last digits.
fn constant(world: &World, norm_bound: Option<f64>) -> Result<(f64, bool), String> {
    let ArmSet::Finite(list) = world.arms() else { return Err("it is defined for a list of arms".to_owned()) };
    let found = graves_lai(world.theta(), list, norm_bound).map_err(|e| e.to_string())?;
    Ok((found.value(), found.status != Status::Stopped))
}
