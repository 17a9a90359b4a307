//! The pictures of the documentation.

use std::fs;
use std::path::{Path, PathBuf};

use super::home::{Home, SMALL};
use crate::command::stderr;

/// A picture as it is in the repository.
fn documented(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images").join(name)
}

#[test]
fn the_picture_of_the_confidence_sets_is_the_one_in_the_documentation() {
    let home = Home::with(SMALL);
    assert_eq!(home.answer(&["pictures", "--only", "confidence", "--out", "drawn"]), "drawn/confidence.svg\n");
    let drawn = home.read("drawn/confidence.svg");
    let kept = fs::read_to_string(documented("confidence.svg")).expect("a picture");
    assert!(drawn == kept, "docs/images/confidence.svg is not what the program draws: run `make pictures`");
}

#[test]
fn figures_of_the_paper_come_from_its_report() {
    let home = Home::with(SMALL);
    let names = ["paper", "decomposition", "bounds", "lower-bound", "transitory"];
    let only = names.join(",");
    // No report: one line says what to do, and nothing is written.
    let output = home.run(&["pictures", "--only", &only, "--out", "drawn"]);
    let message = stderr(&output);
    assert_eq!((output.status.code(), message.lines().count()), (Some(0), 1), "{message}");
    assert!(message.contains("optimist paper") && names.iter().all(|name| message.contains(name)), "{message}");
    assert!(output.stdout.is_empty() && !home.path("drawn").exists());
    // The smallest report has all of them.
    home.answer(&["paper", "--out", "report", "--runs", "2", "--horizon", "50"]);
    let paths = home.answer(&["pictures", "--only", &only, "--paper", "report", "--out", "drawn"]);
    assert_eq!(paths.lines().count(), names.len(), "{paths}");
    let [drawn, figure] = ["drawn/lower-bound.svg", "report/figures/lower-bound-d-2.svg"].map(|name| home.read(name));
    assert_eq!(drawn, figure);
}

#[test]
fn the_picture_of_the_peers_comes_from_their_table() {
    let home = Home::with(SMALL);
    // No table: one line says what to do, and nothing is written.
    let output = home.run(&["pictures", "--only", "peers", "--out", "drawn"]);
    let message = stderr(&output);
    assert_eq!((output.status.code(), message.lines().count()), (Some(0), 1), "{message}");
    let parts = ["peers skipped", "docs/results/peers.csv", "make bench-peers"];
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    assert!(output.stdout.is_empty() && !home.path("drawn").exists());
    let header = "library,setting,shown,mistakes,error,microseconds,linear";
    let write = |row: &str| fs::write(home.path("peers.csv"), format!("{header}\n{row}\n")).expect("a table");
    let draw = ["pictures", "--only", "peers", "--peers", "peers.csv", "--out", "drawn"];
    write("Optimist,bayes-ucb,true,0.2,0.01,5,true");
    assert_eq!(home.answer(&draw), "drawn/peers.svg\n");
    assert!(home.read("drawn/peers.svg").contains(">bayes-ucb<"));
    write("Optimist,bayes-ucb,true,0.2,0.01,fast,true");
    let message = home.refused(&draw);
    assert!(message.contains("peers.csv, line 2: microseconds is \"fast\""), "{message}");
}

#[test]
fn what_is_not_there_is_refused() {
    let home = Home::with(SMALL);
    let message = home.refused(&["pictures", "--peers", "nowhere"]);
    assert!(message.contains("nowhere") && message.contains("make bench-peers"), "{message}");
    let message = home.refused(&["pictures", "--paper", "nowhere"]);
    assert!(message.contains("nowhere") && message.contains("optimist paper"), "{message}");
    let message = home.refused(&["pictures", "--only", "confidence,moon"]);
    assert!(message.contains("moon") && message.contains("lower-bound"), "{message}");
}

/// What the documentation shows can be drawn, and what can be drawn is shown.
#[test]
fn every_picture_of_the_documentation_has_a_name() {
    let mut kept: Vec<String> = fs::read_dir(documented(""))
        .expect("pictures")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace(".svg", ""))
        .collect();
    let mut known = optimist_paper::Picture::ALL.map(|picture| picture.name().to_owned());
    kept.sort();
    known.sort();
    assert_eq!(kept, known);
}
