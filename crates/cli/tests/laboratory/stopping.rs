//! The command stopped in the middle, kindly or not, and started again.

use std::fs;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::home::{Home, timeless};
use crate::command::stderr;

/// Runs that take long enough to be caught: 30 of a few hundredths of a second.
const LONG: &str = r#"
name = "long"
runs = 30
horizon = 1500
[environment]
dimension = 3
arms = { kind = "sphere-sample", count = 20 }
kappa = 100
[[policy]]
name = "ofulog-r"
"#;

/// Whole lines of the log.
fn finished(home: &Home) -> Vec<String> {
    let text = fs::read_to_string(home.path("here/runs.log")).unwrap_or_default();
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(str::to_owned).collect()
}

/// Starts the experiment and waits until some runs are finished.
fn started(home: &Home) -> Child {
    let mut child = home.command(&["run", "experiment.toml", "--out", "here", "--jobs", "1"]).spawn().expect("starts");
    let start = Instant::now();
    while finished(home).len() < 3 {
        assert_eq!(child.try_wait().expect("a child"), None, "it ended too early");
        assert!(start.elapsed() < Duration::from_secs(60), "no run is finished after a minute");
        sleep(Duration::from_millis(2));
    }
    child
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status();
    assert!(status.expect("there is a kill").success());
}

/// Goes on, and compares with a run that nobody has stopped.
fn goes_on(home: &Home) {
    let before = finished(home);
    assert!(before.len() < 30, "everything was finished: the test proves nothing");
    let output = home.run(&["run", "experiment.toml", "--out", "here"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(finished(home)[..before.len()], before, "finished runs stay as they are");
    home.answer(&["run", "experiment.toml", "--out", "there"]);
    assert_eq!(home.read("here/results.csv"), home.read("there/results.csv"));
    assert_eq!(timeless(home.json("here/summary.json")), timeless(home.json("there/summary.json")));
}

#[test]
fn killed() {
    let home = Home::with(LONG);
    let mut child = started(&home);
    child.kill().expect("it can be killed");
    assert_eq!(child.wait().expect("it ends").code(), None);
    goes_on(&home);
}

fn interrupted(name: &str) {
    let home = Home::with(LONG);
    let child = started(&home);
    signal(&child, name);
    let output = child.wait_with_output().expect("it ends");
    let kept = finished(&home).len();
    let message =
        format!("error: interrupted: {kept} of 30 runs are finished and kept; the same command goes on from there\n");
    assert_eq!((stderr(&output), output.status.code()), (message, Some(130)), "{name}");
    assert_eq!(output.stdout, b"");
    goes_on(&home);
}

#[test]
fn interrupted_by_the_user() {
    interrupted("INT");
}

#[test]
fn asked_to_end() {
    interrupted("TERM");
}

#[test]
fn two_at_once() {
    let home = Home::with(LONG);
    let mut first = started(&home);
    let message = home.refused(&["run", "experiment.toml", "--out", "here"]);
    assert_eq!(message, "error: here is being written by another optimist: wait for it, or give another directory");
    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
    // The lock goes with the process, whatever has become of it.
    goes_on(&home);
}
