//! Another build of the command: the same program with a byte more at its end, which nothing reads but who hashes it.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::{Command, Output};

use super::home::{Home, SMALL, timeless};
use crate::command::{note, refusal, stderr};

/// The other build.
fn another_build(home: &Home) -> PathBuf {
    let path = home.path("another-optimist");
    fs::copy(env!("CARGO_BIN_EXE_optimist"), &path).expect("it can be copied");
    let mut file = OpenOptions::new().append(true).open(&path).expect("it can be changed");
    file.write_all(b"\n").expect("there is room for a byte");
    path
}

fn run_other(home: &Home, arguments: &[&str]) -> Output {
    let build = another_build(home);
    loop {
        match Command::new(&build).args(arguments).current_dir(home.path("")).output() {
            // Another test has started a process while the file was being written, which holds it open for a moment.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            output => return output.expect("the other build starts"),
        }
    }
}

const RUN: [&str; 4] = ["run", "experiment.toml", "--out", "here"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&RUN[..], more].concat()
}

/// The first digits of the build that has made all runs, and its version, as messages have it.
fn shown_build(home: &Home) -> String {
    let summary = home.json("here/summary.json");
    assert_eq!(summary["builds"].as_array().map(Vec::len), Some(1), "{}", summary["builds"]);
    let (digest, version) = (&summary["builds"][0]["digest"], &summary["builds"][0]["version"]);
    format!("{} ({})", &digest.as_str().expect("a digest")[..8], version.as_str().expect("a version"))
}

/// The lines of a table of results without their last columns, the build and kappa, and the builds that it names.
fn table(home: &Home, directory: &str) -> (Vec<String>, BTreeSet<String>) {
    let text = home.read(&format!("{directory}/results.csv"));
    let (header, lines) = text.split_once('\n').expect("a header");
    assert!(header.ends_with(",build,kappa"), "{header}");
    let columns = |line: &str| {
        let mut cells = line.rsplitn(3, ',').skip(1).map(str::to_owned);
        let build = cells.next().expect("a build");
        (cells.next().expect("figures"), build)
    };
    lines.lines().map(columns).unzip()
}

/// Checks that a command did well, with these warnings, and returns its note.
fn noted(output: &Output, warnings: &str) -> String {
    assert_eq!((stderr(output).as_str(), output.status.code()), (warnings, Some(0)));
    note(output)
}

#[test]
fn runs_of_another_build_are_run_again() {
    let home = Home::with(SMALL);
    assert_eq!(noted(&run_other(&home, &RUN), ""), "", "nothing was there");
    let (other, before) = (shown_build(&home), table(&home, "here"));
    assert_eq!(Vec::from_iter(before.1), [&other[..8]], "the table names the build");
    let output = home.run(&RUN);
    let line =
        format!("note: kept 0 of 24 finished runs; 24 runs of build {other} are run again (--keep all keeps them)");
    assert_eq!(noted(&output, ""), line);
    let this = shown_build(&home);
    assert_ne!(this, other);
    let after = table(&home, "here");
    assert_eq!(after.0, before.0, "the code is the same, after all");
    assert_eq!(Vec::from_iter(after.1), [&this[..8]]);
    // Both builds have their runs now.
    assert_eq!(noted(&home.run(&RUN), ""), "note: kept 24 of 24 finished runs: 24 of this build");
    assert_eq!(noted(&run_other(&home, &RUN), ""), "note: kept 24 of 24 finished runs: 24 of this build");
    assert_eq!(shown_build(&home), other);
}

#[test]
fn runs_are_kept_by_the_users_word() {
    let home = Home::with(SMALL);
    run_other(&home, &RUN);
    let other = shown_build(&home);
    let output = home.run(&with(&["--keep", "optimist", "--keep", "greedy, \"as <it> is\""]));
    let words = "--keep optimist --keep greedy, \"as <it> is\"";
    let line = format!(
        "note: kept 12 of 24 finished runs: 12 of build {other} ({words}); 12 runs of build {other} are run again (--keep all \
         keeps them)"
    );
    let warning = format!(
        "warning: 12 runs of another build ({other}) kept by your word ({words}): wrong if the code behind has changed\n"
    );
    assert_eq!(noted(&output, &warning), line);
    let builds = home.json("here/summary.json")["builds"].clone();
    assert_eq!(builds.as_array().map(Vec::len), Some(2), "{builds}");
    let page = home.read("here/report.html");
    assert!(page.contains("Runs of several builds of the program") && page.contains(&other), "{builds}");
    // Who draws the figures anew is told as well.
    let warning = stderr(&home.run(&["plot", "here"]));
    assert!(warning.starts_with("warning: the runs are of 2 builds: ") && warning.contains(&other), "{warning}");
    // Without the word, what was kept is run again too.
    let line = format!(
        "note: kept 12 of 24 finished runs: 12 of this build; 12 runs of build {other} are run again (--keep all keeps them)"
    );
    assert_eq!(noted(&home.run(&RUN), ""), line);
    assert!(!home.read("here/report.html").contains("several builds"));
    home.answer(&["plot", "here"]);
}

