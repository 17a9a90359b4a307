//! All tests of the laboratory in one binary: it is linked once, and its tests share the cores.
//!
//! `cargo test -p optimist-lab --test all theory::` runs some of them. A new file needs a line here.

mod bounds;
mod comparison;
mod constants;
mod differences;
mod experiment_files;
mod graves_lai;
mod instance;
mod learning;
#[cfg(feature = "replay")]
mod replay;
mod results;
mod simulation;
mod theory;

/// A file that no line above names would be full of tests that never run.
#[test]
fn every_file_is_named_here() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.starts_with('.') || name == "snapshots" {
            continue; // Snapshots, and what a failed one leaves behind.
        }
        let module = name.trim_end_matches(".rs");
        let is_named = include_str!("all.rs").contains(&format!("\nmod {module};"));
        assert!(is_named || module == "all", "tests/{name}: add \"mod {module};\" to tests/all.rs");
    }
}
