//! The numbers: checked against a search of the set by brute force.

use serde_json::{Value, json};

use crate::command::{number, numbers, plan, refused, run, stderr};

/// Points a side of the grid.
const GRID: usize = 1201;

fn data() -> Vec<([f64; 2], f64, f64)> {
    vec![([1.0, 0.0], 1.0, 14.0), ([1.0, 0.0], 0.0, 6.0), ([0.3, -0.9], 0.0, 9.0), ([0.3, -0.9], 1.0, 4.0)]
}

fn problem(set: Value) -> Value {
    let observe = |(x, reward, count): &([f64; 2], f64, f64)| json!({"x": x, "reward": reward, "count": count});
    let observations: Vec<Value> = data().iter().map(observe).collect();
    let arms = [[1.0, 0.0], [0.6, 0.8], [0.0, -1.0], [-0.5, 0.1], [0.0, 0.0]];
    json!({"dimension": 2, "arms": arms, "observations": observations, "set": set})
}

/// Log-loss with ridge, written down anew.
fn loss(theta: [f64; 2], ridge: f64) -> f64 {
    let sum: f64 = data()
        .iter()
        .map(|(x, reward, count)| {
            let z = x[0] * theta[0] + x[1] * theta[1];
            count * (z.max(0.0) + (-z.abs()).exp().ln_1p() - reward * z)
        })
        .sum();
    sum + 0.5 * ridge * (theta[0] * theta[0] + theta[1] * theta[1])
}

/// Largest x'theta over the points of a grid that are in the set the answer describes, for each arm.
fn search(answer: &Value, arms: &[Vec<f64>], reach: f64) -> Vec<f64> {
    let (level, ridge) = (number(&answer["level"]), number(&answer["ridge"]));
    let bound = number(&answer["norm_bound"]);
    let mut best = vec![f64::NEG_INFINITY; arms.len()];
    let coordinate = |i: usize| reach * (2.0 * i as f64 / (GRID - 1) as f64 - 1.0);
    for theta in (0..GRID * GRID).map(|i| [coordinate(i / GRID), coordinate(i % GRID)]) {
        if theta[0].hypot(theta[1]) <= bound && loss(theta, ridge) <= level {
            for (best, x) in best.iter_mut().zip(arms) {
                *best = best.max(x[0] * theta[0] + x[1] * theta[1]);
            }
        }
    }
    best
}

/// Values, bounds, maximisers, probabilities and choice of an answer, against the grid.
fn check_by_search(set: Value, reach: f64) {
    let problem = problem(set);
    let answer = plan(&problem.to_string());
    let arms: Vec<Vec<f64>> = problem["arms"].as_array().unwrap().iter().map(numbers).collect();
    let opposite: Vec<Vec<f64>> = arms.iter().map(|x| x.iter().map(|v| -v).collect()).collect();
    let (above, below) = (search(&answer, &arms, reach), search(&answer, &opposite, reach));
    let slack = 6.0 * reach / GRID as f64;
    let logistic = |z: f64| 1.0 / (1.0 + (-z).exp());
    for (k, arm) in answer["arms"].as_array().unwrap().iter().enumerate() {
        let (value, bound) = (number(&arm["value"]), number(&arm["upper_bound"]));
        assert!(value <= bound && bound - value <= 2e-9 * value.abs().max(1.0), "{arm}");
        assert!(above[k] <= bound + 1e-12 && value <= above[k] + slack, "{} against {arm}", above[k]);
        let theta = numbers(&arm["theta"]);
        let attained = arms[k][0] * theta[0] + arms[k][1] * theta[1];
        assert!((attained - value).abs() <= 1e-12 * value.abs().max(1.0), "{arm}");
        assert!(loss([theta[0], theta[1]], number(&answer["ridge"])) <= number(&answer["level"]) + 1e-9, "{arm}");
        assert!((number(&arm["upper"]) - logistic(bound)).abs() < 1e-14, "{arm}");
        let lower = number(&arm["lower"]);
        assert!(lower <= logistic(-below[k]) + 1e-12 && lower >= logistic(-below[k] - slack) - 1e-9, "{arm}");
    }
    let best = above.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let choice = answer["choice"].as_u64().unwrap() as usize;
    assert!(above[choice] >= best - slack, "{answer}");
}

