//! Replays small tables and logs with the built command, as a user would.

mod data;
mod labels;
mod logs;
mod refusals;
#[cfg(unix)]
mod stopping;
