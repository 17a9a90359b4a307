//! The theory of logistic bandits, computable: what it says of an instance, to be held beside what happened.

pub mod constants;
pub mod lower;
pub mod phase;
pub mod upper;

pub use constants::{ArmFacts, Constants, OptimalArm};
