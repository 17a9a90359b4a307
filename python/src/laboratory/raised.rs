//! What policies written in Python have raised, on its way past code that knows texts only.
//!
//! A policy's error is a text that passes through the laboratory. The exception waits here until the text comes out on the other
//! side, and becomes its cause.

use std::sync::{Mutex, MutexGuard, PoisonError};

use optimist::Error;
use optimist_lab::Experiment;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::own_policy;
use crate::errors::{Fault, PolicyFailed, as_keywords};

struct Raised {
    /// Of which class, and which source of it.
    class: String,
    text: String,
    error: PyErr,
    /// Whether somebody has been told: what goes wrong after the last choice is told by nobody else.
    told: bool,
}

/// More than this are not waited for.
const MOST: usize = 64;

static RAISED: Mutex<Vec<Raised>> = Mutex::new(Vec::new());

/// Never held while Python runs.
fn waiting() -> MutexGuard<'static, Vec<Raised>> {
    RAISED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps an exception, and says it in words.
pub(super) fn keep(py: Python<'_>, class: &str, place: String, error: PyErr) -> Error {
    let what = if error.is_instance_of::<Refused>(py) {
        error.value(py).to_string()
    } else {
        let kind = error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
        format!("{kind}: {}", error.value(py))
    };
    let failure = Error::Option { field: place, what };
    let dropped = {
        let mut all = waiting();
        all.push(Raised { class: class.to_owned(), text: failure.to_string(), error, told: false });
        if all.len() > MOST { Some(all.remove(0)) } else { None }
    };
    drop(dropped);
    failure
}

/// Somebody has been told of it.
pub(super) fn tell(failure: &Error) {
    let text = failure.to_string();
    waiting().iter_mut().filter(|raised| raised.text == text).for_each(|raised| raised.told = true);
}

pyo3::create_exception!(optimist, Refused, PyValueError, "What a policy returned cannot be.");

/// What a policy returned cannot be.
pub(super) fn wrong(text: String) -> PyErr {
    Refused::new_err(text)
}

/// An error of the laboratory with the exception behind it, if there is one.
pub(super) fn explained(py: Python<'_>, error: optimist_lab::Error) -> Fault {
    let text = error.to_string();
    let found = {
        let mut all = waiting();
        let place = all.iter().position(|raised| text.contains(&raised.text));
        place.map(|place| all.remove(place))
    };
    match found {
        Some(raised) => failed(py, &text, raised.error),
        None => error.into(),
    }
}

/// What went wrong after the last choice of a run of this experiment, if anything.
pub(super) fn untold(py: Python<'_>, experiment: &Experiment) -> Option<Fault> {
    let found = of(experiment).into_iter().find(|raised| !raised.told);
    found.map(|raised| failed(py, &raised.text.clone(), raised.error))
}

/// What an earlier run of these classes has left is none of the next one's business.
pub(super) fn forget(experiment: &Experiment) {
    drop(of(experiment));
}

/// Takes out all that waits of the classes of an experiment.
fn of(experiment: &Experiment) -> Vec<Raised> {
    let classes: Vec<String> = experiment.policies.iter().filter_map(own_policy::class_of).collect();
    // Exceptions are dropped by the caller, when nothing is locked any more: that may run Python.
    waiting().extract_if(.., |raised| classes.contains(&raised.class)).collect()
}

fn failed(py: Python<'_>, text: &str, cause: PyErr) -> Fault {
    let failure = PolicyFailed::new_err(as_keywords(text));
    // What a policy returned is told in full; what it raised has a place where it did so.
    let cause = Some(cause).filter(|cause| !cause.is_instance_of::<Refused>(py));
    failure.set_cause(py, cause);
    failure.into()
}
