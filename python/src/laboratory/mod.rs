//! Experiments, replays, plans and theory. What is convenient rather than fast is in `laboratory.py`.

mod attend;
mod build;
mod cells;
mod experiment;
mod job;
mod outcome;
mod own_classes;
mod own_policy;
mod policies;
mod questions;
mod raised;
mod replay;
mod shard;

pub(crate) use experiment::read_experiment;
pub(crate) use job::Job;
pub(crate) use outcome::Outcome;
pub(crate) use own_classes::{known_class, register_class};
pub(crate) use own_policy::INFO as OWN_POLICY;
pub(crate) use policies::policy_entries;
pub(crate) use questions::{plan_problem, theory_instance, theory_statements};
pub(crate) use replay::replay_data;
pub(crate) use shard::play_runs;
