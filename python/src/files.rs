//! Stored states, in files and in pickles.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyPermissionError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::errors::{Fault, Result};

/// Writes a file beside its place and then moves it there, so that nobody ever finds half of it.
pub(crate) fn save(py: Python<'_>, path: &Path, bytes: &[u8]) -> Result<()> {
    py.detach(|| write_whole(path, bytes)).map_err(|error| refused(path, "written", &error))
}

/// All bytes of a file.
pub(crate) fn load(py: Python<'_>, path: &Path) -> Result<Vec<u8>> {
    py.detach(|| fs::read(path)).map_err(|error| refused(path, "read", &error))
}

/// What pickle wants: the method of the class that makes an object of its stored state, and that state.
pub(crate) fn pickled<'py, T: PyTypeInfo>(state: Bound<'py, PyBytes>, maker: &str) -> Result<Bound<'py, PyTuple>> {
    let py = state.py();
    let make = py.get_type::<T>().getattr(maker)?;
    Ok(PyTuple::new(py, [make, PyTuple::new(py, [state])?.into_any()])?)
}

fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Several threads may write at once.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let beside = path.with_file_name(name);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&beside, path)).inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// A failure of the file system, as the exception that Python knows.
fn refused(path: &Path, doing: &str, error: &io::Error) -> Fault {
    let text = match error.kind() {
        ErrorKind::NotFound if doing == "written" => {
            format!("{} cannot be written: its directory does not exist", path.display())
        }
        _ => optimist_lab::Error::file(path, doing, error).to_string(),
    };
    Fault::from(match error.kind() {
        ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
        ErrorKind::PermissionDenied => PyPermissionError::new_err(text),
        _ => PyOSError::new_err(text),
    })
}
