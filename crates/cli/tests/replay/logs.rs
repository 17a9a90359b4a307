//! Logs of decisions.

use serde_json::Value;

use super::data::{Desk, PROPENSITIES, dsjson, log, log_csv};
use crate::command::number;

/// With the best action for every device a decision earns 0.8, with any fixed one 0.4.
const BEST: f64 = 0.8;

fn estimates(entry: &Value) -> Vec<(&str, f64, f64)> {
    let list = entry["estimates"].as_array().expect("a list").iter();
    let of = |e: &'static str| move |value: &Value| number(&value[e]);
    list.map(|e| (e["method"].as_str().unwrap(), of("value")(e), of("standard_error")(e))).collect()
}

/// All four estimates are near what the policy would earn, and their intervals hold it; the log itself earns less.
#[test]
fn with_propensities() {
    let desk = Desk::new();
    desk.write("log.csv", log_csv(&log(4000, PROPENSITIES)));
    let arguments = ["log.csv", "--arm", "banner", "--reward", "clicked", "--propensity", "p"];
    let document = desk.json(&[&arguments[..], &["--policy", "bayes-ucb,uniform"]].concat());
    assert_eq!(document["rounds"], 4000);
    let [ucb, uniform] = &document["entries"].as_array().unwrap()[..] else { panic!("{document}") };
    assert!(ucb["mistakes"].is_null() && ucb["verdict"] == "usable", "{ucb}");
    // No weight is above ten: clipped estimates would be those by inverse propensity, and are not repeated.
    assert_eq!(estimates(ucb).len(), 3);
    for (method, value, error) in estimates(ucb) {
        // It learns on the way, so it earns a little less than the best.
        assert!(value > BEST - 0.12 - 5.0 * error && value < BEST + 5.0 * error, "{method}: {value} +- {error}");
    }
    for (method, value, error) in estimates(uniform) {
        assert!((value - 0.4).abs() < 5.0 * error, "{method}: {value} +- {error}");
    }
    let always = &ucb["estimates"][1]["always_valid"];
    assert!(number(&always["lower"]) > 0.45 && number(&always["upper"]) <= 1.0, "{always}");
    assert!(ucb["estimates"][0]["always_valid"].is_null(), "no weight limit was promised");
    let limited = [&arguments[..], &["--policy", "bayes-ucb", "--weight-limit", "5"]].concat();
    assert!(desk.json(&limited)["entries"][0]["estimates"][0]["always_valid"].is_object());
    let (text, _) = desk.told(&arguments);
    assert!(text.contains("(the log)") && text.contains("usable, by "), "{text}");
}

#[test]
fn dsjson_needs_no_columns() {
    let desk = Desk::new();
    let log = log(2000, PROPENSITIES);
    desk.write("log.csv", log_csv(&log));
    desk.write("log.dsjson", dsjson(&log));
    let document = desk.json(&["log.dsjson", "--policy", "bayes-ucb"]);
    let entry = &document["entries"][0];
    assert_eq!((&document["rounds"], &entry["model"]), (&2000.into(), &"hybrid".into()));
    let (_, value, error) = estimates(entry)[0];
    assert!(value > BEST - 0.15 - 5.0 * error && value < BEST + 5.0 * error, "{value} +- {error}");
    // The floor needs no model: it must be the same from both files.
    let floor = desk.json(&["log.dsjson", "--policy", "uniform"]);
    let same = ["log.csv", "--arm", "banner", "--reward", "clicked", "--propensity", "p", "--policy", "uniform"];
    let same = desk.json(&same);
    assert_eq!(floor["entries"][0]["estimates"][1], same["entries"][0]["estimates"][1]);
}

#[test]
fn a_uniform_log_needs_no_propensities() {
    let desk = Desk::new();
    let third = 1.0 / 3.0;
    desk.write("log.csv", log_csv(&log(3000, [third; 3])));
    let arguments = ["log.csv", "--arm", "banner", "--reward", "clicked", "--ignore", "p", "--policy", "bayes-ucb"];
    let document = desk.json(&arguments);
    let entry = &document["entries"][0];
    let (method, value, error) = estimates(entry)[0];
    assert_eq!((method, &entry["verdict"]), ("rejection", &"usable".into()));
    assert!(value > BEST - 0.15 - 5.0 * error && value < BEST + 5.0 * error, "{value} +- {error}");
}

#[test]
fn a_log_that_is_not_uniform_is_refused_without_propensities() {
    let desk = Desk::new();
    desk.write("log.csv", log_csv(&log(1000, PROPENSITIES)));
    let message = desk.refused(&["log.csv", "--arm", "banner", "--reward", "clicked", "--ignore", "p"]);
    assert!(message.contains("is not uniformly random: \"green\" was taken in "), "{message}");
    assert!(message.contains("give --propensity COLUMN"), "{message}");
}

/// Weights whose mean is not one are refused in words, candidate by candidate.
#[test]
fn wrong_propensities_are_noticed() {
    let desk = Desk::new();
    let text = log_csv(&log(2000, PROPENSITIES)).replace(",0.6,", ",0.05,");
    desk.write("log.csv", text);
    let (text, _) =
        desk.told(&["log.csv", "--arm", "banner", "--reward", "clicked", "--propensity", "p", "--policy", "uniform"]);
    assert!(
        text.contains("refused: weights q/p must average one") && text.contains("no candidate has a usable estimate"),
        "{text}"
    );
}

#[test]
fn other_rewards_are_scaled() {
    let desk = Desk::new();
    let log = log(600, PROPENSITIES);
    desk.write("log.csv", log_csv(&log));
    let doubled: String = log_csv(&log).replace(",1\n", ",20\n").replace(",0\n", ",-20\n");
    desk.write("wide.csv", doubled);
    let columns = ["--arm", "banner", "--reward", "clicked", "--propensity", "p", "--policy", "greedy"];
    let plain = desk.json(&[&["log.csv"], &columns[..]].concat());
    let scaled = desk.json(&[&["wide.csv"], &columns[..], &["--reward-scale", "range:-20:20"]].concat());
    assert_eq!(plain, scaled);
    let message = desk.refused(&[&["wide.csv"], &columns[..]].concat());
    assert!(
        message.contains("--reward \"clicked\" is ") && message.contains("give --reward-scale range:LOW:HIGH"),
        "{message}"
    );
}
