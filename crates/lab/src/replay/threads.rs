//! Tasks on all cores, from one queue, in order.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::Result;

/// Does tasks 0 to `tasks` and returns what came of each; none of those that were not begun because one failed or because
/// `work` said that it is stopped, by returning nothing.
///
/// # Errors
/// Those of the first task, by number, that failed.
pub(super) fn on_cores<T: Send>(
    tasks: usize,
    jobs: Option<NonZero<usize>>,
    work: impl Fn(usize) -> Result<Option<T>> + Sync,
) -> Result<Vec<Option<T>>> {
    let threads = jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Vec<Mutex<Option<Result<T>>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
    let worker = || {
        while !failed.load(Ordering::Relaxed) {
            let task = next.fetch_add(1, Ordering::Relaxed);
            let Some(place) = results.get(task) else { break };
            let result = work(task);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            let Some(result) = result.transpose() else { break };
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    thread::scope(|scope| {
        (0..threads.min(tasks)).for_each(|_| {
            scope.spawn(worker);
        });
    });
    let result = |place: Mutex<Option<Result<T>>>| place.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|place| result(place).transpose()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn tasks_are_done_in_order_and_failures_end_them() {
        let two = NonZero::new(2);
        let squares = on_cores(5, two, |i| Ok(Some(i * i))).unwrap();
        assert_eq!(squares, [0, 1, 4, 9, 16].map(Some));
        let stopped = on_cores(5, NonZero::new(1), |i| Ok((i < 2).then_some(i))).unwrap();
        assert_eq!(stopped, [Some(0), Some(1), None, None, None]);
        let failed = on_cores(5, two, |i| if i == 3 { Err(Error::input("three")) } else { Ok(Some(i)) });
        assert_eq!(failed.unwrap_err().to_string(), "three");
    }
}
