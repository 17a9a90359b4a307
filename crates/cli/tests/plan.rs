//! Runs the built command as a user would.

#[path = "plan/answers.rs"]
mod answers;
#[path = "plan/command.rs"]
mod command;
#[path = "plan/files.rs"]
mod files;
#[path = "plan/nasty.rs"]
mod nasty;
#[path = "plan/refusals.rs"]
mod refusals;
