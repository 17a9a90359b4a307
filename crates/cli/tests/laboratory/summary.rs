//! What an experiment comes to: the same figures today and tomorrow, whole or in parts.

use insta::assert_snapshot;
use serde_json::{Number, Value};

use super::home::{Home, SMALL, timeless};
use crate::command::stderr;

/// Six significant digits: the last ones depend on the processor's way of adding.
fn rounded(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let text = format!("{:.5e}", number.as_f64().expect("a number"));
            *number = Number::from_f64(text.parse().expect("a number")).expect("finite");
        }
        Value::Object(map) => map.values_mut().for_each(rounded),
        Value::Array(list) => list.iter_mut().for_each(rounded),
        _ => {}
    }
}

#[test]
fn figures_of_a_small_experiment() {
    let home = Home::with(SMALL);
    let table = home.answer(&["run", "experiment.toml", "--out", "here"]);
    let mut summary = timeless(home.json("here/summary.json"));
    rounded(&mut summary);
    assert_eq!(summary["experiment"]["version"].take(), env!("CARGO_PKG_VERSION"));
    // One build has made all of it; its digest is another one tomorrow.
    let builds = summary.as_object_mut().and_then(|map| map.remove("builds")).expect("builds");
    let [build] = &builds.as_array().expect("a list")[..] else { panic!("{builds}") };
    assert_eq!((&build["runs"], &build["version"]), (&24.into(), &env!("CARGO_PKG_VERSION").into()));
    assert_eq!(build["policies"].as_array().map(Vec::len), Some(4));
    let digest = build["digest"].as_str().expect("a digest");
    assert!(digest.len() == 16 && home.read("here/report.html").contains(&digest[..8]), "{digest}");
    assert_snapshot!("small_summary", serde_json::to_string_pretty(&summary).expect("JSON"));
    // The table for the terminal shows the same means, to three digits.
    let mean = summary["cells"][0]["policies"][0]["regret"]["mean"].as_f64().expect("a mean");
    let line = table.lines().find(|line| line.trim_start().starts_with("optimist ")).expect("a line for it");
    let shown: f64 = line.split_whitespace().nth(2).expect("a mean").parse().expect("a number");
    assert!((shown / mean - 1.0).abs() < 0.01, "{line} {mean}");
    assert!(table.starts_with("In all environments: dimension=2 arms=ball-sample count=8\n\nkappa=20\n"), "{table}");
    assert!(table.contains("\nkappa=200\n"), "{table}");
    assert!(table.trim_end().ends_with("report.html"), "{table}");
}

#[test]
fn results_go_to_a_directory_named_after_the_experiment() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml"]);
    assert!(home.path("results/small-trial-more/report.html").exists());
    // A name without letters is no reason to write elsewhere.
    home.write("odd.toml", &SMALL.replace("Small <trial> & more", "???"));
    home.answer(&["run", "odd.toml"]);
    assert!(home.path("results/unnamed/report.html").exists());
    let foreign = home.files("results").into_iter().filter(|(path, _)| path.parent() == Some(&home.path("results")));
    assert_eq!(foreign.count(), 0);
}

#[test]
fn parts_are_merged_to_the_whole() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "whole", "--jobs", "1"]);
    for part in ["1", "2", "3"] {
        let shard = format!("{part}/3");
        home.answer(&["run", "experiment.toml", "--out", part, "--shard", &shard, "--jobs", "2"]);
    }
    home.answer(&["merge", "3", "1", "2", "--out", "merged", "--parquet"]);
    assert_eq!(home.read("whole/results.csv"), home.read("merged/results.csv"));
    assert_eq!(timeless(home.json("whole/summary.json")), timeless(home.json("merged/summary.json")));
    assert!(home.path("merged/results.parquet").exists());
    // A part is missing: a warning, then the same command as always adds it.
    let output = home.run(&["merge", "1", "2", "--out", "two"]);
    let warning = stderr(&output);
    assert_eq!(output.status.code(), Some(0));
    assert!(warning.starts_with("warning: 16 of 24 runs are there") && warning.lines().count() == 1, "{warning}");
    assert!(home.read("two/report.html").contains("Unfinished: 16 of 24 runs are there."));
    home.answer(&["run", "experiment.toml", "--out", "two"]);
    assert_eq!(home.read("whole/results.csv"), home.read("two/results.csv"));
    assert!(!home.read("two/report.html").contains("Unfinished"));
    let message = home.refused(&["merge", "1", "2", "--out", "1"]);
    assert!(message.starts_with("error: --out 1 is one of the parts"), "{message}");
}

#[test]
fn another_experiment_in_the_same_place_is_refused() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    let before = home.files("here");
    home.write("other.toml", &SMALL.replace("seed = 3", "seed = 4"));
    let message = home.refused(&["run", "other.toml", "--out", "here"]);
    assert!(message.contains("seed is 3 there and 4 here"), "{message}");
    assert_eq!(before, home.files("here"), "nothing is touched");
    home.write("notes.txt", "mine");
    let message = home.refused(&["run", "experiment.toml", "--out", "."]);
    assert!(message.contains("holds something else") && !home.path("runs.log").exists(), "{message}");
    let output = home.run(&["run", "experiment.toml", "--out", "notes.txt/below"]);
    let message = stderr(&output);
    assert_eq!((output.status.code(), message.lines().count()), (Some(1), 1), "{message}");
    assert!(message.contains("notes.txt/below cannot be created"), "{message}");
}

/// File names have an end; a long theta in them must not end the experiment.
#[test]
fn environments_with_long_names_are_published() {
    let theta = vec!["0.1234567"; 60].join(", ");
    let home = Home::with(&format!(
        "name = \"long\"\nruns = 1\nhorizon = 10\n[environment]\ndimension = 60\n\
         arms = {{ kind = \"ball-sample\", count = 3 }}\ntheta = [{theta}]\n[[policy]]\nname = \"greedy\"\n"
    ));
    home.answer(&["run", "experiment.toml", "--out", "here", "--choices"]);
    assert!(home.path("here/report.html").exists());
    assert_eq!(home.files("here/choices").len(), 1);
}
