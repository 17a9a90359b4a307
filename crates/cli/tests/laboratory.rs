//! Runs experiments with the built command, as a user would.

mod choices;
#[cfg(unix)]
mod disk;
mod help;
mod home;
mod pictures;
mod plot;
mod report;
#[cfg(unix)]
mod stopping;
mod summary;
mod theory;
