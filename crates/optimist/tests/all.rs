//! All tests of the core in one binary: it is linked once, and its tests share the cores.
//!
//! `cargo test -p optimist --test all policies::` runs some of them. A new file needs a line here.

// Shared with the benchmarks one by one, which is why they are not in `common`.
#[path = "common/hand_over.rs"]
mod hand_over;
#[path = "common/simulation.rs"]
mod simulation;

mod allocations;
mod answers;
mod arms;
mod belief;
mod clarabel;
mod common;
mod consolidation;
mod coverage;
mod embedding;
mod errors;
mod examples;
mod fit;
mod history;
mod lemmas;
mod link;
mod planner;
mod policies;
mod posterior;
mod public_data;
mod same_numbers;
mod sets;
mod shapes;
mod soundness;
mod support;
mod without_norm_bound;

/// A file that no line above names would be full of tests that never run.
#[test]
fn every_file_is_named_here() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.starts_with('.') {
            continue; // What a failed snapshot leaves behind.
        }
        let module = name.trim_end_matches(".rs");
        let is_named = include_str!("all.rs").contains(&format!("\nmod {module};"));
        assert!(is_named || ["all", "data"].contains(&module), "tests/{name}: add \"mod {module};\" to tests/all.rs");
    }
}
