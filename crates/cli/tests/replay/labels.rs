//! Tables with classes.

use insta::assert_snapshot;
use serde_json::Value;

use super::data::{CLASSES, Desk, csv, gzip, json_lines, parquet, visits};
use crate::command::number;

/// Mistakes of a policy in the entries of a document.
fn mistakes(document: &Value, policy: &str) -> f64 {
    let entries = document["entries"].as_array().expect("a list");
    number(&entries.iter().find(|entry| entry["policy"] == policy).expect("the policy")["mistakes"])
}

/// Fewer mistakes than the most frequent class makes, by far more than chance: six standard deviations of the binomial law.
#[test]
fn bayes_ucb_beats_the_majority() {
    let desk = Desk::new();
    let visits = visits(1500);
    desk.write("visits.csv", csv(&visits));
    let document = desk.json(&["visits.csv", "--label", "bought", "--orders", "1"]);
    let most = (0..3).map(|class| visits.iter().filter(|visit| visit.3 == class).count()).max().unwrap();
    let n = visits.len() as f64;
    let wrong = 1.0 - most as f64 / n;
    let chance = 6.0 * (n * wrong * (1.0 - wrong)).sqrt();
    let found = mistakes(&document, "bayes-ucb");
    assert!(found < n * wrong - chance, "{found} mistakes, {} by the majority, {chance} by chance", n * wrong);
    // One row in fifteen is wrong whatever one does; three times that is a policy that has learnt.
    assert!(found < 0.2 * n, "{found}");
    let floor = mistakes(&document, "uniform");
    assert!((floor - n * 2.0 / 3.0).abs() < 6.0 * (n * 2.0 / 9.0).sqrt(), "{floor}");
}

/// The same rows give the same results, whatever they are written in.
#[test]
fn formats_do_not_matter() {
    let desk = Desk::new();
    let visits = visits(400);
    desk.write("visits.csv", csv(&visits));
    desk.write("visits.csv.gz", gzip(csv(&visits).as_bytes()));
    desk.write("visits.jsonl", json_lines(&visits));
    desk.write("visits.parquet", parquet(&visits));
    let replay = |name: &str| desk.json(&[name, "--label", "bought", "--policy", "bayes-ucb,greedy", "--orders", "2"]);
    let expected = replay("visits.csv");
    for name in ["visits.csv.gz", "visits.jsonl", "visits.parquet"] {
        assert_eq!(replay(name), expected, "{name}");
    }
}

#[test]
fn results_do_not_depend_on_jobs() {
    let desk = Desk::new();
    desk.write("visits.csv", csv(&visits(300)));
    let replay = |jobs: &str, seed: &str, out: &str| {
        let arguments =
            ["visits.csv", "--label", "bought", "--orders", "3", "--out", out, "--jobs", jobs, "--seed", seed];
        (desk.json(&arguments), desk.read(&format!("{out}/results.csv")))
    };
    let one = replay("1", "5", "one");
    assert_eq!(replay("4", "5", "four"), one);
    assert_ne!(replay("4", "6", "six"), one, "the seed matters");
}

