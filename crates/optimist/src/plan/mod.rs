//! Planning: which arm is best for the most favourable parameter that the data still allow.
//!
//! - [`SupportSolver`]: the most favourable parameter for one direction, with a certificate.
//! - [`Planner`]: the best of a list of arms, proved, with one or two solves per round.
//! - [`BallPlanner`]: the best arm of the unit ball or sphere.
//! - [`BranchPlanner`]: the same questions over the paper's non-convex set.
//! - [`Answers`]: what a set says about single arms, pairs of arms, and the best arm.
//! - [`Running`]: intervals that never grow, from all looks that were recorded.

mod answers;
mod ball;
mod branch;
mod certificate;
mod floor;
mod glance;
mod lazy;
mod leverage;
mod outer;
mod ranked;
mod running;
mod support;

pub use answers::{Answers, BestArm, Comparison, Interval};
pub use ball::{BallPlan, BallPlanner, BallStatus};
pub use branch::{BranchChoice, BranchPlan, BranchPlanner, BranchStatus};
pub use lazy::{Plan, Planner};
pub use running::Running;
pub use support::{Support, SupportSolver, SupportStatus, Target, WarmStart};
