//! Runs experiments with the built command, as a user would.

#[path = "laboratory/choices.rs"]
mod choices;
#[path = "plan/command.rs"]
#[allow(dead_code)]
mod command;
#[cfg(unix)]
#[path = "laboratory/disk.rs"]
mod disk;
#[path = "laboratory/help.rs"]
mod help;
#[path = "laboratory/home.rs"]
mod home;
#[path = "laboratory/plot.rs"]
mod plot;
#[path = "laboratory/report.rs"]
mod report;
#[cfg(unix)]
#[path = "laboratory/stopping.rs"]
mod stopping;
#[path = "laboratory/summary.rs"]
mod summary;
#[path = "laboratory/theory.rs"]
mod theory;
