//! Why work has ended before it was done.

use optimist_engine::Error;
use pyo3::prelude::*;

use crate::errors::Fault;

/// Why work has ended before it was done.
pub(super) enum Stopped {
    /// Something was refused.
    Refused {
        error: Error,
        /// Whether the event that it is about is known.
        known: bool,
        /// Which entry of a list it was.
        place: Option<String>,
    },
    /// The user had enough.
    Interrupted(PyErr),
}

/// What the interpreter raised.
impl From<PyErr> for Stopped {
    fn from(error: PyErr) -> Self {
        Self::Interrupted(error)
    }
}

/// What is refused before any event could be known.
impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::refused(error, true)
    }
}

impl Stopped {
    pub(super) fn refused(error: Error, known: bool) -> Self {
        Self::Refused { error, known, place: None }
    }

    /// The same about an entry of a list.
    pub(super) fn at(self, list: &str, entry: usize) -> Self {
        match self {
            Self::Refused { error, known, .. } => {
                Self::Refused { error, known, place: Some(format!("{list}[{entry}]")) }
            }
            interrupted => interrupted,
        }
    }

    /// As the exception that Python sees.
    pub(super) fn fault(self, py: Python<'_>) -> Fault {
        match self {
            Self::Refused { error, known, place } => {
                let fault = Fault::of_event(error, known);
                match place {
                    Some(place) => fault.at(py, &place),
                    None => fault,
                }
            }
            Self::Interrupted(error) => error.into(),
        }
    }
}
