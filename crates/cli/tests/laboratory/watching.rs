//! Results that can be read while the work goes on.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::home::{Home, timeless};
use crate::command::stderr;

/// Forty runs of a few hundredths of a second.
const LONG: &str = r#"
name = "long"
runs = 40
horizon = 1500
[environment]
dimension = 3
arms = { kind = "sphere-sample", count = 20 }
kappa = 100
[[policy]]
name = "ofulog-r"
"#;

const RELOAD: &str = "<meta http-equiv=\"refresh\" content=\"1\">";

/// Waits until the page holds a text.
fn wait_for(home: &Home, text: &str) -> String {
    let start = Instant::now();
    loop {
        let page = fs::read_to_string(home.path("here/report.html")).unwrap_or_default();
        if page.contains(text) {
            return page;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "no page with {text} after a minute");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_page_follows_the_runs() {
    let home = Home::with(LONG);
    let mut command =
        home.command(&["run", "experiment.toml", "--out", "here", "--jobs", "1", "--watch", "--refresh", "1"]);
    let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    let page = wait_for(&home, "Unfinished: ");
    // Before a run is finished there is something to open, and no file of a figure that it could lead to.
    assert!(page.contains(RELOAD) && page.contains(" of 40 runs are there.") && !page.contains("figures/"), "{page}");
    let progress = home.json("here/summary.json")["experiment"]["progress"].clone();
    assert_eq!(progress["asked"], 40);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(stderr(&output), "note: open here/report.html in a browser: it follows the runs\n");
    let page = home.read("here/report.html");
    assert!(!page.contains("http-equiv") && !page.contains("Unfinished") && page.contains("figures/1-"));
    // The same comes out as if nobody had looked.
    home.answer(&["run", "experiment.toml", "--out", "there", "--refresh", "0"]);
    assert_eq!(home.read("here/results.csv"), home.read("there/results.csv"));
    assert_eq!(timeless(home.json("here/summary.json")), timeless(home.json("there/summary.json")));
}

#[test]
fn who_kills_a_watched_run_loses_nothing() {
    let home = Home::with(LONG);
    let mut command =
        home.command(&["run", "experiment.toml", "--out", "here", "--jobs", "1", "--watch", "--refresh", "1"]);
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    wait_for(&home, "Unfinished: ");
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let output = home.run(&["run", "experiment.toml", "--out", "here"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!home.read("here/report.html").contains("Unfinished"));
    let left: Vec<_> = home.files("here").into_iter().filter(|(path, _)| path.ends_with("runs.log")).collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn who_interrupts_a_watched_run_has_a_page_that_rests() {
    let home = Home::with(LONG);
    let mut command =
        home.command(&["run", "experiment.toml", "--out", "here", "--jobs", "1", "--watch", "--refresh", "1"]);
    let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    wait_for(&home, "Unfinished: ");
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("there is a kill").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let page = home.read("here/report.html");
    let finished = home.json("here/summary.json")["experiment"]["progress"]["finished"].clone();
    assert!(!page.contains("http-equiv") && page.contains(&format!("Unfinished: {finished} of 40 runs are there.")));
}
