//! Planning: which arm is best for the most favourable parameter that the data still allow.

mod answers;
mod ball;
mod branch;
mod branch_search;
mod cell;
mod cones;
mod coordinates;
mod decrement_ascent;
mod dual;
mod farthest;
mod frame;
mod lazy;
mod level_model;
mod outer;
mod ranked;
mod recession;
pub mod support;
mod unbounded;

pub use answers::{Answers, BestArm, Interval, Verdict};
pub use ball::{BallPlan, BallPlanner, BallStatus};
pub use branch::{BranchChoice, BranchPlan, BranchPlanner, BranchStatus};
pub use lazy::{Plan, Planner};
pub use support::{Support, SupportSolver, SupportStatus, Target, WarmStart};
