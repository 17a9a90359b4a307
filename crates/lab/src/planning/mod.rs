//! One question without an experiment: what do these observations say of these arms, and which is to be chosen?

mod answer;
mod misfit;
mod problem;
mod solve;

pub use answer::{ArmPlan, Plan};
pub use problem::PlanInput;
pub use solve::solve;
