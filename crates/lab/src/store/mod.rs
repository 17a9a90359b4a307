//! Where finished runs are kept: in memory, or in a directory of results with whatever is made of them.
//!
//! In a directory every finished run is one line of `runs.log`, appended at once and never changed: a checksum and the run
//! as JSON. What is damaged or half written is skipped and run again. A run is found by everything that decides it: a
//! fingerprint of what the experiment asks for, so that a policy or an environment may be added and only what is new is run,
//! and the build that made it, so that a number never outlives the code behind it.

mod choices;
mod counted;
mod directory;
mod document;
mod files;
mod fingerprint;
mod hash;
mod memory;
mod merge;
mod outcome;
mod parcel;
mod run_log;
mod run_store;
mod runs;

pub(crate) use choices::{ChoiceFile, choices_path};
pub use counted::Counted;
pub use directory::{Directory, Warnings, check_free};
pub use files::{slug, temporary_in, write_whole};
pub(crate) use fingerprint::fingerprint;
pub(crate) use hash::checksum;
pub use memory::Memory;
pub use merge::{merge, save};
pub use outcome::{BuildRuns, EnvironmentRuns, Outcome, PolicyRuns};
pub(crate) use parcel::add_to_parcel;
pub use parcel::{pack, unpack};
pub use run_store::{RunKey, RunStore};
