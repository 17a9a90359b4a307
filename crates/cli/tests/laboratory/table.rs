//! `optimist table`, and the tables that a run leaves behind.

use super::home::{Home, SMALL};

#[test]
fn tables_are_printed_and_left_behind() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    assert_eq!(home.answer(&["table", "here"]), home.read("here/tables/final.md"));
    let latex = home.answer(&["table", "here", "--format", "latex"]);
    assert_eq!(latex, home.read("here/tables/final.tex"));
    for part in [
        "\\begin{tabular}{lrr}",
        "\\toprule",
        "\\bottomrule",
        "policy & kappa=20 & kappa=200 \\\\",
        "Small \\textless{}trial",
    ] {
        assert!(latex.contains(part), "{part}: {latex}");
    }
    // The mean is that of the summary, in full.
    let csv =
        home.answer(&["table", "here", "--format", "csv", "--policies", "ofulog-r", "--environments", "kappa=200"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "environment,policy,t,runs,mean,standard_error,best,near_best");
    let cells: Vec<&str> = lines[1].split(',').collect();
    assert_eq!((lines.len(), &cells[..4]), (2, &["kappa=200", "ofulog-r", "200", "3"][..]));
    let regret = &home.json("here/summary.json")["cells"][1]["policies"][3]["regret"]["mean"];
    assert_eq!(cells[4].parse::<f64>().ok(), regret.as_f64());
    // Every pair in both environments, at ten checkpoints.
    assert_eq!(home.read("here/differences.csv").lines().count(), 1 + 2 * 10 * 6);
}

#[test]
fn what_is_not_there_is_refused_in_one_line() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    let refused = |arguments: &[&str]| home.refused(&[&["table", "here"], arguments].concat());
    let message = refused(&["--t", "201"]);
    assert_eq!(
        message,
        "error: t is 201: no figures were taken after that round; the nearest rounds that have some: 200"
    );
    assert!(refused(&["--policies", "greed"]).starts_with("error: policies has \"greed\", which is no policy"));
    assert!(refused(&["--environments", "3"]).starts_with("error: environments has \"3\", which is no environment"));
    assert!(refused(&["--format", "tex"]).contains("use one of latex, markdown, csv"));
    assert_eq!(refused(&["--t", "0"]), "error: --t is \"0\": give a whole number, 1 or more");
    assert!(home.refused(&["table", "absent"]).contains("absent holds no results"));
}

/// Labels change what results are called, and neither results nor what is run again.
#[test]
fn labels_are_only_names() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "here", "--choices"]);
    let (before, log) = (home.read("here/results.csv"), home.read("here/runs.log"));
    home.write("named.toml", &SMALL.replace("[environment]", "[environment]\nlabel = \"flat {kappa}\""));
    let output = home.run(&["run", "named.toml", "--out", "here", "--choices"]);
    assert!(crate::command::note(&output).starts_with("note: kept 24 of 24 finished runs"), "{output:?}");
    assert_eq!(home.read("here/runs.log"), log, "nothing is run again");
    let named =
        before.replace("d=2 ball-sample=8 kappa=200", "flat 200").replace("d=2 ball-sample=8 kappa=20", "flat 20");
    assert_eq!(home.read("here/results.csv"), named);
    assert!(home.read("here/tables/final.md").contains("| policy | flat 20 | flat 200 |"));
}

#[test]
fn dense_curves_are_written_at_every_round() {
    let home = Home::with(&SMALL.replace("runs = 3", "runs = 2\ncheckpoints = \"every 2\"").replace("[20, 200]", "20"));
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    assert_eq!(home.read("here/results.csv").lines().count(), 1 + 4 * 2 * 100);
    assert!(home.answer(&["table", "here", "--t", "198"]).contains("regret after 198 rounds"));
}
