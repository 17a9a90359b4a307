//! Classes that are policies, by name and digest of their source.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::errors::{Fault, Result};

type Key = (String, String);

static CLASSES: Mutex<Option<HashMap<Key, Py<PyType>>>> = Mutex::new(None);

/// Never held while Python runs.
fn table() -> MutexGuard<'static, Option<HashMap<Key, Py<PyType>>>> {
    CLASSES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a class known by its name, module:Class, and the digest of its source.
#[pyfunction]
pub(crate) fn register_class(name: String, source: String, class: Py<PyType>) {
    let before = table().get_or_insert_default().insert((name, source), class);
    drop(before);
}

/// The class of that name and source.
#[pyfunction]
pub(crate) fn known_class(py: Python<'_>, name: &str, source: &str) -> Result<Py<PyType>> {
    let class = known(py, name, source);
    class.ok_or_else(|| Fault::input(format!("the class {name} is not known here: hand it over with policies")))
}

fn known(py: Python<'_>, name: &str, source: &str) -> Option<Py<PyType>> {
    let key = (name.to_owned(), source.to_owned());
    table().as_ref()?.get(&key).map(|class| class.clone_ref(py))
}

/// The class of that name and source, or what an import finds.
pub(super) fn find<'py>(py: Python<'py>, name: &str, source: &str) -> PyResult<Bound<'py, PyAny>> {
    match known(py, name, source) {
        Some(class) => Ok(class.into_bound(py).into_any()),
        None => py.import("optimist.laboratory.own")?.call_method1("find", (name,)),
    }
}
