//! Data that contradict the model, and what is said of them.

use serde_json::{Value, json};

use crate::command::{number, numbers, run, stderr};

/// Two switches and an intercept; each of the four arms was played `count` times, with these shares of successes.
fn switches(count: u64, rates: [f64; 4]) -> Value {
    let arms = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
    let observations: Vec<Value> = arms
        .iter()
        .zip(rates)
        .flat_map(|(x, rate)| {
            let successes = (rate * count as f64).round() as u64;
            [(1, successes), (0, count - successes)].map(|(reward, n)| json!({"x": x, "reward": reward, "count": n}))
        })
        .collect();
    json!({"dimension": 3, "arms": arms, "ids": ["none", "left", "right", "both"], "observations": observations})
}

/// The rows of the table, and what was said.
fn table(problem: &Value) -> (Vec<Vec<String>>, String) {
    let output = run(&["plan", "-", "--csv"], problem.to_string().as_bytes());
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    (rows, stderr(&output).trim_end().to_owned())
}

/// The whole answer.
fn plan(problem: &Value) -> Value {
    serde_json::from_slice(&run(&["plan", "-"], problem.to_string().as_bytes()).stdout).expect("the answer is JSON")
}

/// Either switch helps, both together do not: no theta without an interaction gives such rates.
#[test]
fn an_arm_that_contradicts_the_model_is_named_with_its_rate_and_its_interval() {
    let problem = switches(3000, [0.2, 0.6, 0.6, 0.2]);
    let (rows, said) = table(&problem);
    let column = |k: usize| rows[1..].iter().map(|row| row[k].as_str()).collect::<Vec<_>>();
    assert_eq!(rows[0][7], "warning");
    assert_eq!(column(7), ["misfit"; 4]);
    assert_eq!(said.lines().count(), 4);
    insta::assert_snapshot!(said.lines().last().unwrap(), @"warning: arms[3] (both) contradicts the model: the mean of its 3000 outcomes is 0.2000, by which alone its probability is 0.1594 to 0.2452, and the model's interval is 0.3599 to 0.4411. An interaction of features may be missing, rows may not be independent, or the world may drift; the intervals of all arms rest on the same model");
    assert!(
        said.lines().all(|line| line.contains("interaction") && line.contains("independent") && line.contains("drift"))
    );
    let answer = plan(&problem);
    for arm in answer["arms"].as_array().unwrap() {
        assert_eq!(arm["warnings"], json!(["misfit"]));
    }
    assert_eq!(answer.get("warnings"), None, "nothing is wrong with the set itself");
}

/// Rates that one theta gives, and rates that are off by what few outcomes leave open.
#[test]
fn data_that_fit_are_not_warned_of() {
    let odds = |z: f64| 1.0 / (1.0 + f64::exp(-z));
    let additive = [odds(-1.0), odds(0.5), odds(0.0), odds(1.5)];
    for (count, rates) in [(3000, additive), (1_000_000, additive), (20, [0.2, 0.6, 0.6, 0.2])] {
        let (rows, said) = table(&switches(count, rates));
        assert_eq!(said, "", "{count}");
        assert!(rows[1..].iter().all(|row| row[7].is_empty()), "{count}: {rows:?}");
    }
}

/// The words that say what concerns all arms are in every row, and the estimate belongs to the set that is shown.
#[test]
fn a_refuted_norm_bound_is_in_the_table_and_has_its_own_estimate() {
    let observations = json!([{"x": [1], "reward": 1, "count": 90_000}, {"x": [1], "reward": 0, "count": 10_000}]);
    let problem =
        json!({"dimension": 1, "arms": [[1], [-1]], "observations": observations, "set": {"norm_bound": 0.1}});
    let (rows, said) = table(&problem);
    assert!(said.contains("contradict the norm bound"), "{said}");
    assert!(rows[1..].iter().all(|row| row[7] == "norm-bound-refuted"), "{rows:?}");
    let answer = plan(&problem);
    assert_eq!(answer["warnings"], json!(["norm-bound-refuted"]));
    let estimate = numbers(&answer["estimate"])[0];
    let (lower, upper) = (number(&answer["arms"][0]["lower"]), number(&answer["arms"][0]["upper"]));
    let probability = 1.0 / (1.0 + (-estimate).exp());
    assert!(lower < probability && probability < upper, "{lower} {probability} {upper}");
    // log(9) = 2.197, less what a prior for a ball of radius 0.1 takes off; the ball's own estimate is 0.1.
    assert!(estimate > 1.5, "{estimate}");
}
