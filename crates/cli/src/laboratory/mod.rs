//! The commands of the laboratory: run an experiment, merge parts, redraw figures, reproduce the paper, draw
//! the pictures of the documentation, ask what theory says.

pub(crate) mod bar;
pub(crate) mod columns;
mod finished;
mod live;
mod looks;
pub(crate) mod merge;
pub(crate) mod paper;
pub(crate) mod pictures;
pub(crate) mod plot;
pub(crate) mod run;
mod show;
mod statement;
pub(crate) mod table;
pub(crate) mod theory;

use std::num::NonZero;

/// A number of runs, rounds or threads.
pub(crate) fn at_least_one(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "give a whole number, 1 or more".to_owned())
}
