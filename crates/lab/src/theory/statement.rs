//! All that theory says of one instance, in one place.

use std::collections::BTreeMap;

use optimist::ArmSet;
use serde::Serialize;

use super::constants::InstanceConstants;
use super::graves_lai::{GravesLai, graves_lai};
use super::lower::LowerBound;
use super::upper::{ConfidenceSet, Seen, UpperBound, UpperBounds};
use crate::error::{Error, Result};
use crate::experiment::{Environment, Experiment};
use crate::simulation::World;

/// How much time the Graves-Lai constant may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// None: it is left out.
    None,
    /// Some seconds; it is left out for more arms than can be done in that time.
    #[default]
    Seconds,
    /// Whatever it takes.
    Any,
}

/// Instances times squared arms times dimension, up to which Graves-Lai constants take some seconds.
const SECONDS: usize = 3_000_000;

impl Effort {
    /// Whether the constants of so many instances may be computed.
    pub(super) fn allows(self, instances: usize, arms: usize, dimension: usize) -> bool {
        match self {
            Effort::None => false,
            Effort::Seconds => instances.saturating_mul(arms).saturating_mul(arms).saturating_mul(dimension) <= SECONDS,
            Effort::Any => true,
        }
    }
}

/// What theory says of an instance. What does not apply is none, and `notes` says why.
#[derive(Debug, Clone, Serialize)]
pub struct Statement {
    /// The environment from which the instance is.
    pub environment: String,
    /// The run of which it is; others differ where theta* or arms are drawn.
    pub run: usize,
    /// T, for the bounds.
    pub horizon: usize,
    /// The probability with which a confidence set may fail, for the bounds.
    pub delta: f64,
    /// What holds before anything is played.
    #[serde(flatten)]
    pub constants: InstanceConstants,
    /// What some neighbour of theta* costs every policy (Theorem 2).
    pub lower_bound: Option<LowerBound>,
    /// What optimism costs at most (Theorem 1), by the label of the policy.
    pub upper_bound: BTreeMap<String, UpperBound>,
    /// What regret / log T tends to at least for every policy that is good for all parameters (Graves and Lai 1997).
    pub graves_lai: Option<GravesLai>,
    /// The same for policies that rely on the norm bound, and need not be good beyond it: less, and often zero if the
    /// bound is the norm of theta* itself.
    pub graves_lai_bounded: Option<GravesLai>,
    /// Why something above is missing, and what else is to be known, by the name of the figure.
    pub notes: BTreeMap<String, String>,
}

impl Statement {
    /// What theory says of run number `run` in an environment, about the policies of the experiment. The yardstick takes
    /// longer than everything else together: `effort` says how long it may.
    ///
    /// # Errors
    /// If the arms are refused, or have parameters of their own and are not written out.
    pub fn of(experiment: &Experiment, environment: &Environment, run: usize, effort: Effort) -> Result<Self> {
        if environment.arms.as_hybrid().is_some() {
            return Err(Error::input(format!(
                "environment \"{environment}\": theory has nothing to say of arms with parameters of their own; add \
                 written_out = true to environment.arms"
            )));
        }
        let world = World::new(environment, experiment.seed, run)?;
        let (theta, arms) = (world.theta(), world.offered());
        let told = environment.told_bound();
        // Rounding of a drawn direction must not put theta* outside.
        let norm_bound = told.unwrap_or(0.0).max(optimist::numerics::norm(theta)).max(f64::MIN_POSITIVE);
        let mut statement = Self {
            environment: environment.to_string(),
            run,
            horizon: experiment.horizon,
            delta: experiment.delta,
            constants: InstanceConstants::of(theta, arms, norm_bound)?,
            lower_bound: None,
            upper_bound: BTreeMap::new(),
            graves_lai: None,
            graves_lai_bounded: None,
            notes: BTreeMap::new(),
        };
        statement.remark(environment, told);
        statement.bound_above(experiment, environment, &world);
        if !environment.drift.is_none() || environment.misfit().is_some() {
            return Ok(statement);
        }
        statement.bound_below(theta, arms);
        if effort != Effort::None {
            statement.measure(theta, arms, told, environment, effort);
        }
        Ok(statement)
    }

    fn note(&mut self, about: &str, text: impl Into<String>) {
        self.notes.insert(about.to_owned(), text.into());
    }

    fn remark(&mut self, environment: &Environment, told: Option<f64>) {
        if !self.constants.kappa.is_finite() {
            self.note("kappa", "it is too large for a number: rewards are all but certain");
        } else if told.is_none() {
            self.note("kappa", "no norm bound is known: this is kappa for ||theta*|| itself");
        }
        if !environment.drift.is_none() {
            self.note("theta", "it drifts: this is that of the first round, and so is whatever depends on it");
            for left_out in ["lower_bound", "graves_lai"] {
                self.note(left_out, "theta* drifts: it is for a parameter that stays");
            }
        }
        if let Some(why) = environment.misfit() {
            self.note("rewards", format!("{why}: the constants are those of the logistic model with this theta"));
            for left_out in ["lower_bound", "graves_lai"] {
                self.note(left_out, format!("{why}: it is for the logistic model"));
            }
        }
        if environment.arms.is_changing() {
            self.note("arms", "the arms change from round to round: these are the first");
        }
    }

    fn bound_above(&mut self, experiment: &Experiment, environment: &Environment, world: &World) {
        let (norm_bound, delta, horizon) = (self.constants.norm_bound, self.delta, self.horizon as u64);
        for spec in &experiment.policies {
            let bound = ConfidenceSet::of(spec, environment).and_then(|set| {
                let bounds = UpperBounds::new(world.instance(), norm_bound, delta, set, horizon);
                bounds.and_then(|bounds| bounds.after(horizon, &Seen::default())).map_err(|e| e.to_string())
            });
            match bound {
                Ok(bound) => _ = self.upper_bound.insert(spec.label.clone(), bound),
                Err(why) => self.note(&format!("upper_bound.{}", spec.label), why),
            }
        }
    }

    fn bound_below(&mut self, theta: &[f64], arms: &ArmSet) {
        match LowerBound::new(theta, arms, self.horizon as u64) {
            Ok(bound) => self.lower_bound = Some(bound),
            Err(why) => self.note("lower_bound", why.to_string()),
        }
    }

    fn measure(&mut self, theta: &[f64], arms: &ArmSet, told: Option<f64>, environment: &Environment, effort: Effort) {
        let changes = environment.arms.is_changing();
        let (ArmSet::Finite(list), false) = (arms, changes) else {
            return self.note("graves_lai", "it is defined for a list of arms that does not change");
        };
        if !effort.allows(1, list.len(), theta.len()) {
            return self.note("graves_lai", "so many arms take long: --graves-lai computes it all the same");
        }
        match graves_lai(theta, list, None) {
            Ok(yardstick) => self.graves_lai = Some(yardstick),
            Err(why) => return self.note("graves_lai", why.to_string()),
        }
        if told.is_some() {
            match graves_lai(theta, list, Some(self.constants.norm_bound)) {
                Ok(yardstick) => self.graves_lai_bounded = Some(yardstick),
                Err(why) => self.note("graves_lai_bounded", why.to_string()),
            }
        }
    }
}
