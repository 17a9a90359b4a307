//! Which code made a run: the bytes of this extension. Policies written in Python add theirs to their options.

use std::fs;
use std::path::PathBuf;

use optimist_lab::Build;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::errors::Result;

/// The build of this extension. Its file is read once per process; if it cannot be read, no finished run is used again.
pub(super) fn this_build(py: Python<'_>) -> Result<Build> {
    static BUILD: PyOnceLock<Build> = PyOnceLock::new();
    let build = BUILD.get_or_try_init(py, || -> PyResult<Build> {
        let path: PathBuf = py.import("optimist._optimist")?.getattr("__file__")?.extract()?;
        Ok(py.detach(|| fs::read(path).map_or_else(|_| Build::unrepeatable(), Build::identified_by)))
    })?;
    Ok(build.clone())
}
