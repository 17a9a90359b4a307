//! Results that can be read while the work goes on.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use optimist_lab::report::publish_unfinished;
use optimist_lab::run::Remaining;
use optimist_lab::store::{Directory, RunStore};
use optimist_lab::{Error, Experiment, Outcome};

use super::bar::Bar;

/// A refresh may take this part of the time between two: so much of one core goes into them at most.
const SHARE: u32 = 30;

/// How results are refreshed.
#[derive(Clone, Copy)]
pub(super) struct Refresh {
    /// Time between two refreshes, more if they take long; none for never.
    pub(super) every: Option<Duration>,
    /// Whether the page is there from the beginning and reloads itself.
    pub(super) watch: bool,
    /// Whether there is a table as Parquet.
    pub(super) parquet: bool,
}

/// Does the work and refreshes the results meanwhile. What became of the work, and what went wrong with the refreshing.
pub(super) fn run_refreshing(
    remaining: &Remaining<'_>,
    bar: &Bar,
    directory: &Directory,
    experiment: &Experiment,
    refresh: Refresh,
) -> (Result<Outcome, Error>, Option<String>) {
    let Some(every) = refresh.every else { return (remaining.run(bar), None) };
    let (over, is_over) = channel::<()>();
    let (outcome, refreshed) = thread::scope(|scope| {
        let refreshing = Refreshing { bar, directory, experiment, refresh, every, written: Cell::new(false) };
        let thread = scope.spawn(move || refreshing.go_on(&is_over));
        let outcome = remaining.run(bar);
        drop(over);
        // A panic there is reported by its own thread, and is no reason to lose the results.
        (outcome, thread.join().unwrap_or(Ok(false)))
    });
    let failed = match (&outcome, refreshed) {
        // Nothing comes after this: the last state, and no page that waits for more.
        (Err(_), Ok(true)) => directory
            .outcome(experiment)
            .and_then(|so_far| publish_unfinished(directory, &so_far, refresh.parquet, None))
            .err(),
        (_, refreshed) => refreshed.err(),
    };
    (outcome, failed.map(|error| format!("results could not be refreshed while it ran: {error}")))
}

struct Refreshing<'a> {
    bar: &'a Bar,
    directory: &'a Directory,
    experiment: &'a Experiment,
    refresh: Refresh,
    every: Duration,
    written: Cell<bool>,
}

impl Refreshing<'_> {
    /// Refreshes until the work is over, and says whether anything was written.
    fn go_on(&self, is_over: &Receiver<()>) -> Result<bool, Error> {
        let mut known = self.bar.finished_runs();
        let mut wait = if self.refresh.watch { self.write()? } else { self.every };
        while is_over.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            let finished = self.bar.finished_runs();
            if finished != known {
                known = finished;
                wait = self.write()?;
            }
        }
        Ok(self.written.get())
    }

    /// Writes the results of the finished runs; how long to wait before the next time.
    fn write(&self) -> Result<Duration, Error> {
        let start = Instant::now();
        let so_far = self.directory.outcome(self.experiment)?;
        let seconds = self.refresh.watch.then(|| self.every.as_secs().max(1));
        publish_unfinished(self.directory, &so_far, self.refresh.parquet, seconds)?;
        self.written.set(true);
        Ok(self.every.max(SHARE * start.elapsed()))
    }
}
