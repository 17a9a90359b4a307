//! The theory of logistic bandits, computable: what it says of an instance, to be held beside what happened.

pub mod beside;
pub mod constants;
pub mod graves_lai;
pub mod hard;
pub mod lower;
pub mod phase;
pub mod potential;
pub mod statement;
pub mod upper;

pub use constants::{ArmFacts, Constants, OptimalArm};
pub use statement::{Effort, Statement};
