//! What callers hand over beside contexts: ids, names, probabilities, rewards; and the requests that are made of them.

use optimist_engine::{Baseline, Features, Request};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyString};

use crate::arrays;
use crate::errors::{Fault, Result};

/// An id that nobody has used.
pub(super) fn fresh_id(py: Python<'_>) -> Result<String> {
    static UUID4: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = UUID4.get_or_try_init(py, || py.import("uuid")?.getattr("uuid4").map(Bound::unbind))?;
    Ok(make.bind(py).call0()?.getattr("hex")?.extract()?)
}

/// An id: a text, or a whole number as one.
pub(super) fn id(value: &Bound<'_, PyAny>, field: &str) -> Result<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_cow()?.into_owned());
    }
    let is_flag = value.is_instance_of::<PyBool>();
    if let Some(number) = value.extract::<i64>().ok().filter(|_| !is_flag) {
        return Ok(number.to_string());
    }
    let kind = value.get_type().name()?;
    Err(Fault::input(format!("{field} is a {kind}: give a text or a whole number")))
}

/// One item per row of a list, a column of a frame, or an array.
fn items<'py, T>(
    value: &Bound<'py, PyAny>,
    field: &str,
    count: usize,
    read: impl Fn(&Bound<'py, PyAny>, &str) -> Result<T>,
) -> Result<Vec<T>> {
    let kind = value.get_type().name()?;
    let Some(all) = value.try_iter().ok().filter(|_| !value.is_instance_of::<PyString>()) else {
        return Err(Fault::input(format!("{field} is a {kind}: give a list of one per row")));
    };
    let found: Vec<T> =
        all.enumerate().map(|(i, item)| read(&item?, &format!("{field}[{i}]"))).collect::<Result<_>>()?;
    check_count(field, found.len(), count)?;
    Ok(found)
}

fn check_count(field: &str, found: usize, count: usize) -> Result<()> {
    if found == count {
        return Ok(());
    }
    Err(Fault::input(format!("{field} has {found} entries for {count} rows: give one per row")))
}

/// The ids of several decisions; made up where none are given.
pub(super) fn ids(py: Python<'_>, value: Option<&Bound<'_, PyAny>>, count: usize) -> Result<Vec<String>> {
    match value {
        Some(value) => items(value, "event_ids", count, id),
        // One that nobody has used, and a number: a thousand times as fast as one of each.
        None if count > 0 => fresh_id(py).map(|first| (0..count).map(|i| format!("{first}-{i}")).collect()),
        None => Ok(Vec::new()),
    }
}

/// As many ids as there are.
pub(super) fn known_ids(value: &Bound<'_, PyAny>) -> Result<Vec<String>> {
    let count = value.len().map_err(|_| Fault::input("event_ids is no list: give the ids of decisions"))?;
    items(value, "event_ids", count, id)
}

/// A name.
pub(super) fn name(value: &Bound<'_, PyAny>, field: &str) -> Result<String> {
    let kind = value.get_type().name()?;
    let words = |_: &PyErr| format!("{field} is a {kind}: give the name of an action");
    value.extract().map_err(|error| Fault::unreadable(value.py(), error, words))
}

/// Names, one per row.
pub(super) fn names(value: &Bound<'_, PyAny>, field: &str, count: usize) -> Result<Vec<String>> {
    items(value, field, count, name)
}

/// The names of the actions to choose from.
pub(super) fn offered(value: Option<&Bound<'_, PyAny>>) -> Result<Option<Vec<String>>> {
    let read = |value: &Bound<'_, PyAny>| {
        let count = value.len().map_err(|_| Fault::input("actions is no list: give the names to choose from"))?;
        names(value, "actions", count)
    };
    value.map(read).transpose()
}

/// Probabilities, one per row; None or NaN where none is known.
pub(super) fn probabilities(value: Option<&Bound<'_, PyAny>>, count: usize) -> Result<Vec<Option<f64>>> {
    let Some(value) = value else { return Ok(vec![None; count]) };
    items(value, "probabilities", count, |item, field| {
        if item.is_none() {
            return Ok(None);
        }
        let kind = item.get_type().name()?;
        let words = |_: &PyErr| format!("{field} is a {kind}: give a number or None");
        let found = item.extract::<f64>().map_err(|error| Fault::unreadable(item.py(), error, words))?;
        Ok(Some(found).filter(|p| !p.is_nan()))
    })
}

/// Rewards, one per row.
pub(super) fn rewards(value: &Bound<'_, PyAny>, field: &str, count: usize) -> Result<Vec<f64>> {
    let table = arrays::row(value, field)?;
    let found = table.values().into_owned();
    check_count(field, found.len(), count)?;
    Ok(found)
}

/// A request, and what the caller chose itself.
pub(super) fn request(
    event: String,
    context: Features,
    actions: Option<Vec<String>>,
    baseline: Option<String>,
    probability: Option<f64>,
    deferred: bool,
) -> Result<Request> {
    if baseline.is_none() && probability.is_some() {
        return Err(Fault::input(
            "probability is that of the caller's own choice: say which one that is with baseline",
        ));
    }
    let baseline = baseline.map(|action| Baseline { action, probability });
    Ok(Request { event, context, actions, baseline, deferred })
}