#[test]
fn values_are_those_of_a_search_where_the_norm_bound_matters() {
    check_by_search(json!({"norm_bound": 1.0, "delta": 0.05}), 1.0);
}

#[test]
fn values_are_those_of_a_search_where_it_does_not() {
    check_by_search(json!({"norm_bound": 8.0, "delta": 0.1}), 8.0);
}

#[test]
fn values_are_those_of_a_search_without_norm_bound() {
    check_by_search(json!({"radius": "mixture"}), 10.0);
}

#[test]
fn values_are_those_of_a_search_for_a_fixed_excess() {
    check_by_search(json!({"radius": {"excess": 2.0, "ridge": 0.5}, "norm_bound": 1.2}), 1.2);
    check_by_search(json!({"radius": {"excess": 2.0}}), 6.0);
}

/// Least loss over a disc, on grids that shrink around the best point so far.
fn least_loss(ridge: f64, bound: f64) -> f64 {
    let (mut centre, mut width, mut least) = ([0.0, 0.0], bound, loss([0.0, 0.0], ridge));
    for _ in 0..200 {
        let middle = centre;
        for i in 0..441 {
            let step = |j: usize| width * (j as f64 / 10.0 - 1.0);
            let mut theta = [middle[0] + step(i / 21), middle[1] + step(i % 21)];
            let length = theta[0].hypot(theta[1]);
            if length > bound {
                theta = [theta[0] * bound / length, theta[1] * bound / length];
            }
            let value = loss(theta, ridge);
            if value < least {
                (least, centre) = (value, theta);
            }
        }
        width *= 0.8;
    }
    least
}

#[test]
fn an_excess_is_counted_from_the_least_loss_over_the_ball() {
    for (ridge, bound) in [(0.0, 0.5), (0.0, 20.0), (3.0, 0.3), (3.0, 20.0)] {
        let set = json!({"radius": {"excess": 1.5, "ridge": ridge}, "norm_bound": bound});
        let answer = plan(&problem(set).to_string());
        let expected = least_loss(ridge, bound) + 1.5;
        assert!((number(&answer["level"]) - expected).abs() < 1e-8, "{expected} against {}", answer["level"]);
        assert_eq!(number(&answer["ridge"]), ridge);
        assert_eq!(number(&answer["norm_bound"]), bound);
        assert_eq!(answer["guarantee"]["delta"], Value::Null);
    }
}

/// Names of the registry, with whether they have the property of that key.
fn radii_with(key: &str) -> Vec<(String, bool)> {
    let output = run(&["radii", "--json"], b"");
    let radii: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    let entry = |r: &Value| (r["name"].as_str().unwrap().to_owned(), r[key].as_bool().unwrap());
    radii.iter().map(entry).collect()
}

fn radii() -> Vec<(String, bool)> {
    radii_with("needs_norm_bound")
}

