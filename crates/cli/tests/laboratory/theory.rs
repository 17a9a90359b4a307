//! `optimist theory` as a user would call it.

use serde_json::Value;

use super::home::Home;

const ARMS: &str = "price,colour\n1,0\n0.6,0.8\n0,1\n-0.8,0.1\n-0.6,-0.8\n";

const EXPERIMENT: &str = "name = \"theory\"\nruns = 2\nhorizon = 300\n\n[environment]\ndimension = 2\n\
    arms = { kind = \"ball-sample\", count = 6 }\nkappa = [10, 20]\n\n[[policy]]\nname = \"ofulog-r\"\n\n\
    [[policy]]\nname = \"laplace-ts\"\n";

fn home() -> Home {
    let home = Home::with(EXPERIMENT);
    home.write("arms.csv", ARMS);
    home
}

fn json(home: &Home, arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["theory"].iter().chain(arguments).chain(&["--json"]).copied().collect();
    serde_json::from_str(&home.answer(&all)).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

#[test]
fn a_list_of_arms_is_described() {
    let home = home();
    let answer = json(&home, &["--theta", "3,1", "--arms", "arms.csv"]);
    let kappa = |z: f64| 2.0 + 2.0 * z.cosh();
    let close = |key: &str, expected: f64| {
        let found = number(&answer[key]);
        assert!((found - expected).abs() <= 1e-12 * expected, "{key}: {found} {expected}");
    };
    close("kappa", kappa(10.0_f64.sqrt()));
    close("kappa_star", kappa(3.0));
    close("kappa_x", kappa(3.0));
    assert_eq!(answer["optimal_arm"], 0);
    assert_eq!(answer["detrimental"], serde_json::json!([3, 4]));
    assert_eq!(answer["arms"].as_array().unwrap().len(), 5);
    assert!(number(&answer["graves_lai"]["upper"]) > 0.0);
    assert!(number(&answer["graves_lai_bounded"]["upper"]) <= number(&answer["graves_lai"]["upper"]));
    for policy in ["ofulog", "ofulog-r", "optimist"] {
        assert!(number(&answer["upper_bound"][policy]["value"]) > 0.0, "{policy}");
    }
    assert_eq!(answer["lower_bound"], Value::Null);
    assert!(answer["notes"]["lower_bound"].as_str().unwrap().contains("ball and sphere"));
}

#[test]
fn ball_and_sphere_have_a_lower_bound() {
    let home = home();
    for set in ["--ball", "--sphere"] {
        let answer = json(&home, &["--theta", "2,0,0", set, "3", "--horizon", "5000"]);
        assert_eq!(answer["optimal_arm"], serde_json::json!([1.0, 0.0, 0.0]));
        let (low, high) = (&answer["lower_bound"], number(&answer["upper_bound"]["optimist"]["value"]));
        let (universal, sharp) = (number(&low["universal"]["value"]), number(&low["sharp"]["value"]));
        assert!(0.0 < universal && universal <= sharp && sharp < high, "{universal} {sharp} {high}");
        assert_eq!(answer["graves_lai"], Value::Null);
    }
}

#[test]
fn an_experiment_is_described_environment_by_environment() {
    let home = home();
    let answer = json(&home, &["experiment.toml"]);
    let environments = answer["environments"].as_array().unwrap();
    assert_eq!(environments.len(), 2);
    for (environment, kappa) in environments.iter().zip(["kappa=10", "kappa=20"]) {
        assert!(environment["environment"].as_str().unwrap().contains(kappa));
        assert_eq!(environment["horizon"], 300);
        assert!(environment["upper_bound"]["ofulog-r"].is_object());
        assert!(environment["notes"]["upper_bound.laplace-ts"].as_str().unwrap().contains("not optimism"));
    }
    let other = json(&home, &["experiment.toml", "--run", "1", "--no-graves-lai"]);
    assert_ne!(other["environments"][0]["theta"], answer["environments"][0]["theta"]);
    assert_eq!(other["environments"][0]["graves_lai"], Value::Null);
}

#[test]
fn the_table_says_the_same_in_words() {
    let home = home();
    let text = home.answer(&["theory", "--theta", "3,1", "--arms", "arms.csv", "--horizon", "1000"]);
    for words in ["kappa_*      22.1", "2 of 5", "T = 1,000 rounds, delta = 0.05", "Graves-Lai", "plays per log T"] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
    let text = home.answer(&["theory", "--theta", "-2,0", "--sphere", "2"]);
    assert!(text.contains("Lower bound (Theorem 2)") && text.contains("a cap"), "{text}");
}

#[test]
fn bad_input_is_named_with_its_remedy() {
    let home = home();
    home.write("ragged.csv", "1,0\n1,0,0\n");
    home.write("words.csv", "1,0\n1,x\n");
    home.write("semicolons.csv", "1;0\n0;1\n");
    let cases: [(&[&str], &str); 15] = [
        (&[], "nothing to ask about: give --theta with --arms FILE"),
        (&["--arms", "arms.csv"], "nothing to ask about"),
        (&["experiment.toml", "--run", "2"], "--run is 2: runs are numbered from 0, and there are 2"),
        (&["--theta", "3,1", "--ball", "2", "--horizon", "18446744073709551615"], "--horizon is 18446744073709551615"),
        (&["--theta", "3,1"], "no arms: give --arms FILE, --ball D or --sphere D"),
        (&["--theta", "3,1", "--ball", "3"], "--ball is 3 and --theta has 2 numbers"),
        (&["--theta", "3,1,0", "--arms", "arms.csv"], "arms.csv: arms have 2 features and --theta has 3 numbers"),
        (&["--theta", "3,NaN", "--ball", "2"], "--theta has NaN"),
        (&["--theta", "3,4", "--ball", "2", "--norm-bound", "4"], "--norm-bound is 4, below the norm 5"),
        (&["--theta", "0,0", "--ball", "2"], "--theta is zero: give --norm-bound"),
        (&["--theta", "3,1", "--ball", "2", "--delta", "1.5"], "--delta is 1.5"),
        (&["--theta", "3,1", "--arms", "absent.csv"], "absent.csv cannot be read: it does not exist"),
        (&["--theta", "3,1", "--arms", "ragged.csv"], "ragged.csv: arms have different lengths"),
        (
            &["--theta", "3,1", "--arms", "semicolons.csv"],
            "semicolons.csv: line 1 has \"1;0\", which is not a finite number",
        ),
        (&["--theta", "3,1", "--arms", "words.csv"], "words.csv: line 2 has \"x\""),
    ];
    for (arguments, expected) in cases {
        let all: Vec<&str> = ["theory"].iter().chain(arguments).copied().collect();
        let message = home.refused(&all);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

/// A constant that is not known to its last digits is not shown as if it were, and many arms are left to those who ask.
#[test]
fn what_is_not_known_is_said() {
    let home = home();
    let text = home.answer(&["theory", "--theta", "100,70", "--arms", "arms.csv"]);
    assert!(text.contains("at most") && text.contains("stopped before"), "{text}");
    let many: String = (0..1300).map(|i| format!("{:.3},{:.3}\n", f64::from(i) / 1300.0, 0.5)).collect();
    home.write("many.csv", &many);
    let text = home.answer(&["theory", "--theta", " 3, 1", "--arms", "many.csv"]);
    assert!(text.contains("graves lai: so many arms take long: --graves-lai computes it"), "{text}");
    let far = json(&home, &["--theta", "800,0", "--sphere", "2"]);
    assert!(far["kappa"].is_null() && far["notes"]["kappa"].as_str().unwrap().contains("too large"));
}

/// The example of the documentation is what the command prints.
#[test]
fn the_documented_example_is_true() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let document = std::fs::read_to_string(format!("{root}docs/theory.md")).expect("the document is there");
    let arms = format!("{root}examples/arms.csv");
    let text = home().answer(&["theory", "--theta", "3,1", "--arms", &arms]);
    assert!(document.contains(text.trim_end()), "docs/theory.md should have\n{text}");
}

/// Every run of a report, with its parts, its bounds and its yardstick.
#[test]
fn reports_hold_theory_beside_the_runs() {
    let home = home();
    home.answer(&["run", "experiment.toml", "--out", "out"]);
    let theory = home.json("out/theory.json");
    for environment in theory.as_array().unwrap() {
        let [optimistic, sampling] = environment["policies"].as_array().unwrap().as_slice() else {
            panic!("two policies")
        };
        let (regret, bound) = (number(&optimistic["regret"]), &optimistic["bound"]);
        assert!(number(&bound["least"]) >= regret);
        let curve = bound["curve"].as_array().unwrap();
        assert!(number(&curve.last().unwrap()[1]) >= number(&bound["realised"]));
        assert!(sampling["bound"].is_null() && sampling["no_bound"].as_str().unwrap().contains("not optimism"));
        let yardstick = number(&environment["graves_lai"]["free"]["mean"]);
        let ratio = number(&optimistic["graves_lai_ratio"]);
        assert!((ratio * yardstick * 300.0_f64.ln() - regret).abs() < 1e-9 * regret);
    }
    let mut lines = home.read("out/results.csv").lines().map(str::to_owned).collect::<Vec<_>>().into_iter();
    let header = lines.next().unwrap();
    let column = |name: &str| header.split(',').position(|title| title == name).unwrap();
    let mut rows = 0;
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let value = |name: &str| cells[column(name)].parse::<f64>().unwrap();
        assert!((value("R1") + value("R2") - value("regret")).abs() < 1e-9);
        assert!((value("R2_bad") + value("R2_good") - value("R2")).abs() < 1e-9);
        assert!(value("slope_sum") <= value("slope_bound") + 1e-9);
        rows += 1;
    }
    assert!(rows > 50);
    let report = home.read("out/report.html");
    assert!(report.contains("Where regret comes from") && report.contains("Theorem 1"));
}
