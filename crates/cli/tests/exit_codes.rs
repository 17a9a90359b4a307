//! Exit codes of every command: 0 done, 1 the machine failed, 2 the input is at fault, 130 stopped.

use std::fs::{self, File};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::command::{refusal, stderr};
use crate::laboratory::home::Home;

const EXPERIMENT: &str = r#"
name = "short"
runs = 2
horizon = 50
[environment]
dimension = 2
arms = { kind = "ball-sample", count = 4 }
kappa = 20
[[policy]]
name = "greedy"
"#;

/// What succeeds, in a directory with the experiment and files of this repository; `{n}` differs from call to call. A
/// command that needs another's results comes after it.
const DONE: [&str; 12] = [
    "plan plan.json",
    "radii",
    "policies",
    "new-policy rule-{n}",
    "run experiment.toml --out here",
    "replay seeds.csv --label kind --orders 1 --policy greedy",
    "merge here --out whole-{n}",
    "plot here",
    "table here",
    "paper --out report --only transitory --runs 1 --horizon 20",
    "pictures --only peers --peers peers.csv --out drawn",
    "theory --theta 3,1 --ball 2",
];

/// Input that is at fault.
const WRONG: [&str; 12] = [
    "plan absent.json",
    "radii nobody",
    "policies nobody",
    "new-policy optimist",
    "run absent.toml",
    "replay absent.csv --label kind",
    "merge absent --out there",
    "plot absent",
    "table absent",
    "paper --only upper-bound",
    "pictures --only nobody",
    "theory --theta 3,1",
];

fn words(line: &str, number: usize) -> Vec<String> {
    line.split(' ').map(|word| word.replace("{n}", &number.to_string())).collect()
}

fn command(home: &Home, line: &str, number: usize) -> Command {
    let words = words(line, number);
    home.command(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn first(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

/// A home with everything that the lines above name.
fn home() -> Home {
    let home = Home::with(EXPERIMENT);
    for (name, path) in [
        ("plan.json", "examples/plan.json"),
        ("seeds.csv", "examples/seeds.csv"),
        ("peers.csv", "docs/results/peers.csv"),
    ] {
        let top = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        fs::copy(format!("{top}{path}"), home.path(name)).expect("it is in the repository");
    }
    home
}

/// The commands, as `optimist --help` lists them.
fn commands(home: &Home) -> Vec<String> {
    let help = home.answer(&["--help"]);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    lines.map(|line| first(line.trim()).to_owned()).filter(|name| name != "help").collect()
}

#[test]
fn every_command_is_asked() {
    let mut all = commands(&home());
    all.sort();
    for lines in [DONE, WRONG] {
        let mut asked = lines.map(first);
        asked.sort();
        assert_eq!(all, asked);
    }
}

#[test]
fn done_is_zero() {
    let home = home();
    for line in DONE {
        let output = command(&home, line, 1).output().expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
    }
}

#[test]
fn input_at_fault_is_two() {
    let home = home();
    for line in WRONG {
        refusal(&command(&home, line, 1).output().expect("it starts"));
        let nonsense = format!("{} --nonsense", first(line));
        let message = refusal(&command(&home, &nonsense, 1).output().expect("it starts"));
        assert!(message.contains(&format!("`optimist {} --help`", first(line))), "{message}");
    }
}

/// A device that is always full stands for every machine that fails.
#[cfg(target_os = "linux")]
#[test]
fn a_machine_that_fails_is_one() {
    let home = home();
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    for line in DONE {
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let output = command(&home, line, 2).stdout(full).output().expect("it starts");
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{line}: {message}");
        let last = message.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: standard output: "), "{line}: {message}");
    }
}

/// What a shell makes of an end: the number of a signal is counted from 128.
#[cfg(target_os = "linux")]
fn as_shells_have_it(output: &Output) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    output.status.code().unwrap_or_else(|| 128 + output.status.signal().expect("it has ended"))
}

/// Starts a command, waits until it has begun, and presses Ctrl-C. Whoever has started this test may have told it to
/// ignore that.
#[cfg(target_os = "linux")]
fn interrupted(home: &Home, line: &str, has_begun: impl Fn() -> bool) -> Output {
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(env!("CARGO_BIN_EXE_optimist")).args(words(line, 3));
    command.current_dir(home.path("")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let start = Instant::now();
    while !has_begun() {
        assert_eq!(child.try_wait().expect("a child"), None, "{line} ended too early");
        assert!(start.elapsed() < Duration::from_secs(60), "{line} has not begun after a minute");
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(200));
    assert_eq!(child.try_wait().expect("a child"), None, "{line} ended too early");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is a kill").success());
    let stdin = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    output
}

/// `run` and `replay` are stopped in tests of their own; the rest is done before anybody could stop it.
#[cfg(target_os = "linux")]
#[test]
fn stopped_is_130() {
    let home = home();
    // Waiting for their input, and in the middle of long work.
    for line in ["plan -", "run -", "theory -", "pictures --only insurance --out never"] {
        let output = interrupted(&home, line, || true);
        assert_eq!((as_shells_have_it(&output), stderr(&output).as_str()), (130, ""), "{line}");
        assert!(output.stdout.is_empty() && !home.path("never").exists(), "{line}");
    }
    let log = home.path("stopped/data");
    let output = interrupted(&home, "paper --out stopped --only kappas --jobs 1", || log.exists());
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.starts_with("error: interrupted: ") && message.lines().count() == 1, "{message}");
}

/// The page, the help text and this file tell of the same codes.
#[test]
fn codes_are_documented() {
    let page = include_str!("../../../docs/experiments.md");
    let section = page.split("\n## ").find(|section| section.starts_with("Exit codes\n")).expect("a section");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    let codes: Vec<&str> = rows.map(|(code, _)| code).filter(|code| code.parse::<u8>().is_ok()).collect();
    assert_eq!(codes, ["0", "1", "2", "130"]);
    let home = home();
    let help = home.answer(&["--help"]);
    let told = help.split("Exit codes: ").nth(1).expect("help has them");
    assert!(codes.iter().all(|code| told.contains(&format!("{code} "))), "{told}");
    let mut all = commands(&home);
    all.retain(|name| !section.contains(&format!("`{name}`")));
    assert!(all.is_empty(), "docs/experiments.md, \"Exit codes\", does not name {all:?}");
}
