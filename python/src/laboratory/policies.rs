//! The registry of policies, as data.

use optimist::policy::{PolicyEntry, info, registry};
use optimist_lab::input::{nearest, shorten};
use pyo3::prelude::*;

use crate::errors::{Fault, Result};
use crate::json;

/// The lines of the registry, or the one of that name, as a list of dictionaries.
#[pyfunction]
#[pyo3(signature = (name = None))]
pub(crate) fn policy_entries<'py>(py: Python<'py>, name: Option<&str>) -> Result<Bound<'py, PyAny>> {
    let lines = match name {
        None => registry(),
        Some(name) => vec![info(name).map_err(|_| unknown(name))?],
    };
    json::write(py, &lines.into_iter().map(PolicyEntry::from).collect::<Vec<_>>())
}

fn unknown(name: &str) -> Fault {
    let names: Vec<&str> = optimist::policy::names().collect();
    let remedy = nearest(name, &names)
        .map_or_else(|| "there is no such policy".to_owned(), |near| format!("did you mean \"{near}\"?"));
    Fault::option(format!("name is \"{}\": {remedy} (optimist.policies() lists all)", shorten(name)))
}
