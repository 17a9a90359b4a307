//! Where input comes from and output goes, and what the command says about itself.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::command::{numbers, optimist, refusal, run, stderr};

const PROBLEM: &str = r#"{"dimension": 1, "arms": [[1], [2]], "ids": ["a", "b, \"c\""], "set": {"norm_bound": 1}}"#;

fn example() -> String {
    format!("{}/../../examples/plan.json", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_example_runs() {
    let output = run(&["plan", &example()], b"");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["arms"].as_array().unwrap().len(), 6);
    assert!(answer["arms"][0]["id"].is_string());
}

#[test]
fn a_file_and_standard_input_give_the_same() {
    let text = fs::read(example()).unwrap();
    assert_eq!(run(&["plan", &example()], b"").stdout, run(&["plan", "-"], &text).stdout);
    let marked = [b"\xef\xbb\xbf", text.as_slice()].concat();
    assert_eq!(run(&["plan", "-"], &text).stdout, run(&["plan", "-"], &marked).stdout, "with a byte-order mark");
}

#[test]
fn pretty_changes_only_the_space() {
    let parse =
        |arguments: &[&str]| serde_json::from_slice::<Value>(&run(arguments, PROBLEM.as_bytes()).stdout).unwrap();
    assert_eq!(parse(&["plan", "-"]), parse(&["plan", "-", "--pretty"]));
    assert!(run(&["plan", "-", "--pretty"], PROBLEM.as_bytes()).stdout.starts_with(b"{\n  \"estimate\""));
}

fn table(problem: &str) -> String {
    let output = run(&["plan", "-", "--csv"], problem.as_bytes());
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_table_has_a_line_for_each_arm() {
    insta::assert_snapshot!(table(PROBLEM), @r#"
    id,value,upper_bound,status,lower,upper,chosen,warning
    a,1.0,1.0,corner,0.2689414213699951,0.7310585786300049,false,
    "b, ""c""",2.0,2.0,corner,0.11920292202211755,0.8807970779778823,true,
    "#);
    insta::assert_snapshot!(table(r#"{"dimension": 1, "arms": [[1]]}"#), @r"
    index,value,upper_bound,status,lower,upper,chosen,warning
    0,,,unbounded,0.0,1.0,true,
    ");
}

fn write_to(path: &Path) -> std::process::Output {
    run(&["plan", "-", "--out", path.to_str().unwrap()], PROBLEM.as_bytes())
}

#[test]
fn out_replaces_a_file_and_leaves_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("answer.json");
    fs::write(&file, "old").unwrap();
    let output = write_to(&file);
    assert_eq!((output.status.code(), output.stdout.len(), stderr(&output).as_str()), (Some(0), 0, ""));
    assert_eq!(fs::read(&file).unwrap(), run(&["plan", "-"], PROBLEM.as_bytes()).stdout);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn out_is_untouched_by_bad_input() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("answer.json");
    fs::write(&file, "old").unwrap();
    refusal(&run(&["plan", "-", "--out", file.to_str().unwrap()], b"{}"));
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn out_does_not_replace_the_problem() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("problem.json");
    fs::write(&file, PROBLEM).unwrap();
    let detour = directory.path().join(".").join("problem.json");
    for out in [&file, &detour] {
        let message = refusal(&run(&["plan", file.to_str().unwrap(), "--out", out.to_str().unwrap()], b""));
        assert!(message.ends_with("problem.json: --out is the problem itself, which would be lost: give another file"));
        assert_eq!(fs::read_to_string(&file).unwrap(), PROBLEM);
    }
}

#[cfg(unix)]
#[test]
fn out_does_not_replace_the_problem_through_a_link() {
    let directory = tempfile::tempdir().unwrap();
    let (file, link) = (directory.path().join("problem.json"), directory.path().join("link.json"));
    fs::write(&file, PROBLEM).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for (input, out) in [(&file, &link), (&link, &file)] {
        refusal(&run(&["plan", input.to_str().unwrap(), "--out", out.to_str().unwrap()], b""));
        assert_eq!(fs::read_to_string(&file).unwrap(), PROBLEM);
    }
}

#[test]
fn out_that_cannot_be_written_is_a_failure_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    for (path, why) in [
        (directory.path().join("none/answer.json"), "directory does not exist"),
        (directory.path().into(), "is a directory"),
    ] {
        let output = write_to(&path);
        let message = stderr(&output);
        assert_eq!((output.status.code(), output.stdout.len(), message.lines().count()), (Some(1), 0, 1), "{message}");
        assert!(message.contains(why) && message.contains(path.to_str().unwrap()), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn out_has_the_usual_permissions_and_does_not_replace_devices() {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let directory = tempfile::tempdir().unwrap();
    let (file, other) = (directory.path().join("answer.json"), directory.path().join("other"));
    fs::write(&other, "").unwrap();
    write_to(&file);
    assert_eq!(fs::metadata(&file).unwrap().mode(), fs::metadata(&other).unwrap().mode());
    assert_eq!(write_to(Path::new("/dev/null")).status.code(), Some(0));
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[cfg(unix)]
#[test]
fn out_writes_through_a_link() {
    let directory = tempfile::tempdir().unwrap();
    let (file, link) = (directory.path().join("answer.json"), directory.path().join("link.json"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(write_to(&link).status.code(), Some(0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read(&file).unwrap().starts_with(b"{\"estimate\""));
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("no\nsuch.json");
    let message = refusal(&run(&["plan", missing.to_str().unwrap()], b""));
    assert!(message.contains("no\\nsuch.json: no such file"), "{message}");
    let message = refusal(&run(&["plan", directory.path().to_str().unwrap()], b""));
    assert!(message.contains("a directory: give a JSON file"), "{message}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for arguments in [&["plan", &example()][..], &["radii"], &["policies"], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = optimist(arguments).stdin(Stdio::null()).stdout(writer).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn the_problem_in_the_help_runs_and_every_field_is_explained() {
    let help = String::from_utf8(run(&["plan", "--help"], b"").stdout).unwrap();
    let (start, end) = (help.find("\n{\n").expect("a problem"), help.find("\n}\n").expect("its end"));
    let output = run(&["plan", "-"], &help.as_bytes()[start..end + 2]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let arm = answer["arms"][0].as_object().unwrap();
    for key in answer.as_object().unwrap().keys().chain(arm.keys()) {
        assert!(help[end..].contains(key.as_str()), "{key}");
    }
    assert_eq!(numbers(&answer["estimate"]).len(), 2);
}

#[test]
fn help_and_list_name_every_radius() {
    let json: Vec<Value> = serde_json::from_slice(&run(&["radii", "--json"], b"").stdout).unwrap();
    let texts =
        [run(&["plan", "--help"], b"").stdout, run(&["radii"], b"").stdout].map(|t| String::from_utf8(t).unwrap());
    assert!(!json.is_empty());
    for (radius, text) in json.iter().flat_map(|radius| texts.iter().map(move |text| (radius, text))) {
        assert!(text.contains(radius["name"].as_str().unwrap()) && text.contains(radius["summary"].as_str().unwrap()));
    }
}

#[test]
fn the_version_is_one_line() {
    let version = String::from_utf8(run(&["--version"], b"").stdout).unwrap();
    assert_eq!(version, format!("optimist {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_arguments_are_bad_input() {
    for arguments in [&["plan"][..], &["plan", "-", "--csv", "--pretty"], &["plot"], &["plan", "-", "--nonsense"]] {
        let output = run(arguments, b"");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
}
