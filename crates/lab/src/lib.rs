//! The laboratory of Optimist: environments whose parameter is known, runs of policies in them, results as data,
//! figures and a report. The core library knows nothing of it.

pub mod error;
pub mod experiment;
pub mod figure;
pub mod instance;
pub mod outcome;
pub mod paper;
pub mod record;
pub mod statistics;

pub use error::{Error, Result};
pub use experiment::Experiment;
pub use instance::Instance;
pub use outcome::Outcome;
