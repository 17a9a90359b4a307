//! Whose turn it is to change the engine.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// One thread at a time. A thread that has the turn is refused a second one instead of waiting for itself: a signal handler may
/// run in the middle of a long change.
#[derive(Default)]
pub(super) struct Turn {
    turn: Mutex<()>,
    holder: Mutex<Option<ThreadId>>,
}

/// The turn, until it is dropped.
pub(super) struct Taken<'a> {
    of: &'a Turn,
    _turn: MutexGuard<'a, ()>,
}

impl Turn {
    /// Waits for the turn.
    pub(super) fn take(&self) -> PyResult<Taken<'_>> {
        let me = thread::current().id();
        if *self.holder() == Some(me) {
            let text = "the engine is at work in this thread: a signal handler can ask it, but not change it meanwhile";
            return Err(PyRuntimeError::new_err(text));
        }
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        *self.holder() = Some(me);
        Ok(Taken { of: self, _turn: turn })
    }

    fn holder(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self.of.holder() = None;
    }
}
