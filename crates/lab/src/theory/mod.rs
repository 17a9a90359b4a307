//! The theory of logistic bandits, computable: what it says of an instance, to be held beside what happened.

pub mod hard;
pub mod lower;
pub mod phase;
pub mod upper;
