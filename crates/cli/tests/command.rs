//! Starting the command, and what to expect of it.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The command, with all its streams in the test's hands, as if nobody had said how wide the terminal is.
pub(crate) fn optimist(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_optimist"));
    command.env_remove("COLUMNS");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command with the given standard input.
pub(crate) fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = optimist(arguments).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    // A command that needs no input may be gone before all of it is written.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("the command ends")
}

/// Standard error as text, without lines of progress and of how long it will take: whether there are any depends on how fast the machine is. [`note`] has
/// what becomes of finished runs.
pub(crate) fn stderr(output: &Output) -> String {
    let is_told = |line: &&str| {
        let kinds = ["progress: ", "note: kept ", "note: about "];
        !kinds.iter().any(|kind| line.starts_with(kind))
    };
    messages(output).split_inclusive('\n').filter(is_told).collect()
}

fn messages(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

/// The line that says what becomes of finished runs; empty if there is none.
pub(crate) fn note(output: &Output) -> String {
    let text = messages(output);
    let notes: Vec<&str> = text.lines().filter(|line| line.starts_with("note: kept ")).collect();
    assert!(notes.len() <= 1, "{text}");
    notes.concat()
}

/// The plan for a problem that must be accepted without a warning.
pub(crate) fn plan(problem: &str) -> Value {
    let output = run(&["plan", "-"], problem.as_bytes());
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{problem}");
    serde_json::from_slice(&output.stdout).expect("the answer is JSON")
}

/// The message with which an input is refused: exit code 2, one line, nothing on standard output.
pub(crate) fn refused(problem: impl AsRef<[u8]>) -> String {
    refusal(&run(&["plan", "-"], problem.as_ref()))
}

/// Checks that a run was a refusal, and returns its message.
pub(crate) fn refusal(output: &Output) -> String {
    let message = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(output.stdout.is_empty(), "{message}");
    assert!(message.ends_with('\n') && message.lines().count() == 1, "{message:?}");
    message.trim_end().to_owned()
}

/// A list of numbers in an answer.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

/// A number in an answer; null is infinity.
pub(crate) fn number(value: &Value) -> f64 {
    if value.is_null() { f64::INFINITY } else { value.as_f64().expect("a number") }
}
