//! The examples run and say what they should. Cargo builds them with the tests, and puts them beside those.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The file of a built example: `target/PROFILE/examples/NAME`, from `target/PROFILE/deps/THIS`.
fn built(name: &str) -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let profile = this.parent().and_then(|deps| deps.parent()).expect("a test lies two directories deep");
    profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn run(name: &str, arguments: &[&str]) -> Output {
    let path = built(name);
    Command::new(&path).args(arguments).output().unwrap_or_else(|e| {
        panic!("{}: {e}; \"cargo build --examples\" builds it if the tests are run one by one", path.display())
    })
}

/// What a run prints that ends well.
fn printed(name: &str, arguments: &[&str]) -> String {
    let output = run(name, arguments);
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && complaints.is_empty(), "{name}: {complaints}");
    String::from_utf8(output.stdout).unwrap()
}

/// The numbers of a line of words and numbers.
fn numbers(line: &str) -> Vec<f64> {
    line.split(|c: char| c.is_whitespace() || "[],".contains(c)).filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn embed_finds_the_probability() {
    let text = printed("embed", &[]);
    let [lower, upper] = numbers(&text)[..] else { panic!("{text}") };
    // mu(1).
    assert!(lower < 0.731 && 0.731 < upper && upper - lower < 0.3, "{text}");
}

#[test]
fn quickstart_knows_more_of_what_it_has_seen() {
    let text = printed("quickstart", &[]);
    let width = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        let [_, lower, upper] = numbers(line)[..] else { panic!("{line}") };
        upper - lower
    };
    assert!(width("blue") < width("green"), "{text}");
}

#[test]
fn policy_prints_three_intervals_and_probabilities() {
    let text = printed("policy", &[]);
    assert_eq!(text.lines().filter(|line| line.contains("succeeds with probability")).count(), 3, "{text}");
    let next = numbers(text.lines().find(|line| line.starts_with("next:")).unwrap());
    assert!((next[..3].iter().sum::<f64>() - 1.0).abs() < 2e-3, "{text}");
}

#[test]
fn late_rewards_tells_when_promises_hold() {
    let text = printed("late_rewards", &[]);
    let tables: Vec<Vec<&str>> = text
        .split("\n\n")
        .map(|table| table.lines().skip(2).collect())
        .filter(|rows: &Vec<&str>| !rows.is_empty())
        .collect();
    assert_eq!(tables.len(), 5, "{text}");
    for (table, holds) in tables.iter().zip([true, true, false, false, true]) {
        assert_eq!(table.iter().all(|row| row.ends_with("yes")), holds, "{text}");
        for row in table {
            let [round, known, waiting, lost, ..] = numbers(row)[..] else { panic!("{row}") };
            assert_eq!(round, known + waiting + lost, "{row}");
        }
    }
}

/// Lower and upper bounds, look by look.
fn bars(text: &str) -> Vec<[f64; 2]> {
    let lines = text.lines().filter(|line| line.starts_with("arm "));
    lines.map(|line| numbers(line).last_chunk().copied().unwrap()).collect()
}

#[test]
fn intervals_shrink_in_the_terminal() {
    let text = printed("intervals", &[]);
    let bars = bars(&text);
    assert_eq!(bars.len(), 4 * 8, "{text}");
    let mean_width = |look: &[[f64; 2]]| look.iter().map(|[lower, upper]| upper - lower).sum::<f64>() / 8.0;
    let widths: Vec<f64> = bars.chunks(8).map(mean_width).collect();
    assert!(widths.windows(2).all(|w| w[1] < w[0]), "{widths:?}");
    for line in text.lines().filter(|line| line.starts_with("arm ")) {
        assert!(line.contains("=o") || line.contains("o="), "the truth is outside: {line}");
    }
}

#[test]
fn intervals_are_drawn_to_a_file() {
    let file = std::env::temp_dir().join(format!("optimist-intervals-{}.svg", std::process::id()));
    assert_eq!(printed("intervals", &["--svg", file.to_str().unwrap()]), "");
    let svg = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!((svg.matches("<circle").count(), svg.matches("stroke-width").count()), (32, 32));
}

#[test]
fn bad_arguments_get_one_line() {
    for arguments in [&["--svg"][..], &["--pdf", "x"], &["--svg", "no/such/directory/x.svg"]] {
        let output = run("intervals", arguments);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), complaint.lines().count()), (Some(2), 1), "{complaint}");
        assert!(output.stdout.is_empty() && complaint.starts_with("intervals: "), "{complaint}");
    }
}

#[test]
fn contextual_is_nearer_to_hindsight_than_to_chance() {
    let text = printed("contextual", &[]);
    let [_, clicks, best, random] = numbers(text.lines().last().unwrap())[..] else { panic!("{text}") };
    assert!(best - clicks < 0.25 * (best - random), "{text}");
}
