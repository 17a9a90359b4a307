//! A directory of results: the experiment, the finished runs, and whatever is made of them.
//!
//! Every finished run is one line of `runs.log`, appended at once and never changed: a checksum and the run as JSON. What
//! is damaged or half written is skipped and run again. A line is found by the fingerprint of everything that decides the
//! run, so that a policy or an environment may be added to an experiment, and only what is new is run.

mod directory;
mod fingerprint;
mod log;

pub use directory::{Directory, Warnings, check_free, temporary_in, write_whole};
pub use fingerprint::fingerprint;
