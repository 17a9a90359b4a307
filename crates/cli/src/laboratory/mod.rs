//! The commands of the laboratory: run an experiment, merge parts, redraw figures, reproduce the paper.

pub(crate) mod merge;
pub(crate) mod paper;
pub(crate) mod plot;
pub(crate) mod run;
mod show;
mod watch;
