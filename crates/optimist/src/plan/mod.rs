//! Planning: which arm is best for the most favourable parameter that the data still allow.

mod coordinates;
mod dual;
mod level_model;
mod recession;
pub mod support;
mod unbounded;

pub use support::{Support, SupportSolver, SupportStatus, Target, WarmStart};
