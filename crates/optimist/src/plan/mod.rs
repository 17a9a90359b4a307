//! Planning: which arm is best for the most favourable parameter that the data still allow.

mod answers;
mod dual;
mod lazy;
mod level_model;
mod outer;
pub mod support;
mod unbounded;

pub use answers::{Answers, BestArm, Interval, Verdict};
pub use lazy::{Plan, Planner};
pub use support::{Support, SupportSolver, SupportStatus, Target, WarmStart};
