//! Runs `optimist paper` as a user would, in its smallest form.

use std::fs;
use std::path::Path;

use crate::command::{refusal, run, stderr};

fn paper(out: &Path, more: &[&str]) -> std::process::Output {
    let out = out.to_str().expect("the place is text");
    run(&[&["paper", "--out", out], more].concat(), b"")
}

const SMALL: [&str; 4] = ["--runs", "3", "--horizon", "120"];

#[test]
fn the_paper_becomes_a_page_and_is_not_run_twice() {
    let place = tempfile::tempdir().expect("a place");
    let out = place.path().join("report");
    let output = paper(&out, &SMALL);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    for heading in
        ["experiments", "claims", "confidence sets", "constants mean", "Every policy", "lower bound", "transitory"]
    {
        assert!(page.contains(heading), "{heading}");
    }
    for info in optimist::policy::registry() {
        assert!(page.contains(&format!("<th scope=\"row\">{}</th>", info.name)), "{}", info.name);
    }
    assert!(page.contains("optimist paper --runs 3 --horizon 120"), "the page names the command");
    assert!(!page.contains("NaN") && !page.contains("inf "), "numbers that are none are said in words");
    let figures = fs::read_dir(out.join("figures")).expect("figures").count();
    assert_eq!(figures, 2 * page.matches("<figure>").count(), "every figure of the page is there as SVG and PNG");
    // The second time nothing is left to do, and the page says the same, its times aside.
    let logs = || -> Vec<u64> {
        let entries = fs::read_dir(out.join("data")).expect("data");
        entries.map(|e| fs::metadata(e.expect("an entry").path().join("runs.log")).expect("a log").len()).collect()
    };
    let before = logs();
    assert_eq!(paper(&out, &SMALL).status.code(), Some(0));
    assert_eq!(logs(), before);
}

#[test]
fn one_run_and_ten_rounds_make_a_page_without_nonsense() {
    let place = tempfile::tempdir().expect("a place");
    let output = paper(&place.path().join("report"), &["--runs", "1", "--horizon", "10"]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let page = fs::read_to_string(place.path().join("report/report.html")).expect("a page");
    assert!(!page.contains("NaN") && !page.contains("± inf"), "numbers that are none are said in words");
    assert!(page.contains("cannot be told here"), "one run decides nothing");
}

/// The names of the directories with data, without seed and horizon.
fn data(out: &Path) -> Vec<String> {
    let entries = fs::read_dir(out.join("data")).expect("data");
    let name =
        |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn a_study_can_be_run_by_itself() {
    let place = tempfile::tempdir().expect("a place");
    let out = place.path().join("report");
    let small = ["--runs", "2", "--horizon", "400", "--seed", "3"];
    let output = paper(&out, &[&["--only", "lower-bound"], &small[..]].concat());
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("optimist paper --only lower-bound --runs 2 --horizon 400 --seed 3"), "the command is named");
    assert!(page.contains("No policy escapes") && !page.contains("NaN"));
    for absent in ["Every policy on the same", "confidence sets</h2>", "hidden arm", "claims, held"] {
        assert!(!page.contains(absent), "{absent}");
    }
    assert_eq!(fs::read_dir(out.join("figures")).expect("figures").count(), 4, "one per dimension, as SVG and PNG");
    // d^2 kappa_eps is about 39 for d = 2 and 90 for d = 3: what is shorter is left out.
    let expected = ["2-seed-3-rounds-126", "2-seed-3-rounds-40", "2-seed-3-rounds-400"];
    let expected = [&expected[..], &["3-seed-3-rounds-126", "3-seed-3-rounds-400"]].concat();
    let expected: Vec<String> = expected.iter().map(|end| format!("lower-bound-d-{end}")).collect();
    assert_eq!(data(&out), expected);
    // The other new study goes to the same place.
    let output = paper(&out, &[&["--only", "transitory,lower-bound", "--only", "transitory"], &small[..]].concat());
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("--only lower-bound,transitory") && page.contains("hidden arm") && !page.contains("NaN"));
    assert_eq!(data(&out).len(), 7);
}

#[test]
fn too_few_rounds_for_the_theorem_are_said_in_words() {
    let place = tempfile::tempdir().expect("a place");
    let out = place.path().join("report");
    for _ in 0..2 {
        let output = paper(&out, &["--only", "lower-bound", "--horizon", "20"]);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
        let page = fs::read_to_string(out.join("report.html")).expect("a page");
        assert!(page.contains("there were fewer") && !page.contains("No policy escapes"));
    }
}

#[test]
fn mistakes_are_refused_in_one_line() {
    let place = tempfile::tempdir().expect("a place");
    fs::write(place.path().join("mine.txt"), "mine").expect("a file");
    let message = refusal(&paper(place.path(), &SMALL));
    assert!(message.contains("mine.txt") && message.contains("--out"), "{message}");
    assert_eq!(fs::read_dir(place.path()).expect("a place").count(), 1, "nothing was put there");
    let message = refusal(&paper(&place.path().join("new"), &["--only", "lower"]));
    assert!(["kappas", "policies", "lower-bound", "transitory"].iter().all(|name| message.contains(name)), "{message}");
    for wrong in [["--runs", "0"], ["--horizon", "-5"], ["--quick", "--full"], ["--only", ""]] {
        refusal(&paper(&place.path().join("new"), &wrong));
        assert!(!place.path().join("new").exists(), "{wrong:?}");
    }
}
