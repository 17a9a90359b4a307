//! All tests of the tables in one binary: it is linked once.
//!
//! `cargo test -p optimist-tables --test all csv::` runs some of them. A new file needs a line here.

mod csv;
mod dsjson;
mod guessing;
mod gzip;
mod held;
mod hostile;
mod json_lines;
mod parquet;
mod round_trip;
mod sources;
mod written;

/// A file that no line above names would be full of tests that never run.
#[test]
fn every_file_is_named_here() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let is_named = include_str!("all.rs").contains(&format!("\nmod {module};"));
        assert!(is_named || module == "all", "tests/{name}: add \"mod {module};\" to tests/all.rs");
    }
}