/// What programs rely on.
#[test]
fn the_shape_of_json() {
    let desk = Desk::new();
    desk.write("visits.csv", csv(&visits(200)));
    let (text, _) = desk.told(&["visits.csv", "--label", "bought", "--rounds", "150", "--orders", "2", "--json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(keys.iter().collect::<std::collections::BTreeSet<_>>().len(), 2, "{keys:?}");
    assert_eq!(document["rounds"], 150);
    let entries = document["entries"].as_array().unwrap();
    let names: Vec<&str> = entries.iter().filter_map(|entry| entry["policy"].as_str()).collect();
    assert_eq!(names, ["bayes-ucb", "laplace-ts", "greedy", "uniform"]);
    for entry in entries {
        assert_eq!((&entry["model"], &entry["rounds"], &entry["orders"]), (&"disjoint".into(), &150.into(), &2.into()));
        let (wrong, reward) = (number(&entry["mistakes"]), number(&entry["reward"]));
        assert!(wrong > 0.0 && (wrong + reward - 150.0).abs() < 1e-9, "{entry}");
        assert!(entry["seconds"].is_number() && entry["mistakes_error"].is_number(), "{entry}");
    }
}

#[test]
fn the_files_of_a_directory() {
    let desk = Desk::new();
    desk.write("visits.csv", csv(&visits(200)));
    let (text, _) = desk.told(&["visits.csv", "--label", "bought", "--out", "here", "--orders", "2"]);
    assert!(text.trim_end().ends_with("report.html"), "{text}");
    let table = desk.read("here/results.csv");
    assert!(table.starts_with("policy,model,order,round,mistakes,reward\nbayes-ucb,disjoint,1,1,"), "{table}");
    for order in 1..=2 {
        let last = format!("bayes-ucb,disjoint,{order},200,");
        assert_eq!(table.lines().filter(|line| line.starts_with(&last)).count(), 1, "{table}");
    }
    let document: Value = serde_json::from_str(&desk.read("here/results.json")).unwrap();
    assert_eq!(document["rounds"], 200);
    let page = desk.read("here/report.html");
    assert!(
        page.contains("share of mistakes so far") && page.contains("always the most frequent class"),
        "the results"
    );
    assert!(page.contains("counts the rows: an identifier"), "the columns");
    assert!(desk.path("here/figures/learning-curves.png").exists());
}

/// What people see: the columns on standard error, the table on standard output.
#[test]
fn what_is_said() {
    let desk = Desk::new();
    let visits = visits(200);
    desk.write("visits.csv", csv(&visits) + "201,30,phone,\n202,30,phone\n");
    let (out, err) = desk.told(&["visits.csv", "--label", "bought", "--orders", "1", "--policy", "bayes-ucb"]);
    assert_snapshot!(err, @r"
    column  read as   why
    row     left out  counts the rows: an identifier (or --number row)
    age     number    has 51 different whole numbers
    device  category  has 3 different values
    note: 1 malformed row was left out; line 203: 3 fields where there are 4 columns
    note: 1 row without a label is left out
    ");
    assert!(out.starts_with("visits.csv: bought\n200 rows, 3 classes, 1 random order of 200 rounds\n"), "{out}");
    assert!(out.contains("best: bayes-ucb, disjoint, "), "{out}");
    let count = |class: usize| visits.iter().filter(|visit| visit.3 == class).count();
    let most = (0..3).max_by_key(|class| count(*class)).unwrap();
    let majority = format!("always the most frequent class, `{}`: {} mistakes, ", CLASSES[most], 200 - count(most));
    assert!(out.contains(&majority), "{out}");
}

#[test]
fn guesses_can_be_overruled() {
    let desk = Desk::new();
    desk.write("visits.csv", csv(&visits(200)));
    let arguments = ["visits.csv", "--label", "bought", "--orders", "1", "--policy", "greedy"];
    let others = ["--number", "row,device", "--hashed", "age"];
    let (_, err) = desk.told(&[&arguments[..], &others].concat());
    assert!(err.contains("row     number    as --number says"), "{err}");
    assert!(err.contains("age     hashed    as --hashed says"), "{err}");
    assert!(err.contains("note: 200 cells of `device` are no number and count as missing, the first \""), "{err}");
    let (_, err) = desk.told(&[&arguments[..], &["--ignore", "age"]].concat());
    assert!(!err.contains("age"), "{err}");
}

#[test]
fn options_go_to_their_policies() {
    let desk = Desk::new();
    desk.write("visits.csv", csv(&visits(200)));
    let start = ["visits.csv", "--label", "bought", "--orders", "1", "--policy"];
    let plain = desk.json(&[&start[..], &["bayes-ucb"]].concat());
    let bold = desk.json(&[&start[..], &["bayes-ucb", "--options", r#"{"quantile": 0.999}"#]].concat());
    let named = ["bayes-ucb,greedy", "--options", r#"{"bayes-ucb": {"quantile": 0.999}}"#];
    let named = desk.json(&[&start[..], &named].concat());
    assert_ne!(plain["entries"][0], bold["entries"][0]);
    assert_eq!(named["entries"][0], bold["entries"][0]);
}

#[test]
fn help() {
    let (text, _) = Desk::new().told(&["--help"]);
    assert_snapshot!("help_replay", text);
}
