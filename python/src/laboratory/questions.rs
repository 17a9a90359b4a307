//! Single questions: what observations say of arms, and what theory says of an instance.

use std::path::PathBuf;

use optimist_lab::planning::{PlanInput, solve};
use optimist_lab::simulation::Progress;
use optimist_lab::theory::{Asked, AskedArms, Effort, statements};
use pyo3::prelude::*;

use super::attend::{Watch, attend};
use super::experiment::of_json;
use crate::errors::{Fault, Result, as_keywords};
use crate::json;

/// What the command line's `plan` prints, and what it warns of. ``problem`` is JSON.
#[pyfunction]
pub(crate) fn plan_problem<'py>(py: Python<'py>, problem: &str) -> Result<(Bound<'py, PyAny>, Vec<String>)> {
    let problem = py.detach(|| PlanInput::read(problem))?;
    let watch = Watch::default();
    let (solved, raised) = attend(py, &watch, None, || solve(problem, &mut |_| !watch.is_stopped()));
    if let Some(raised) = raised {
        return Err(raised.into());
    }
    let (plan, warnings) = solved?;
    let warnings = warnings.iter().map(|warning| as_keywords(warning)).collect();
    Ok((json::write(py, &plan)?, warnings))
}

/// An instance as JSON of an experiment: theta, and arms as a list, a path, or the dimension of a ball or a sphere.
#[pyfunction]
#[pyo3(signature = (theta, rows = None, path = None, ball = None, sphere = None, norm_bound = None))]
pub(crate) fn theory_instance(
    theta: Vec<f64>,
    rows: Option<Vec<Vec<f64>>>,
    path: Option<PathBuf>,
    ball: Option<usize>,
    sphere: Option<usize>,
    norm_bound: Option<f64>,
) -> Result<String> {
    let arms = match (rows, path, ball, sphere) {
        (Some(rows), None, None, None) => AskedArms::Rows(rows),
        (None, Some(path), None, None) => AskedArms::File(path),
        (None, None, Some(ball), None) => AskedArms::Ball(ball),
        (None, None, None, Some(sphere)) => AskedArms::Sphere(sphere),
        (None, None, None, None) => AskedArms::Missing,
        _ => return Err(Fault::option("arms, ball and sphere are given together: keep one")),
    };
    super::experiment::to_json(&Asked { theta, arms, norm_bound }.experiment()?)
}

/// What theory says of run number ``run`` in every environment of an experiment. ``effort`` is for the Graves-Lai constant.
#[pyfunction]
pub(crate) fn theory_statements<'py>(
    py: Python<'py>,
    experiment: &str,
    horizon: Option<usize>,
    delta: Option<f64>,
    run: usize,
    effort: Option<bool>,
) -> Result<Vec<Bound<'py, PyAny>>> {
    let mut experiment = of_json(experiment)?;
    if horizon == Some(0) {
        return Err(Fault::option("horizon is 0: give a number of rounds, 1 or more"));
    }
    experiment.horizon = horizon.unwrap_or(experiment.horizon);
    experiment.delta = delta.unwrap_or(experiment.delta);
    let effort = match effort {
        Some(true) => Effort::Any,
        Some(false) => Effort::None,
        None => Effort::Seconds,
    };
    let found = py.detach(|| statements(&experiment, run, effort))?;
    found.iter().map(|statement| json::write(py, statement)).collect()
}
