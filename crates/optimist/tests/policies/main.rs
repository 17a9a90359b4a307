//! The policies: conformance of all of them, and each against a slow computation of its own.

#[path = "../common/simulation.rs"]
mod simulation;
#[path = "../../benches/regret/world.rs"]
mod world;

mod bernstein;
mod conformance;
mod coverage;
mod one_pass;
mod optimism;
mod own;
mod regret;
mod sampling;
