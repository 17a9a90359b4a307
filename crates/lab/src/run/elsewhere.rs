//! Runs that are played in one process and kept in another.

use serde::{Deserialize, Serialize};

use crate::build::Build;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::simulation::{Progress, Setting, play};
use crate::store::{add_to_parcel, fingerprint};

/// Which run of an experiment; all are numbers from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The environment.
    pub environment: usize,
    /// The policy.
    pub policy: usize,
    /// The run.
    pub run: usize,
}

/// Plays some runs of an experiment, one after the other, and returns them as [`unpack`](crate::store::unpack) takes them. They
/// come out to the same bits wherever they are played by the same build.
///
/// # Errors
/// If there is no such run, a policy refuses something, or `progress` stops the work.
pub fn play_runs(experiment: &Experiment, places: &[Place], build: &Build, progress: &dyn Progress) -> Result<Vec<u8>> {
    let mut parcel = Vec::new();
    for (done, place) in places.iter().enumerate() {
        let interrupted = || Error::Interrupted { done, total: places.len() };
        let found = (experiment.environments.get(place.environment), experiment.policies.get(place.policy));
        let (Some(environment), Some(spec)) = found else {
            return Err(Error::input(format!("{place:?} is no run of the experiment \"{}\"", experiment.name)));
        };
        if progress.is_stopped() {
            return Err(interrupted());
        }
        let setting = Setting::new(experiment, environment, spec);
        let record = play(&setting, place.run, progress, None)?.ok_or_else(interrupted)?;
        let print = fingerprint(experiment, environment, spec);
        add_to_parcel(&mut parcel, &print, place.run, &record.made_by(build))?;
    }
    Ok(parcel)
}
