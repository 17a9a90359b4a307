//! Every choice as a table, and results as Parquet.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::home::{Home, SMALL};

/// Late and lost rewards, arms that change, points of the ball.
const VARIED: &str = r#"
name = "varied"
runs = 2
horizon = 120
[environment]
dimension = 2
arms = { kind = "ball-sample", count = 5, redraw = "round" }
kappa = 30
feedback = { delay = { kind = "fixed", mean = 4 }, missing = 0.2 }
[[policy]]
name = "optimist"
[[policy]]
name = "uniform"
"#;

/// Rows by column.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().expect("a table")
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|e| panic!("{column}: {e}: {row:?}"))
}

/// The tables of choices of a policy, by the number of the run.
fn tables(home: &Home, policy: &str) -> Vec<(PathBuf, Vec<BTreeMap<String, String>>)> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let files = home.files("here/choices").into_iter().filter(|(path, _)| path.to_string_lossy().contains(policy));
    files.map(|(path, bytes)| (path, rows(&text(bytes)))).collect()
}

#[test]
fn choices_agree_with_the_results() {
    let home = Home::with(VARIED);
    home.answer(&["run", "experiment.toml", "--out", "here", "--choices"]);
    let results = rows(&home.read("here/results.csv"));
    for policy in ["optimist", "uniform"] {
        let tables = tables(&home, policy);
        assert_eq!(tables.len(), 2);
        for (run, (path, table)) in tables.iter().enumerate() {
            assert!(path.ends_with(format!("run-{run}.csv")), "{path:?}");
            assert_eq!(table.len(), 120);
            let run = run.to_string();
            for result in results.iter().filter(|row| row["policy"] == policy && row["run"] == run) {
                let t: usize = result["t"].parse().expect("a round");
                let played = &table[..t];
                let sum = |value: &dyn Fn(&BTreeMap<String, String>) -> f64| played.iter().map(value).sum::<f64>();
                let regret = sum(&|row| number(row, "best_probability") - number(row, "probability"));
                assert!((regret - number(result, "regret")).abs() < 1e-9, "{policy}, run {run}, t {t}");
                assert_eq!(sum(&|row| number(row, "reward")), number(result, "reward"));
            }
            check_table(table);
        }
    }
}

fn check_table(table: &[BTreeMap<String, String>]) {
    for (i, row) in table.iter().enumerate() {
        assert_eq!(row["t"], (i + 1).to_string());
        assert!(row["arm"].parse::<usize>().expect("an arm") < 5);
        assert!(row["delay"] == "4" || row["delay"].is_empty(), "{row:?}");
        assert!(number(row, "x1").hypot(number(row, "x2")) <= 1.0 + 1e-12);
        assert!(number(row, "best_probability") >= number(row, "probability"));
        assert!(row["reward"] == "0" || row["reward"] == "1");
    }
    let lost = table.iter().filter(|row| row["delay"].is_empty()).count();
    assert!(lost > 0 && lost < 120, "{lost}");
}

#[test]
fn finished_runs_get_their_tables_later() {
    let home = Home::with(VARIED);
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    assert!(!home.path("here/choices").exists());
    let before = (home.read("here/results.csv"), home.read("here/runs.log"));
    home.answer(&["run", "experiment.toml", "--out", "here", "--choices"]);
    assert_eq!(home.files("here/choices").len(), 4);
    assert_eq!(before, (home.read("here/results.csv"), home.read("here/runs.log")), "results stay as they are");
    // A table that was lost is made again, and only that.
    let tables = home.files("here/choices");
    std::fs::remove_file(&tables[2].0).expect("it can be removed");
    home.answer(&["run", "experiment.toml", "--out", "here", "--choices"]);
    assert_eq!(tables, home.files("here/choices"));
}

#[test]
fn parquet_is_written_and_kept_in_step() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    assert!(!home.path("here/results.parquet").exists());
    home.answer(&["run", "experiment.toml", "--out", "here", "--parquet"]);
    let bytes = |home: &Home| std::fs::read(home.path("here/results.parquet")).expect("a file");
    let first = bytes(&home);
    assert!(first.starts_with(b"PAR1") && first.ends_with(b"PAR1"));
    // More runs, without the option: the file tells of them too.
    home.write("experiment.toml", &SMALL.replace("runs = 3", "runs = 4"));
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    assert!(bytes(&home).len() > first.len());
}
