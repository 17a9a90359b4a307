//! Long work can be stopped: the interpreter is asked now and then whether somebody pressed Ctrl-C.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Time between two looks.
const PATIENCE: Duration = Duration::from_millis(50);

/// When somebody last looked.
#[derive(Debug)]
pub(crate) struct Watch(Instant);

impl Watch {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// What the interpreter raises if the user has had enough. Nothing that questions need may be locked meanwhile: this waits for
    /// the interpreter.
    pub(crate) fn look(&mut self) -> PyResult<()> {
        if self.0.elapsed() < PATIENCE {
            return Ok(());
        }
        let signals = Python::attach(|py| py.check_signals());
        self.0 = Instant::now();
        signals
    }
}
