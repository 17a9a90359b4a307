//! Checkpoints by a rule instead of a list.

use super::{ENVIRONMENT, POLICY, accepted, file, refused};

fn with(checkpoints: &str) -> String {
    file(&format!("checkpoints = {checkpoints}"), ENVIRONMENT, POLICY)
}

#[test]
fn rules_are_read() {
    let read = |text: &str| accepted(&with(text)).checkpoints;
    assert_eq!(read("\"every 30\""), [30, 60, 90, 100]);
    assert_eq!(read("\"every 100\""), [100]);
    assert_eq!(read("\"all\""), (1..=100).collect::<Vec<_>>());
    assert_eq!(read("\"log 3\""), [1, 10, 100]);
}

#[test]
fn what_is_no_rule_is_refused() {
    let allowed =
        "it must be a list of whole numbers from 1 to the horizon, or \"every N\", \"log N\" (N of them) or \"all\"";
    for wrong in ["often", "every", "every 0", "log 0", "every -3", "log 2.5"] {
        assert_eq!(refused(&with(&format!("\"{wrong}\""))), format!("checkpoints is \"{wrong}\": {allowed}"));
    }
    assert_eq!(refused(&with("7")), format!("checkpoints is 7: {allowed}"));
    assert_eq!(
        refused(&with("\"every 101\"")),
        "checkpoints is \"every 101\": no round is after the horizon, which is 100"
    );
}

#[test]
fn too_many_rows_are_counted_before_anything_is_run() {
    let large = |checkpoints: &str, horizon: &str, runs: &str| {
        with(checkpoints).replace("horizon = 100", horizon).replace("runs = 2", runs)
    };
    let message = refused(&large("\"all\"", "horizon = 10000", "runs = 300"));
    let beginning =
        "checkpoints: there would be 3000000 rows of results (environments x policies x runs x checkpoints)";
    assert!(message.starts_with(beginning) && message.ends_with("\"every N\" with a larger N"), "{message}");
    // Nor are they written out before they are counted.
    let message = refused(&large("\"all\"", "horizon = 1e8", "runs = 1"));
    assert!(message.starts_with("checkpoints: there would be 100000000 rows"), "{message}");
    // As many points as every curve has are no question of size.
    accepted(&large("\"log 100\"", "horizon = 10000", "runs = 1e6"));
    accepted(&large("\"every 10\"", "horizon = 10000", "runs = 2000"));
}
