//! Long work can be stopped: the interpreter is asked now and then whether somebody pressed Ctrl-C.

use std::time::{Duration, Instant};

use optimist_engine::Error;
use pyo3::prelude::*;

use crate::errors::Fault;

/// Time between two looks.
const PATIENCE: Duration = Duration::from_millis(50);

/// When somebody last looked.
pub(super) struct Watch(Instant);

impl Watch {
    pub(super) fn new() -> Self {
        Self(Instant::now())
    }

    /// Stops if the user has had enough. Nothing that questions need may be locked meanwhile: this waits for the interpreter.
    pub(super) fn look(&mut self) -> Result<(), Stopped> {
        if self.0.elapsed() < PATIENCE {
            return Ok(());
        }
        let signals = Python::attach(|py| py.check_signals());
        self.0 = Instant::now();
        signals.map_err(Stopped::Interrupted)
    }
}

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
