//! The laboratory of Optimist: environments whose parameter is known, runs of policies in them, results as data,
//! figures and a report. The core library knows nothing of it.
//!
//! An experiment goes through these rooms; below each stands what it makes:
//!
//! ```text
//! input --> experiment --> simulation --> run ------> store --> results ---> report
//! nodes     Experiment     Record         all runs    Outcome   Summary,     pages,
//!                                         on cores              tables       files
//!                                                         theory and figure beside it
//! ```
//!
//! No room knows one to its right, but for `run`, which hands its runs to a [`store::RunStore`]. Of the two beside the way,
//! [`theory`] knows everything up to the results, and [`figure`] knows theory as well. `replay` is a house of its own: it sends
//! tables and logs through the engine, and uses the figures and the pages. [`planning`] is a room apart, for a
//! single question about observations.

pub mod experiment;
pub mod figure;
pub mod input;
pub mod planning;
#[cfg(feature = "replay")]
pub mod replay;
pub mod report;
pub mod results;
pub mod run;
pub mod simulation;
pub mod store;
pub mod theory;

mod build;
mod error;

pub use build::Build;
pub use error::{Error, Result};
pub use experiment::Experiment;
pub use simulation::Instance;
pub use store::Outcome;
