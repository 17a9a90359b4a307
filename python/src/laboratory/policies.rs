//! The registry of policies, as data.

use optimist::policy::{OptionInfo, PolicyInfo, info, registry};
use optimist_lab::input::{nearest, shorten};
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::errors::{Fault, Result};
use crate::json;

/// A policy with all of its options, and what they are if nobody sets them.
#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    info: &'static PolicyInfo,
    shared_options: Vec<&'static OptionInfo>,
    default_options: Value,
}

impl Entry {
    fn new(info: &'static PolicyInfo) -> Self {
        let shared_options = info.all_options().skip(info.options.len()).collect();
        Self { info, shared_options, default_options: info.default_options() }
    }
}

/// The lines of the registry, or the one of that name, as a list of dictionaries.
#[pyfunction]
#[pyo3(signature = (name = None))]
pub(crate) fn policy_entries<'py>(py: Python<'py>, name: Option<&str>) -> Result<Bound<'py, PyAny>> {
    let lines = match name {
        None => registry(),
        Some(name) => vec![info(name).map_err(|_| unknown(name))?],
    };
    json::write(py, &lines.into_iter().map(Entry::new).collect::<Vec<_>>())
}

fn unknown(name: &str) -> Fault {
    let names: Vec<&str> = optimist::policy::names().collect();
    let remedy = nearest(name, &names)
        .map_or_else(|| "there is no such policy".to_owned(), |near| format!("did you mean \"{near}\"?"));
    Fault::option(format!("name is \"{}\": {remedy} (optimist.policies() lists all)", shorten(name)))
}
