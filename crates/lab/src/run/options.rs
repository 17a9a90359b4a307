//! How an experiment is run.

use std::num::NonZero;
use std::thread;

use super::shard::Shard;

/// How the work is to be done; nothing of this changes a result.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions {
    /// Runs at a time; none for one per core.
    pub jobs: Option<NonZero<usize>>,
    /// The part to do; none for all.
    pub shard: Option<Shard>,
    /// Whether every choice is written down, which needs a directory.
    pub choices: bool,
}

impl RunOptions {
    /// Runs at a time.
    pub(super) fn threads(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
    }
}
