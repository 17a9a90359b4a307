//! Long work, while the calling thread listens for signals and tells how far it is.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use optimist_lab::simulation::Progress;
use pyo3::prelude::*;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(50);

/// What workers and the calling thread tell each other.
#[derive(Default)]
pub(super) struct Watch {
    stopped: AtomicBool,
    expected: AtomicUsize,
    played: AtomicUsize,
}

impl Progress for Watch {
    fn expect(&self, rounds: usize) {
        self.expected.store(rounds, Ordering::Relaxed);
    }

    fn played(&self, rounds: usize) {
        self.played.fetch_add(rounds, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl Watch {
    fn look(&self, tell: Option<&Py<PyAny>>) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            let Some(tell) = tell else { return Ok(()) };
            let (played, expected) = (self.played.load(Ordering::Relaxed), self.expected.load(Ordering::Relaxed));
            tell.call1(py, (played, expected)).map(drop)
        })
    }
}

/// Does `work` on a thread of its own without the interpreter. Meanwhile this one listens for signals and calls
/// `tell(played, expected)`. If either raises, the work is asked to stop, and what was raised is returned beside what the work
/// came to.
pub(super) fn attend<T: Send>(
    py: Python<'_>,
    watch: &Watch,
    tell: Option<&Py<PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> (T, Option<PyErr>) {
    py.detach(|| {
        thread::scope(|scope| {
            let (done, is_done) = channel();
            let worker = scope.spawn(move || {
                let result = work();
                // Nobody listens if the other side is unwinding.
                let _ = done.send(());
                result
            });
            let mut raised = None;
            // A worker that panics drops its end, which ends the loop as well.
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none()
                    && let Err(error) = watch.look(tell)
                {
                    watch.stopped.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
            (worker.join().unwrap_or_else(|panic| resume_unwind(panic)), raised)
        })
    })
}
