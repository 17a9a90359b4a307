//! All tests of the command in one binary: it is linked once, and its tests share the cores.
//!
//! `cargo test -p optimist-cli --test all plan::` runs some of them. A new file needs a line here.

mod command;
mod exit_codes;
mod laboratory;
mod new_policy;
mod paper;
mod plan;
mod policies;
mod replay;

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
        assert!(is_named || module == "all", "tests/{name}: add \"mod {module};\" to tests/all.rs");
    }
}