#[test]
fn runs_of_this_build_are_run_again_if_asked() {
    let home = Home::with(SMALL);
    home.answer(&RUN);
    let before = (home.read("here/results.csv"), timeless(home.json("here/summary.json")));
    let log = home.read("here/runs.log");
    let output = home.run(&with(&["--rerun", "ofulog-r"]));
    let line = "note: kept 18 of 24 finished runs: 18 of this build; 6 runs of this build are run again (--rerun)";
    assert_eq!(noted(&output, ""), line);
    assert_eq!(before, (home.read("here/results.csv"), timeless(home.json("here/summary.json"))));
    let log_after = home.read("here/runs.log");
    let kept = log.lines().filter(|line| log_after.contains(*line)).count();
    assert_eq!((log_after.lines().count(), kept), (24, 18), "times tell the new runs from the old");
}

#[test]
fn wrong_policies_are_refused_before_anything_is_begun() {
    let home = Home::with(SMALL);
    let message = home.refused(&with(&["--keep", "optimst"]));
    let beginning = "error: --keep is \"optimst\", which is no policy of the experiment: did you mean \"optimist\"?";
    assert!(message.starts_with(beginning), "{message}");
    // It is in the registry, but not in the experiment.
    let message = home.refused(&with(&["--rerun", "uniform"]));
    assert!(message.starts_with("error: --rerun is \"uniform\", which is no policy of the experiment"), "{message}");
    for name in ["all", "optimist"] {
        let message = home.refused(&with(&["--keep", name, "--rerun", name]));
        assert!(message.starts_with("error: both --keep and --rerun ask for the policy \"optimist\""), "{message}");
    }
    assert!(!home.path("here").exists(), "nothing is begun");
}

#[test]
fn parts_of_several_builds_are_merged_with_a_warning() {
    let home = Home::with(SMALL);
    run_other(&home, &["run", "experiment.toml", "--shard", "1/2", "--out", "1"]);
    home.answer(&["run", "experiment.toml", "--shard", "2/2", "--out", "2"]);
    let output = home.run(&["merge", "1", "2", "--out", "whole"]);
    let warning = stderr(&output);
    assert_eq!((output.status.code(), warning.lines().count()), (Some(0), 1), "{warning}");
    assert!(warning.starts_with("warning: the runs are of 2 builds: ") && warning.contains(", 16 runs, "), "{warning}");
    home.answer(&["merge", "1", "2", "--out", "trusted", "--keep", "all"]);
    home.answer(&RUN);
    let (whole, trusted) = (table(&home, "here"), table(&home, "trusted"));
    assert_eq!(whole.0, trusted.0);
    assert_eq!((whole.1.len(), trusted.1.len()), (1, 2), "each run names the build that made it");
    let message = home.refused(&["merge", "1", "2", "--out", "no", "--keep", "nobody"]);
    assert!(message.starts_with("error: --keep is \"nobody\""), "{message}");
}

#[test]
fn the_paper_does_the_same() {
    let home = Home::with("");
    let paper = ["paper", "--out", "report", "--only", "transitory", "--runs", "1", "--horizon", "50"];
    let with = |more: &[&'static str]| [&paper[..], more].concat();
    let message = refusal(&home.run(&with(&["--keep", "optimst"])));
    assert!(message.contains("did you mean \"optimist\"?") && !home.path("report").exists(), "{message}");
    assert_eq!(noted(&run_other(&home, &paper), ""), "");
    let output = home.run(&with(&["--keep", "all"]));
    let (line, warning) = (note(&output), stderr(&output));
    assert!(line.contains(" finished runs: ") && line.ends_with("(--keep all)"), "{line}");
    assert!(warning.starts_with("warning: ") && warning.contains("kept by your word (--keep all)"), "{warning}");
    assert_eq!((output.status.code(), warning.lines().count()), (Some(0), 1), "{warning}");
    let line = noted(&home.run(&paper), "");
    assert!(line.starts_with("note: kept 0 of ") && line.contains("are run again (--keep all keeps them)"), "{line}");
    let line = noted(&home.run(&paper), "");
    assert!(line.ends_with(" of this build"), "{line}");
    assert!(home.read("report/report.html").contains("<dt>Build</dt>"));
}
