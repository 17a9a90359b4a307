//! What the command says of itself, and what it says to wrong arguments.

use insta::assert_snapshot;
use serde_json::Value;

use super::home::{Home, SMALL};

#[test]
fn help_texts() {
    let home = Home::with(SMALL);
    assert_snapshot!("help", home.answer(&["--help"]));
    assert_snapshot!("help_new_policy", home.answer(&["new-policy", "--help"]));
    assert_snapshot!("help_run", home.answer(&["run", "--help"]));
    assert_snapshot!("help_merge", home.answer(&["merge", "--help"]));
    assert_snapshot!("help_table", home.answer(&["table", "--help"]));
    assert_snapshot!("help_plot", home.answer(&["plot", "--help"]));
    assert_snapshot!("help_paper", home.answer(&["paper", "--help"]));
    assert_snapshot!("help_pictures", home.answer(&["pictures", "--help"]));
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

#[test]
fn wrong_arguments_are_refused_in_one_line() {
    let home = Home::with(SMALL);
    let refused = |arguments: &[&str]| {
        let message = home.refused(&[&["run", "experiment.toml", "--out", "here"], arguments].concat());
        assert!(!home.path("here").exists(), "nothing is begun that cannot be ended");
        message
    };
    const PARTS: &str = "give part/parts, for instance 1/4 on the first of four machines";
    for wrong in ["4/3", "0/3", "half"] {
        assert_eq!(refused(&["--shard", wrong]), format!("error: --shard is \"{wrong}\": {PARTS}"));
    }
    for wrong in ["0", "-1", "two"] {
        assert_eq!(
            refused(&["--jobs", wrong]),
            format!("error: --jobs is \"{wrong}\": give a whole number, 1 or more")
        );
    }
    assert_snapshot!(refused(&["--job", "2"]), @r#"error: --job is not known here: did you mean "--jobs"? `optimist run --help` lists what is"#);
    assert_snapshot!(refused(&["--jobs"]), @"error: --jobs has no value: give one (`--help` says which)");
    assert_snapshot!(refused(&["--jobs", "1", "--jobs", "2"]), @"error: --jobs is given twice: keep one");
    assert_snapshot!(refused(&["another.toml"]), @"error: another.toml is not known here: `optimist run --help` lists what is");
    assert_snapshot!(refused(&["--\n"]), @"error: -- is not known here: `optimist run --help` lists what is");
    assert_snapshot!(refused(&["--shard", "1/4"]), @"error: shard is 1/4: there are only 3 runs, give at most as many parts");
}

#[test]
fn wrong_commands_are_refused_in_one_line() {
    let home = Home::with(SMALL);
    assert_snapshot!(home.refused(&["polices"]), @r#"error: "polices" is not a command: did you mean "policies"? `optimist --help` lists all"#);
    assert_snapshot!(home.refused(&["-x"]), @"error: -x is not known here: `optimist --help` lists what is");
    assert_snapshot!(home.refused(&["run"]), @"error: EXPERIMENT is missing: `optimist run --help` says what to give");
    assert_snapshot!(home.refused(&["merge"]), @"error: --out, DIR are missing: `optimist merge --help` says what to give");
    assert_snapshot!(home.refused(&["paper", "--only", "lower"]), @r#"error: --only is "lower": did you mean "lower-bound"? use one of kappas, policies, lower-bound, transitory"#);
    assert_snapshot!(home.refused(&["paper", "--only", ""]), @"error: --only has no value: use one of kappas, policies, lower-bound, transitory");
    assert_snapshot!(home.refused(&["paper", "--quick", "--full"]), @"error: --quick cannot be given together with --full: keep one");
    assert_snapshot!(home.refused(&["paper", "--seed", "one"]), @r#"error: --seed is "one": give a whole number, 0 or more"#);
    assert_snapshot!(home.refused(&["paper", "--seed", "-1"]), @r#"error: --seed is "-1": give a whole number, 0 or more"#);
    assert_snapshot!(home.refused(&["theory", "--ball", "flat"]), @r#"error: --ball is "flat": give a whole number, 0 or more"#);
    assert_snapshot!(home.refused(&["theory", "--delta", "small"]), @r#"error: --delta is "small": give a number"#);
    assert_snapshot!(home.refused(&["plan", "a.json", "--csv", "--pretty"]), @"error: --csv cannot be given together with --pretty: keep one");
}

/// Whoever gives no command at all is shown them.
#[test]
fn no_command_shows_the_help() {
    let output = Home::with(SMALL).run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: optimist <COMMAND>"), "{output:?}");
}
