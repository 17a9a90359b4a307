//! The laboratory of Optimist: environments whose parameter is known, runs of policies in them, results as data,
//! figures and a report. The core library knows nothing of it.

pub mod choices;
pub mod error;
pub mod experiment;
pub mod figure;
pub mod instance;
pub mod merge;
pub mod outcome;
pub mod paper;
pub mod publish;
pub mod record;
pub mod report;
pub mod results;
pub mod shard;
pub mod simulation;
pub mod statistics;
pub mod store;
pub mod summary;
pub mod theory;
pub mod work;

pub use error::{Error, Result};
pub use experiment::Experiment;
pub use instance::Instance;
pub use outcome::Outcome;
