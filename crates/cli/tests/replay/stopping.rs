//! Ctrl-C: what is there is shown.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::data::{Desk, csv, visits};
use crate::command::{optimist, stderr};

#[test]
fn interrupted_by_the_user() {
    let desk = Desk::new();
    desk.write("visits.csv", csv(&visits(3000)));
    let out = desk.path("here");
    let data = desk.path("visits.csv");
    // Far more orders than anybody waits for.
    let arguments =
        ["replay", data.to_str().unwrap(), "--label", "bought", "--orders", "100000", "--jobs", "1", "--json"];
    let mut child = optimist(&arguments).arg("--out").arg(&out).spawn().expect("starts");
    // The directory is made when everything has been read and checked.
    let start = Instant::now();
    while !out.exists() {
        assert_eq!(child.try_wait().expect("a child"), None, "it ended too early");
        assert!(start.elapsed() < Duration::from_secs(60), "nothing has begun after a minute");
        sleep(Duration::from_millis(2));
    }
    sleep(Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is a kill").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("error: interrupted: "), "{}", stderr(&output));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["rounds"], 3000);
    let entries = document["entries"].as_array().expect("a list");
    assert!(!entries.is_empty() && entries.iter().all(|entry| entry["rounds"].as_u64() > Some(0)), "{document}");
    assert!(out.join("report.html").exists() && out.join("results.csv").exists());
}
