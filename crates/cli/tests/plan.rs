//! Runs the built command as a user would.

mod answers;
mod files;
mod misfit;
mod nasty;
mod refusals;
