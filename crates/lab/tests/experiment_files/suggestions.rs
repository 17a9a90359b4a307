//! Misspelt and misplaced names.

use optimist_lab::experiment::{KEYS, Key};

use super::{ENVIRONMENT, POLICY, file, refused};

/// A name with two letters exchanged, one left out, one doubled, and in capitals.
fn misspellings(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let (last, most) = (letters.len() - 1, letters.len() - 2);
    let mut exchanged = letters.clone();
    exchanged.swap(most, last);
    let mut doubled = letters.clone();
    doubled.insert(1, letters[1]);
    let left_out = &letters[..last];
    [exchanged, doubled, left_out.to_vec()]
        .into_iter()
        .map(String::from_iter)
        .chain([name.to_uppercase()])
        .filter(|wrong| wrong != name)
        .collect()
}

/// A file with a key of that name in the table of `key`, and the path that messages give it.
fn with_key(key: &Key, name: &str) -> (String, String) {
    let arms =
        |more: &str| format!("dimension = 2\narms = {{ kind = \"ball-sample\", count = 4, {more} }}\nkappa = 50");
    let text = match key.table() {
        "" => file(&format!("{name} = 1"), ENVIRONMENT, POLICY),
        "environment" => file("", &format!("{ENVIRONMENT}\n{name} = 1"), POLICY),
        "environment.arms" => file("", &arms(&format!("{name} = 1")), POLICY),
        "environment.feedback" => file("", &format!("{ENVIRONMENT}\nfeedback = {{ {name} = 1 }}"), POLICY),
        "environment.feedback.delay" => file("", &format!("{ENVIRONMENT}\nfeedback.delay = {{ {name} = 1 }}"), POLICY),
        "environment.drift" => file("", &format!("{ENVIRONMENT}\ndrift = {{ {name} = 1 }}"), POLICY),
        "environment.rewards" => file("", &format!("{ENVIRONMENT}\nrewards = {{ {name} = 1 }}"), POLICY),
        "environment.theta" => {
            file("", &format!("{}\ntheta = {{ {name} = 1 }}", ENVIRONMENT.replace("\nkappa = 50", "")), POLICY)
        }
        "policy" => file("", ENVIRONMENT, &format!("{POLICY}\n{name} = 1")),
        other => panic!("a new table: {other}"),
    };
    let place = match key.table() {
        "" => String::new(),
        "policy" => "[[policy]] number 1 (\"optimist\"): ".to_owned(),
        table => format!("{table}."),
    };
    (text, format!("{place}{name}"))
}

#[test]
fn misspelt_keys_are_recognised() {
    for key in KEYS {
        for wrong in misspellings(key.name()) {
            let (text, path) = with_key(key, &wrong);
            let expected = format!("{path} is not a key: did you mean \"{}\"?", key.name());
            assert_eq!(refused(&text), expected);
        }
    }
}

#[test]
fn misplaced_keys_are_sent_home() {
    for (environment, top, expected) in [
        ("runs = 3", "", "environment.runs: \"runs\" belongs to the top level"),
        ("coverage = \"off\"", "", "environment.coverage: \"coverage\" belongs to the top level"),
        ("count = 3", "", "environment.count: \"count\" belongs to environment.arms"),
        ("", "kappa = 50", "kappa: \"kappa\" belongs to [environment]"),
        ("", "missing = 0.5", "missing: \"missing\" belongs to [environment.feedback]"),
        ("", "label = \"x\"", "label: \"label\" belongs to [environment] or [[policy]]"),
        (
            "kind = \"x\"",
            "",
            "environment.kind: \"kind\" belongs to environment.arms or environment.feedback.delay or environment.drift",
        ),
    ] {
        assert_eq!(refused(&file(top, &format!("{ENVIRONMENT}\n{environment}"), POLICY)), expected);
    }
}

#[test]
fn keys_like_no_other_get_the_list() {
    let keys = "\"name\", \"seed\", \"runs\", \"horizon\", \"delta\", \"checkpoints\", \"coverage\", \"environment\", \"policy\"";
    let message = refused(&file("zzzzzzzzzz = 1", ENVIRONMENT, POLICY));
    assert_eq!(message, format!("zzzzzzzzzz is not a key: the keys here are {keys}"));
    // Nothing that a file can hold breaks the line.
    let message = refused(&file("\"a\\nb\\u001b\" = 1", ENVIRONMENT, POLICY));
    assert_eq!(message, format!("\"a\\nb\\u{{1b}}\" is not a key: the keys here are {keys}"));
}
