//! Every value of a good problem replaced by every nasty one: the command answers or refuses, and never breaks.

use serde_json::{Value, json};

use crate::command::{run, stderr};

fn good() -> Value {
    json!({
        "dimension": 2,
        "arms": [[1.0, 0.0], [0.6, 0.8]],
        "ids": ["a", "b"],
        "observations": [{"x": [1.0, 0.0], "reward": 1, "count": 3}, {"x": [0.0, 1.0], "reward": 0}],
        "set": {"radius": {"excess": 1.0, "ridge": 0.1}, "norm_bound": 4.0, "delta": 0.05},
        "tolerance": 1e-9
    })
}

/// As text, because some are no number that a program would write.
const NASTY: &[&str] = &[
    "null",
    "true",
    "\"\"",
    "\"1\"",
    "[]",
    "[[]]",
    "{}",
    "{\"x\": 1}",
    "-1",
    "-0.0",
    "0",
    "0.5",
    "1",
    "2",
    "3",
    "1e999",
    "-1e999",
    "1e308",
    "1e6",
    "1e-300",
    "5e-324",
    "18446744073709551616",
    "\"\\ud800\"",
    "{\"\\n\": 1}",
];

/// Pointers to all values inside `value`.
fn places(value: &Value, here: String, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, inner)| places(inner, format!("{here}/{key}"), out)),
        Value::Array(list) => list.iter().enumerate().for_each(|(i, inner)| places(inner, format!("{here}/{i}"), out)),
        _ => {}
    }
    out.push(here);
}

#[test]
fn nothing_breaks() {
    let mut all = Vec::new();
    places(&good(), String::new(), &mut all);
    for (place, nasty) in all.iter().flat_map(|place| NASTY.iter().map(move |nasty| (place, nasty))) {
        let mut problem = good();
        *problem.pointer_mut(place).expect("a place of the problem") = json!("NASTY");
        let text = problem.to_string().replace("\"NASTY\"", nasty);
        let output = run(&["plan", "-"], text.as_bytes());
        let (code, lines) = (output.status.code(), stderr(&output).lines().count());
        let fine = code == Some(0) && !output.stdout.is_empty() && lines <= 2;
        let refused = code == Some(2) && output.stdout.is_empty() && lines == 1;
        assert!(fine || refused, "{text}\n{code:?} {}", stderr(&output));
    }
}

#[test]
fn a_problem_cut_off_anywhere_is_refused() {
    let text = good().to_string();
    for end in 0..text.len() {
        let output = run(&["plan", "-"], &text.as_bytes()[..end]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{}", &text[..end]);
        assert_eq!(stderr(&output).lines().count(), 1, "{}", &text[..end]);
    }
}

#[test]
fn nesting_without_end_is_refused() {
    let deep = "[".repeat(1_000_000);
    let closed = deep.clone() + &"]".repeat(1_000_000);
    for text in [deep, format!(r#"{{"dimension": 2, "arms": {closed}}}"#), closed] {
        assert_eq!(run(&["plan", "-"], text.as_bytes()).status.code(), Some(2));
    }
}
