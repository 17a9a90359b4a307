//! Running an experiment: the runs that are still to do, done on all cores, each kept as soon as it is finished.

mod elsewhere;
mod estimate;
mod options;
mod reuse;
mod shard;
mod work;

pub use elsewhere::{Place, play_runs};
pub use estimate::{Estimate, estimate};
pub use options::RunOptions;
pub use reuse::Reuse;
pub use shard::Shard;
pub use work::{Remaining, Work};

use crate::error::Result;
use crate::experiment::Experiment;
use crate::simulation::Progress;
use crate::store::{Outcome, RunStore};

/// Runs what is left to do of an experiment, and gives back all of it.
///
/// # Errors
/// If a policy refuses its options, the problem or the arms, a run cannot be kept, or `progress` stops the work. What is
/// finished stays in the store.
pub fn run(
    experiment: &Experiment,
    options: &RunOptions,
    store: &dyn RunStore,
    progress: &dyn Progress,
) -> Result<Outcome> {
    Work::new(experiment, options)?.run(store, progress)
}
