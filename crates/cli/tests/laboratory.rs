//! Runs experiments with the built command, as a user would.

mod browser;
#[cfg(target_os = "linux")]
mod builds;
mod choices;
#[cfg(unix)]
mod disk;
mod help;
pub(crate) mod home;
mod pictures;
mod plot;
mod report;
#[cfg(unix)]
mod stopping;
mod summary;
mod table;
mod theory;
#[cfg(unix)]
mod watching;
