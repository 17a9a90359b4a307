//! Disks and quotas that end: what is finished is kept, and the same command goes on when there is room.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use super::home::Home;
use crate::command::stderr;

/// Every run is a line of several thousand bytes.
const RUNS: &str = r#"
name = "wide"
runs = 20
horizon = 3000
[environment]
dimension = 2
arms = { kind = "ball-sample", count = 3 }
kappa = 20
[[policy]]
name = "uniform"
"#;

fn shell(home: &Home, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_optimist")]).current_dir(home.path(""));
    command.output().expect("there is a shell")
}

/// The lines that are in the log, the last of which must be whole.
fn whole_lines(home: &Home) -> usize {
    let text = home.read("here/runs.log");
    assert!(text.ends_with('\n'), "half a line is left");
    text.lines().count()
}

fn check_complete(home: &Home) {
    home.answer(&["run", "experiment.toml", "--out", "there"]);
    assert_eq!(home.read("here/results.csv"), home.read("there/results.csv"));
}

/// Files of at most 32 KiB, with the signal ignored that tells of it: writing fails, as on a full disk.
#[test]
fn a_log_that_may_not_grow() {
    let home = Home::with(RUNS);
    let output = shell(&home, "trap '' XFSZ; ulimit -f 64; exec \"$0\" run experiment.toml --out here");
    let message = stderr(&output);
    assert_eq!((output.status.code(), message.lines().count()), (Some(1), 1), "{message}");
    assert!(message.contains("here/runs.log cannot be written: the system does not let it grow"), "{message}");
    let kept = whole_lines(&home);
    assert!(0 < kept && kept < 20, "{kept}");
    // Without a warning: no half line was left.
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    assert_eq!(whole_lines(&home), 20);
    check_complete(&home);
}

/// The same with the signal, which ends the process in the middle of a line.
#[test]
fn an_end_in_the_middle_of_a_line() {
    let home = Home::with(RUNS);
    let output = shell(&home, "ulimit -f 64; exec \"$0\" run experiment.toml --out here");
    assert!(output.status.signal().is_some(), "{:?}: {}", output.status, stderr(&output));
    let kept = home.read("here/runs.log").lines().count() - 1;
    assert!(0 < kept && kept < 19, "{kept}");
    let output = home.run(&["run", "experiment.toml", "--out", "here"]);
    let warning = "warning: here/runs.log: 1 damaged line skipped; those runs are run again\n";
    assert_eq!((stderr(&output).as_str(), output.status.code()), (warning, Some(0)));
    // Now that all runs are there, the damage is nobody's concern.
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    home.answer(&["plot", "here"]);
    check_complete(&home);
}

/// A file system of 48 KiB; where mounting is not allowed, the tests above must do.
#[test]
fn a_full_disk() {
    let home = Home::with(RUNS);
    let script = r#"mkdir here && mount -t tmpfs -o size=48k tmpfs here || exit 77
        "$0" run experiment.toml --out here 2>message; echo $? >code; cp here/runs.log kept
        mount -o remount,size=64m here || exit 77
        "$0" run experiment.toml --out here && cp here/results.csv after"#;
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_optimist")]);
    let output = match command.current_dir(home.path("")).output() {
        Ok(output) if home.path("code").exists() && output.status.code() != Some(77) => output,
        _ => return eprintln!("skipped: no file system can be mounted here"),
    };
    assert_eq!((stderr(&output).as_str(), output.status.code()), ("", Some(0)), "the same command goes on");
    let (message, kept) = (home.read("message"), home.read("kept"));
    assert_eq!((home.read("code").trim(), message.lines().count()), ("1", 1), "{message}");
    assert!(message.contains("the disk is full: make room, then run the same command again"), "{message}");
    assert!(kept.ends_with('\n') && (1..20).contains(&kept.lines().count()), "{}", kept.lines().count());
    home.answer(&["run", "experiment.toml", "--out", "there"]);
    assert_eq!(home.read("after"), home.read("there/results.csv"));
}
