//! Planning: which arm is best for the most favourable parameter that the data still allow.

mod ball;
mod branch;
mod branch_search;
mod cell;
mod cones;
mod decrement_ascent;
mod dual;
mod frame;
mod level_model;
mod farthest;
mod ranked;
pub mod support;
mod unbounded;

pub use ball::{BallPlan, BallPlanner, BallStatus};
pub use branch::{BranchChoice, BranchPlan, BranchPlanner, BranchStatus};
pub use support::{Support, SupportSolver, SupportStatus, Target, WarmStart};
