//! A sign of life from work that takes long: a bar where somebody watches, now and then a line where there is no terminal.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use optimist_lab::report::{count, duration};

use crate::say;

/// Work expected to take longer than this is worth a line.
const LONG: Duration = Duration::from_secs(1);
/// The expectation is first formed after this time.
const SAMPLE: Duration = Duration::from_millis(200);

/// Where there is no terminal: seconds from one line to the next. Work that is shorter leaves no trace in a log.
const EVERY: u64 = 60;

/// Lines on standard error for whoever reads it later or from afar: a file, a scheduler, a build server.
pub(crate) struct Lines {
    start: Instant,
    /// What is being done.
    label: String,
    total: u64,
    /// What is counted, in the plural.
    unit: &'static str,
    /// Seconds from the start to the next line.
    next: AtomicU64,
}

impl Lines {
    /// Lines about work of so many units, which begins now; none if standard error is a terminal, which gets a bar.
    pub(crate) fn unless_terminal(label: &str, total: usize, unit: &'static str) -> Option<Self> {
        (!stderr().is_terminal()).then(|| Self::new(label, total, unit))
    }

    fn new(label: &str, total: usize, unit: &'static str) -> Self {
        let (start, next) = (Instant::now(), AtomicU64::new(EVERY));
        Self { start, label: label.to_owned(), total: total as u64, unit, next }
    }

    /// So many units are done: says so if it is time for a line, in the words of `counted` if it has some. Threads may call
    /// this at once.
    pub(crate) fn update(&self, done: u64, counted: impl FnOnce() -> Option<String>) {
        if let Some(line) = self.line(self.start.elapsed(), done, counted) {
            say("progress", line);
        }
    }

    /// The line for this time, unless it is too early or another thread has printed it.
    fn line(&self, elapsed: Duration, done: u64, counted: impl FnOnce() -> Option<String>) -> Option<String> {
        let (now, due) = (elapsed.as_secs(), self.next.load(Ordering::Relaxed));
        if now < due || done >= self.total {
            return None;
        }
        self.next.compare_exchange(due, now + EVERY, Ordering::Relaxed, Ordering::Relaxed).ok()?;
        let share = done as f64 / self.total as f64;
        let left = if done == 0 {
            String::new()
        } else {
            format!(", about {} left", duration(elapsed.as_secs_f64() * (1.0 - share) / share))
        };
        let Self { label, unit, .. } = self;
        let done = counted().unwrap_or_else(|| format!("{} of {} {unit}", count(done), count(self.total)));
        let (percent, elapsed) = (100.0 * share, duration(elapsed.as_secs_f64().round()));
        Some(format!("{label}: {done}, {percent:.0}%, {elapsed} elapsed{left}"))
    }
}

/// Counts steps, and tells of them on standard error once they are expected to take long.
pub(crate) struct Progress {
    start: Instant,
    total: usize,
    lines: Option<Lines>,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A count of `total` equal steps.
    pub(crate) fn new(total: usize) -> Self {
        Self { start: Instant::now(), total, lines: Lines::unless_terminal("plan", total, "arms"), bar: None }
    }

    /// `done` steps are done.
    pub(crate) fn update(&mut self, done: usize) {
        if let Some(lines) = &self.lines {
            lines.update(done as u64, || None);
        } else if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        } else {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_once_a_minute() {
        let lines = Lines::new("plan", 2_000, "arms");
        let at = |seconds: u64, done| lines.line(Duration::from_secs(seconds), done, || None);
        assert_eq!(at(59, 100), None, "short work is silent");
        assert_eq!(at(60, 100).as_deref(), Some("plan: 100 of 2,000 arms, 5%, 60 s elapsed, about 19 min left"));
        assert_eq!((at(60, 100), at(119, 500)), (None, None), "one line, whoever asks");
        assert_eq!(
            at(150, 1_000).as_deref(),
            Some("plan: 1,000 of 2,000 arms, 50%, 2.50 min elapsed, about 2.50 min left")
        );
        assert_eq!(at(500, 2_000), None, "what comes next says that it is done");
    }

    #[test]
    fn lines_count_what_people_count() {
        let lines = Lines::new("kappa-50", 100_000, "rounds");
        let line = lines.line(Duration::from_secs(90), 25_000, || Some("12 of 50 runs".to_owned()));
        assert_eq!(line.as_deref(), Some("kappa-50: 12 of 50 runs, 25%, 90 s elapsed, about 4.50 min left"));
    }

    #[test]
    fn nothing_is_expected_before_anything_is_done() {
        let lines = Lines::new("paper", 2_000, "rounds");
        let line = lines.line(Duration::from_secs(60), 0, || None);
        assert_eq!(line.as_deref(), Some("paper: 0 of 2,000 rounds, 0%, 60 s elapsed"));
    }
}
