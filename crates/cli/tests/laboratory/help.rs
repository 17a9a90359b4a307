//! What the command says of itself, and what it says to wrong arguments.

use insta::assert_snapshot;
use serde_json::Value;

use super::home::{Home, SMALL};

#[test]
fn help_texts() {
    let home = Home::with(SMALL);
    assert_snapshot!("help", home.answer(&["--help"]));
    assert_snapshot!("help_run", home.answer(&["run", "--help"]));
    assert_snapshot!("help_merge", home.answer(&["merge", "--help"]));
    assert_snapshot!("help_plot", home.answer(&["plot", "--help"]));
    assert_snapshot!("help_paper", home.answer(&["paper", "--help"]));
    assert_snapshot!("help_theory", home.answer(&["theory", "--help"]));
}

/// The example of the help text is there to be copied.
#[test]
fn the_example_of_the_help_text_runs() {
    let home = Home::with(SMALL);
    let help = home.answer(&["run", "--help"]);
    let lines = help.lines().skip_while(|line| !line.contains("a TOML file:")).skip(1);
    let example: String = lines.take_while(|l| l.is_empty() || l.starts_with("  ")).map(|l| format!("{l}\n")).collect();
    assert!(example.contains("[[policy]]"), "{help}");
    let short = example.replace("runs = 50", "runs = 2").replace("horizon = 4000", "horizon = 40");
    assert_ne!(short, example);
    home.write("example.toml", &short);
    home.answer(&["run", "example.toml", "--out", "here"]);
}

#[test]
fn the_schema_is_json_schema() {
    let text = Home::with(SMALL).answer(&["run", "--schema"]);
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert!(schema["properties"]["horizon"].is_object() && schema["properties"]["environment"].is_object());
}

#[test]
fn wrong_files_are_refused_in_one_line() {
    let home = Home::with(SMALL);
    home.write("unknown.toml", &SMALL.replace("horizon", "horizont"));
    home.write("empty.toml", "");
    home.write("json.toml", "{\"name\": 1}");
    for (name, what) in [
        ("absent.toml", "absent.toml: no such file"),
        ("unknown.toml", "horizont"),
        ("empty.toml", "empty.toml: empty"),
        ("json.toml", "json.toml: "),
        (".", "a directory"),
    ] {
        let message = home.refused(&["run", name, "--out", "here"]);
        assert!(message.starts_with("error: ") && message.contains(what), "{message}");
        assert!(!home.path("here").exists(), "nothing is begun");
    }
    for command in ["merge", "plot"] {
        let out: &[&str] = if command == "merge" { &["--out", "here"] } else { &[] };
        let message = home.refused(&[&[command, "absent"], out].concat());
        assert!(message.contains("absent holds no results"), "{message}");
    }
    assert!(!home.path("here").exists() && !home.path("absent").exists());
}

/// The parser of arguments has a usage line below its error.
#[test]
fn wrong_arguments_are_refused() {
    let home = Home::with(SMALL);
    for (argument, value, what) in [
        ("--shard", "4/3", "part/parts"),
        ("--shard", "0/3", "part/parts"),
        ("--shard", "half", "part/parts"),
        ("--jobs", "0", "1 or more"),
        ("--jobs", "-1", "--jobs"),
        ("--jobs", "two", "--jobs"),
        ("--job", "2", "--jobs"),
    ] {
        let output = home.run(&["run", "experiment.toml", "--out", "here", argument, value]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        let first = message.lines().next().expect("a message");
        assert!(first.starts_with("error: ") && message.contains(what) && first.contains(argument), "{message}");
        assert!(output.stdout.is_empty() && !home.path("here").exists());
    }
    let message = home.refused(&["run", "experiment.toml", "--out", "here", "--shard", "1/4"]);
    assert!(message.contains("shard is 1/4: there are only 3 runs"), "{message}");
    assert!(!home.path("here").exists(), "nothing is begun that cannot be ended");
    assert_eq!(home.run(&["run"]).status.code(), Some(2));
    assert_eq!(home.run(&["merge", "--out", "here"]).status.code(), Some(2));
}
