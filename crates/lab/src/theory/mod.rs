//! The theory of logistic bandits, computable: what it says of an instance, to be held beside what happened.

pub mod comparison;
mod constants;
pub mod graves_lai;
pub mod lower;
mod question;
mod statement;
pub mod upper;

pub use constants::{ArmFacts, InstanceConstants, OptimalArm};
pub use question::{Asked, AskedArms, statements};
pub use statement::{Effort, Statement};
