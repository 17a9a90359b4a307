//! The laboratory of Optimist: environments whose parameter is known, runs of policies in them, results as data,
//! figures and a report. The core library knows nothing of it.

pub mod error;
pub mod experiment;
pub mod outcome;
pub mod record;
pub mod results;
pub mod statistics;

pub use error::{Error, Result};
pub use experiment::Experiment;
pub use outcome::Outcome;
