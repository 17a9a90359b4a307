//! A progress line for work that takes long, where somebody watches.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Work expected to take longer than this is worth a line.
const LONG: Duration = Duration::from_secs(1);
/// The expectation is first formed after this time.
const SAMPLE: Duration = Duration::from_millis(200);

/// Counts steps, and draws a line on standard error once they are expected to take long and it is a terminal.
pub(crate) struct Progress {
    start: Instant,
    total: usize,
    watched: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A count of `total` equal steps.
    pub(crate) fn new(total: usize) -> Self {
        Self { start: Instant::now(), total, watched: stderr().is_terminal(), bar: None }
    }

    /// `done` steps are done.
    pub(crate) fn update(&mut self, done: usize) {
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        } else if self.watched {
            let elapsed = self.start.elapsed();
            let expected = elapsed.mul_f64(self.total as f64 / done.max(1) as f64);
            if elapsed > SAMPLE && expected > LONG {
                self.bar = Some(new_bar(self.total, done));
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(total: usize, done: usize) -> ProgressBar {
    let template = "{bar:30} {pos}/{len} arms, {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total as u64).with_style(style).with_position(done as u64)
}

/// A sign of life for work of unknown length, where somebody watches; it goes when it is dropped.
pub(crate) struct Waiting(Option<ProgressBar>);

impl Waiting {
    /// Says what is waited for.
    pub(crate) fn for_what(what: impl Into<String>) -> Self {
        let bar = stderr().is_terminal().then(|| ProgressBar::new_spinner().with_message(what.into()));
        bar.iter().for_each(|bar| bar.enable_steady_tick(SAMPLE));
        Self(bar)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.iter().for_each(ProgressBar::finish_and_clear);
    }
}
