//! Some runs of an experiment, played in whichever process this is.

use optimist_lab::run::Place;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::attend::{Watch, attend};
use super::build::this_build;
use super::experiment::of_json;
use super::raised::{explained, untold};
use crate::errors::Result;

/// Plays runs of an experiment, given as (environment, policy, run) by number, and returns them as bytes for ``Job.keep``.
#[pyfunction]
pub(crate) fn play_runs<'py>(
    py: Python<'py>,
    experiment: &str,
    places: Vec<(usize, usize, usize)>,
) -> Result<Bound<'py, PyBytes>> {
    let (experiment, build) = (of_json(experiment)?, this_build(py)?);
    let places: Vec<Place> =
        places.into_iter().map(|(environment, policy, run)| Place { environment, policy, run }).collect();
    let watch = Watch::default();
    let work = || optimist_lab::run::play_runs(&experiment, &places, &build, &watch);
    let (played, raised) = attend(py, &watch, None, work);
    match raised {
        Some(raised) => Err(raised.into()),
        None => {
            let played = played.map_err(|error| explained(py, error))?;
            untold(py, &experiment).map_or(Ok(()), Err)?;
            Ok(PyBytes::new(py, &played))
        }
    }
}
