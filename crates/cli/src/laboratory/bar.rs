//! What the user sees of long work, and how they stop it.

use std::io::{IsTerminal, stderr};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use optimist_lab::report::count;
use optimist_lab::simulation::Progress;

use crate::failure::{Failure, Result};
use crate::progress::Lines;
use crate::say;

/// Set by the first Ctrl-C; the second one ends the process at once.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Rounds between two touches of the bar, which all threads share.
const BATCH: u64 = 16_384;

/// A progress bar on standard error, or a line now and then if that is no terminal, and Ctrl-C.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// Rounds that the bar has not been told of.
    waiting: AtomicU64,
    /// For where there is no bar.
    lines: OnceLock<Lines>,
    /// Runs that are finished, earlier ones included.
    finished: AtomicUsize,
    /// Runs that there will be in the end.
    runs: AtomicUsize,
}

impl Bar {
    /// A bar that is shown once it is known how many rounds there are; `label` says what is being done.
    pub(crate) fn new(label: &str) -> Self {
        let template = "{msg} {bar:32} {percent:>3}% {per_sec}, {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let style = style.with_key("per_sec", |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
            // Nothing can be done about a terminal that does not take text.
            let _ = write!(out, "{} rounds/s", optimist_lab::report::number(state.per_sec()));
        });
        let target = if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target).with_style(style);
        bar.set_message(label.to_owned());
        let (finished, runs) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { bar, waiting: AtomicU64::new(0), lines: OnceLock::new(), finished, runs }
    }

    /// Runs that are finished, earlier ones included.
    pub(crate) fn finished_runs(&self) -> usize {
        self.finished.load(Ordering::Relaxed)
    }

    /// What lines count: rounds say how much is done, but nobody thinks in rounds.
    fn counted(&self) -> Option<String> {
        let runs = self.runs.load(Ordering::Relaxed) as u64;
        (runs > 0).then(|| format!("{} of {} runs", count(self.finished_runs() as u64), count(runs)))
    }
}

impl Progress for Bar {
    fn expect(&self, rounds: usize) {
        self.bar.set_length(rounds as u64);
        self.bar.reset_elapsed();
        self.bar.enable_steady_tick(Duration::from_millis(250));
        if let Some(lines) = Lines::unless_terminal(&self.bar.message(), rounds, "rounds") {
            // The work is announced once.
            let _ = self.lines.set(lines);
        }
    }

    fn expect_runs(&self, finished: usize, left: usize) {
        self.finished.store(finished, Ordering::Relaxed);
        self.runs.store(finished + left, Ordering::Relaxed);
    }

    fn finished(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    /// Above the bar if there is one, and in any case for good.
    fn note(&self, line: &str) {
        self.bar.suspend(|| say("note", line));
    }

    fn played(&self, rounds: usize) {
        if self.waiting.fetch_add(rounds as u64, Ordering::Relaxed) + rounds as u64 >= BATCH {
            self.bar.inc(self.waiting.swap(0, Ordering::Relaxed));
        }
        if let Some(lines) = self.lines.get() {
            lines.update(self.bar.position() + self.waiting.load(Ordering::Relaxed), || self.counted());
        }
    }

    fn is_stopped(&self) -> bool {
        STOPPED.load(Ordering::Relaxed)
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// From now on Ctrl-C asks the work to stop and keep what is finished.
///
/// # Errors
/// If the system does not let us.
pub(crate) fn catch_interrupts() -> Result<()> {
    let handler = || {
        if STOPPED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler).map_err(|e| Failure::Internal(format!("Ctrl-C cannot be caught: {e}")))
}
