#![allow(dead_code, unreachable_pub)]
//! The time of a thread: on a shared machine a clock tells mostly about the neighbours.

use rustix::time::{ClockId, clock_gettime};

/// Microseconds that the processor has spent on this thread.
pub fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    1e6 * time.tv_sec as f64 + 1e-3 * time.tv_nsec as f64
}
