//! The registry as a whole, and messages about options.

use optimist::policy;
use serde_json::json;

use super::problem;

#[test]
fn names_are_unique_and_the_default_comes_first() {
    let names: Vec<&str> = policy::names().collect();
    for (i, name) in names.iter().enumerate() {
        assert!(!names[..i].contains(name), "\"{name}\" twice");
    }
    assert_eq!(names[0], "optimist", "the default comes first");
    let error = policy::info("no-such-policy").unwrap_err().to_string();
    assert!(names.iter().all(|name| error.contains(name)), "{error}");
}

/// The text alone must tell which option is wrong and what it may be.
#[test]
fn messages_about_options() {
    let message = |name: &str, options: serde_json::Value| {
        policy::build_with(name, &problem(), options).map(drop).unwrap_err().to_string()
    };
    insta::assert_snapshot!(message("laplace-ts", json!({"scale": "big"})), @r#"options of "laplace-ts": scale is "big", which it cannot be. scale: multiple of the posterior's standard deviation; positive"#);
    insta::assert_snapshot!(message("bayes-ucb", json!({"quantile": "levrage"})), @r#"options of "bayes-ucb": quantile is "levrage", which it cannot be. quantile: "leverage": z^2 = 3 + 2 log(1 + (t/d) v(x)); or a number z, the same for all arms"#);
    insta::assert_snapshot!(message("greedy", json!({"eliminate": 1})), @r#"options of "greedy": eliminate is 1, which it cannot be. eliminate: true: drop arms of a fixed list once they are certified worse than another (needs certify = "mixture")"#);
    insta::assert_snapshot!(message("greedy", json!({"rigde": 1})), @r#"options of "greedy": "rigde" is not an option of this policy (did you mean "ridge"?); it has ridge, posterior, own, half_life, certify, eliminate, memory, explore"#);
    insta::assert_snapshot!(message("greedy", json!({"ridge": -1})), @"ridge is -1: it must be positive");
}
