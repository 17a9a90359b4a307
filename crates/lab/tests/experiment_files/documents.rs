//! The registry of keys against the documentation, the help text and the schema.

use std::fs;

use optimist_lab::experiment::{Absent, KEYS, Key, Kind, keys_help, read, schema};
use serde_json::Value;

use super::validator::is_valid;
use super::{ENVIRONMENT, POLICY, accepted, examples, file, workspace};

/// The line of a key in the documentation.
fn row(key: &Key) -> String {
    let absent = match key.absent {
        Absent::Required => "required".to_owned(),
        Absent::Default(value) => format!("`{value}`"),
        Absent::Meaning(words) => words.to_owned(),
    };
    let sweep = if key.sweep { "yes" } else { "" };
    let cells = [format!("`{}`", key.path), key.help.to_owned(), key.kind.words(), absent, sweep.to_owned()];
    format!("| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

#[test]
fn the_documentation_has_every_key() {
    let text = fs::read_to_string(workspace().join("docs/experiments.md")).unwrap();
    let table =
        text.lines().skip_while(|line| *line != "## All keys").skip(1).take_while(|line| !line.starts_with("## "));
    let written: Vec<&str> = table.filter(|line| line.starts_with("| `")).collect();
    let expected: Vec<String> = KEYS.iter().map(row).collect();
    assert_eq!(written, expected, "the table should be:\n{}\n", expected.join("\n"));
}

#[test]
fn the_first_file_of_the_documentation_is_read() {
    let text = fs::read_to_string(workspace().join("docs/experiments.md")).unwrap();
    let file = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(accepted(file).name, "first");
}

#[test]
fn every_allowed_word_is_read() {
    let words = |path: &str| match KEYS.iter().find(|key| key.path == path).unwrap().kind {
        Kind::Word(words) => words,
        other => panic!("{other:?}"),
    };
    for word in words("environment.arms.kind") {
        let more = match *word {
            "list" => ", list = [[1.0, 0.0]]",
            "hybrid" => ", count = 3, shared = 1, own = 1",
            "categories" => ", count = 3, levels = [2]",
            "table" => ", count = 3, file = \"examples/arms.csv\"",
            "gaussian" => ", count = 3",
            sample if sample.ends_with("-sample") => ", count = 3",
            _ => "",
        };
        let environment = format!("dimension = 2\nkappa = 9\narms = {{ kind = \"{word}\"{more} }}");
        let policy = if *word == "hybrid" { "[[policy]]\nname = \"bayes-ucb\"" } else { POLICY };
        let text = file("", &environment, policy);
        // Of a table, the first line names the columns; that of this file has two numbers, which are names as well.
        let read = read(&text, &workspace()).unwrap_or_else(|e| panic!("{e}")).environments[0].to_string();
        assert!(read.split(['=', ' ']).any(|part| part == *word), "{read}");
    }
    for word in words("environment.arms.context") {
        let arms = format!("{{ kind = \"hybrid\", count = 3, shared = 1, own = 1, context = \"{word}\" }}");
        accepted(&file("", &format!("kappa = 9\narms = {arms}"), "[[policy]]\nname = \"bayes-ucb\""));
    }
    for word in words("environment.drift.kind") {
        let more = match *word {
            "steps" => ", every = 3",
            "walk" => ", rate = 0.1",
            "seasons" => ", period = 3",
            _ => "",
        };
        let drift = format!("drift = {{ kind = \"{word}\"{more} }}");
        let read = accepted(&file("", &format!("{ENVIRONMENT}\n{drift}"), POLICY)).environments[0].to_string();
        assert_eq!(read.contains(&format!(" drift={word}(")), *word != "none", "{read}");
    }
    for word in words("environment.rewards.link") {
        let read = accepted(&file("", &format!("{ENVIRONMENT}\nrewards = {{ link = \"{word}\" }}"), POLICY));
        assert_eq!(read.environments[0].to_string().contains(&format!(" link={word}")), *word != "logit");
    }
    for word in words("environment.arms.form") {
        let arms = format!("{{ kind = \"gaussian\", count = 3, form = \"{word}\" }}");
        accepted(&file("", &format!("dimension = 2\nkappa = 9\narms = {arms}"), POLICY));
    }
    for word in words("coverage") {
        accepted(&file(&format!("coverage = \"{word}\""), ENVIRONMENT, POLICY));
    }
    for word in words("environment.arms.redraw") {
        let arms = format!("{{ kind = \"ball-sample\", count = 3, redraw = \"{word}\" }}");
        accepted(&file("", &format!("dimension = 2\nkappa = 9\narms = {arms}"), POLICY));
    }
}

#[test]
fn the_help_has_every_key_in_narrow_lines() {
    let help = keys_help();
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    for key in KEYS {
        assert!(help.lines().any(|line| line.trim() == key.path), "{}:\n{help}", key.path);
    }
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(KEYS.iter().all(|key| words.contains(key.help)), "{help}");
}

/// A file as a validator sees it.
fn as_json(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn the_schema_accepts_what_is_right() {
    let schema = schema();
    for (name, text) in examples() {
        assert!(is_valid(&schema, &as_json(&text)), "{name}");
    }
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let schema = schema();
    let arms = |arms: &str| file("", &format!("dimension = 2\nkappa = 50\narms = {arms}"), POLICY);
    let more = |more: &str| file("", &format!("{ENVIRONMENT}\n{more}"), POLICY);
    assert!(is_valid(&schema, &as_json(&more(""))));
    for text in [
        file("rums = 3", ENVIRONMENT, POLICY),
        file("delta = 1", ENVIRONMENT, POLICY),
        file("seed = \"1\"", ENVIRONMENT, POLICY),
        file("", ENVIRONMENT, ""),
        file("", "dimension = 2\narms = { kind = \"ball\" }", POLICY),
        more("kapa = 3"),
        more("theta_norm = 3"),
        more("norm_bound = \"exakt\""),
        more("feedback = { mising = 0.1 }"),
        more("feedback = { delay = { kind = \"fixed\", maen = 1 } }"),
        arms("{ kind = \"ball-sample\", cuont = 3 }"),
        arms("{ kind = \"bal\" }"),
        arms("[]"),
        arms("{ kind = \"hybrid\", count = 3, shared = 1, own = 0 }"),
        arms("{ kind = \"hybrid\", count = 3, shared = 1, own = 1, written_out = 1 }"),
        more("rewards = { link = \"log\" }"),
        more("rewards = { flipped = 1 }"),
        arms("{ kind = \"table\", file = \"x.csv\", count = 2, columns = [1] }"),
        arms("{ kind = \"categories\", count = 2, levels = [0] }"),
        file("", "arms = { kind = \"ball\" }\ntheta = { fit = \"log.csv\" }", POLICY),
        more("drift = { kind = \"walk\", rate = 2 }"),
        more("drift = { kind = \"walk\", rat = 1 }"),
        file("", ENVIRONMENT, "[[policy]]\nname = \"optimits\""),
        file("", ENVIRONMENT, "[[policy]]\nname = \"ofulog-r\"\nradus = \"paper\""),
        file("", ENVIRONMENT, "[[policy]]\nname = \"uniform\"\nradius = \"paper\""),
    ] {
        assert!(!is_valid(&schema, &as_json(&text)), "{text}");
    }
}
