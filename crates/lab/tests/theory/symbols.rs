//! The table of the paper's symbols in docs/theory.md leads to files that are there and speak of what the table says.

use std::fs;
use std::path::Path;

#[test]
fn every_symbol_of_the_paper_has_a_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = fs::read_to_string(root.join("docs/theory.md")).unwrap();
    let (_, table) = document.split_once("## The paper's symbols").expect("the table has a heading");
    let rows = table.lines().filter(|line| line.starts_with("| ") && line.contains("crates/"));
    let mut files = 0;
    for row in rows {
        let file = row.rsplit('`').nth(1).expect("the last column is a file");
        let text = fs::read_to_string(root.join(file)).unwrap_or_else(|e| panic!("{file}: {e}: {row}"));
        assert!(text.starts_with("//!"), "{file} does not say what it is");
        files += 1;
    }
    assert!(files >= 20, "only {files} rows");
}