/// The plan for a problem that must be accepted, and what was said about it.
fn plan_and_warnings(problem: &str) -> (Value, String) {
    let output = run(&["plan", "-"], problem.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{problem}");
    (serde_json::from_slice(&output.stdout).expect("the answer is JSON"), stderr(&output).trim_end().to_owned())
}

#[test]
fn every_radius_of_the_registry_runs() {
    for (name, _) in radii() {
        let problem = problem(json!({"radius": name, "norm_bound": 2.0, "delta": 0.1})).to_string();
        let (answer, _) = plan_and_warnings(&problem);
        assert_eq!(answer["guarantee"]["name"], name.as_str());
        for arm in answer["arms"].as_array().unwrap() {
            let (lower, upper) = (number(&arm["lower"]), number(&arm["upper"]));
            assert!((0.0..=1.0).contains(&lower) && lower <= upper && upper <= 1.0, "{name}: {arm}");
        }
    }
}

/// What every radius promises can be read, and a plan with one that promises nothing says so.
#[test]
fn a_radius_that_promises_nothing_says_so() {
    for (name, guaranteed) in radii_with("guaranteed") {
        let (_, warnings) = plan_and_warnings(&problem(json!({"radius": name, "norm_bound": 2.0})).to_string());
        assert_eq!(warnings.contains("promises nothing"), !guaranteed, "{name}: {warnings}");
        let text = String::from_utf8(run(&["radii", &name], b"").stdout).expect("text");
        assert!(text.starts_with(&format!("{name}: ")) && text.contains("It assumes:") == guaranteed, "{text}");
        let one: Value = serde_json::from_slice(&run(&["radii", &name, "--json"], b"").stdout).expect("JSON");
        assert_eq!((one["guaranteed"].as_bool(), one["assumptions"].is_array()), (Some(guaranteed), true));
    }
    let output = run(&["radii", "mixtrue"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean \"mixture\"?"), "{}", stderr(&output));
}

#[test]
fn a_radius_that_needs_a_norm_bound_says_so() {
    for (name, needs) in radii() {
        let problem = problem(json!({"radius": name})).to_string();
        if needs {
            let message = refused(&problem);
            assert!(message.contains("set.norm_bound is missing") && message.contains(&name), "{message}");
        } else {
            plan_and_warnings(&problem);
        }
    }
}

#[test]
fn a_radius_that_cannot_take_long_features_names_the_observation() {
    for (name, _) in radii() {
        let mut problem = problem(json!({"radius": name, "norm_bound": 2.0}));
        problem["observations"][2]["x"] = json!([30.0, 40.0]);
        let output = run(&["plan", "-"], problem.to_string().as_bytes());
        let message = stderr(&output);
        match output.status.code() {
            Some(0) => {}
            code => {
                assert_eq!(code, Some(2), "{message}");
                assert!(message.contains("observations[2].x has norm 50") && message.contains("rescale"), "{message}");
            }
        }
    }
}

#[test]
fn without_data_and_norm_bound_nothing_is_known() {
    let answer = plan(r#"{"dimension": 1, "arms": [[0.0], [1.0], [-2.0]]}"#);
    assert_eq!(answer["arms"][0]["status"], "zero-direction");
    for k in [1, 2] {
        let arm = &answer["arms"][k];
        assert_eq!((&arm["value"], &arm["upper_bound"], &arm["theta"]), (&Value::Null, &Value::Null, &Value::Null));
        assert_eq!(arm["status"], "unbounded");
        assert_eq!((number(&arm["lower"]), number(&arm["upper"])), (0.0, 1.0));
    }
    assert_eq!(answer["choice"], 1, "the first of the arms without bound");
}

#[test]
fn successes_alone_leave_no_upper_bound_but_a_lower_one() {
    let observations = r#"[{"x": [1], "reward": 1, "count": 50}]"#;
    let answer = plan(&format!(r#"{{"dimension": 1, "arms": [[1]], "observations": {observations}}}"#));
    let arm = &answer["arms"][0];
    assert_eq!(arm["status"], "unbounded");
    assert_eq!(number(&arm["upper"]), 1.0);
    assert!(number(&arm["lower"]) > 0.5, "{arm}");
}

#[test]
fn ties_go_to_the_first_arm() {
    let answer = plan(r#"{"dimension": 2, "arms": [[0, 0], [0, 1], [1, 0]], "set": {"norm_bound": 1}}"#);
    assert_eq!(answer["choice"], 1);
}

#[test]
fn counts_and_repeated_lines_mean_the_same() {
    let with = |observations: &str| {
        plan(&format!(
            r#"{{"dimension": 1, "arms": [[1]], "observations": [{observations}], "set": {{"norm_bound": 3}}}}"#
        ))
    };
    let line = r#"{"x": [1], "reward": 0.25}"#;
    let (counted, repeated) =
        (with(r#"{"x": [1], "reward": 0.25, "count": 3.0}"#), with(&[line, line, line].join(",")));
    let value = |answer: &Value| number(&answer["arms"][0]["value"]);
    assert!((value(&counted) - value(&repeated)).abs() < 1e-8, "{counted} {repeated}");
}

#[test]
fn keys_come_in_the_documented_order_and_names_are_echoed() {
    let output = run(
        &["plan", "-"],
        br#"{"dimension": 1, "arms": [[1], [2]], "ids": ["a", "b, \"c\""], "set": {"norm_bound": 1}}"#,
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let keys = ["estimate", "level", "ridge", "norm_bound", "arms", "id", "value", "upper_bound", "theta", "status"];
    let rest = ["lower", "upper", "choice", "choice_id", "guarantee"];
    let place = |key: &str| text.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key} in {text}"));
    let places: Vec<usize> = keys.iter().chain(&rest).map(|key| place(key)).collect();
    assert!(places.is_sorted(), "{text}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["arms"][1]["id"], "b, \"c\"");
    assert_eq!((&answer["choice"], &answer["choice_id"]), (&json!(1), &json!("b, \"c\"")));
}

#[test]
fn without_names_the_choice_has_none() {
    let answer = plan(r#"{"dimension": 1, "arms": [[1]], "set": {"norm_bound": 1}}"#);
    assert_eq!(answer.get("choice_id"), None);
}

#[test]
fn an_empty_set_is_answered_with_a_warning() {
    let observations = r#"[{"x": [1], "reward": 1, "count": 100000}]"#;
    let problem =
        format!(r#"{{"dimension": 1, "arms": [[1]], "observations": {observations}, "set": {{"norm_bound": 0.1}}}}"#);
    let output = run(&["plan", "-"], problem.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(stderr(&output).trim_end(), @"warning: the observations contradict the norm bound, or the model: no parameter within set.norm_bound is left. Values and bounds are those of the level set without it, which holds at the same delta");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["norm_bound"].is_null() && answer["guarantee"]["norm_bound"].is_null());
    let arm = &answer["arms"][0];
    assert_eq!(arm["status"], "unbounded");
    // More than the ball would allow: mu(0.1) = 0.525.
    assert!(number(&arm["lower"]) > 0.526);
    assert_eq!(number(&arm["upper"]), 1.0);
}

#[test]
fn counts_are_warned_of_where_the_order_matters() {
    let ordered = radii_with("needs_order");
    assert_eq!(ordered.iter().filter(|(_, needs_order)| *needs_order).count(), 2);
    for (name, needs_order) in ordered {
        let mut problem = problem(json!({"radius": name, "norm_bound": 2.0}));
        let (_, counted) = plan_and_warnings(&problem.to_string());
        if needs_order {
            insta::allow_duplicates!(
                insta::assert_snapshot!(counted, @"warning: counts merge observations by outcome: this radius's promise holds only if the merged observations were really consecutive; use mixture for counts")
            );
        } else {
            assert!(!counted.contains("counts"), "{name}: {counted}");
        }
        problem["observations"] = json!([{"x": [1.0, 0.0], "reward": 1}, {"x": [1.0, 0.0], "reward": 0, "count": 1}]);
        let (_, single) = plan_and_warnings(&problem.to_string());
        assert!(!single.contains("counts"), "{name}: {single}");
    }
}

#[test]
fn an_empty_set_may_come_of_disorder_where_the_order_matters() {
    let observations = vec![json!({"x": [1], "reward": 1}); 2000];
    let set = json!({"radius": "sequential-mixing", "norm_bound": 0.01});
    let problem = json!({"dimension": 1, "arms": [[1]], "observations": observations, "set": set});
    let (answer, warning) = plan_and_warnings(&problem.to_string());
    assert_eq!(answer["arms"][0]["status"], "empty");
    insta::assert_snapshot!(warning, @"warning: the set is empty: the observations contradict the norm bound or the model (a larger set.norm_bound spends delta again), or they were merged or sorted by outcome (this radius needs them in order; use mixture); values are those of its centre, and nothing is certified");
}
