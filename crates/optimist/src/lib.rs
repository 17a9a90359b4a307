//! Logistic bandits: exact optimistic planning with certificates, and any-time-valid answers.

pub mod arms;
mod belief;
pub mod error;
pub mod fit;
pub mod history;
pub mod linalg;
pub mod link;
pub mod loss;
pub mod plan;
pub mod set;
mod trust;

pub use arms::{ArmSet, FiniteArms};
pub use belief::Belief;
pub use error::{Error, Result};
pub use fit::{Estimator, FitStatus, Penalty};
pub use history::History;
