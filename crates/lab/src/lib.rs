//! The laboratory of Optimist: environments whose parameter is known, runs of policies in them, results as data,
//! figures and a report. The core library knows nothing of it.
//!
//! An experiment goes through these rooms, and what it becomes on the way:
//!
//! ```text
//! input -> experiment -> simulation -> run -> store -> results -> report
//! text     Experiment    Record        work   Outcome  Summary    pages and files
//!                                      on     in       and        with figure and theory
//!                                      cores  order    tables     beside them
//! ```
//!
//! No room knows one that stands to its right, but for `run`, which puts its runs into a [`store::RunStore`]. Of the rooms
//! beside the way, [`theory`] knows everything up to the results, and [`figure`] the theory as well.

pub mod experiment;
pub mod figure;
pub mod input;
pub mod report;
pub mod results;
pub mod run;
pub mod simulation;
pub mod store;
pub mod theory;

mod error;

pub use error::{Error, Result};
pub use experiment::Experiment;
pub use simulation::Instance;
pub use store::Outcome;
