//! When it is looked whether theta* is in a policy's set, and that looking changes nothing else.

use optimist_lab::Outcome;
use optimist_lab::experiment::Coverage;
use optimist_lab::simulation::Record;

use super::{experiment, fresh, plane};

/// A set that may fail nine times out of ten, so that theta* is found outside.
fn outcome(coverage: Coverage) -> Outcome {
    let mut experiment = experiment(40, 200, vec![plane(20.0)], &["optimist", "laplace-ts"]);
    (experiment.delta, experiment.coverage, experiment.checkpoints) = (0.9, coverage, vec![50, 120, 200]);
    fresh(&experiment)
}

fn records(outcome: &Outcome, policy_runs: usize) -> Vec<&Record> {
    outcome.environments[0].policies[policy_runs].runs.iter().map(|(_, record)| record).collect()
}

#[test]
fn checkpoints_are_the_only_rounds_looked_at_if_that_is_asked_for() {
    let rounds = outcome(Coverage::Rounds);
    let checkpoints = outcome(Coverage::Checkpoints);
    let off = outcome(Coverage::Off);
    let left = |outcome: &Outcome| -> Vec<Option<u64>> { records(outcome, 0).iter().map(|r| r.left_set).collect() };
    let (every, some) = (left(&rounds), left(&checkpoints));
    let is_elsewhere = |t: &u64| ![0, 50, 120, 200].contains(t);
    assert!(every.iter().flatten().any(is_elsewhere), "no run leaves the set between checkpoints: {every:?}");
    assert!(some.iter().all(Option::is_some) && !some.iter().flatten().any(is_elsewhere), "{some:?}");
    // Who looks less often finds it outside no earlier, and no more often.
    for (a, b) in every.iter().flatten().zip(some.iter().flatten()) {
        assert!(*b == 0 || (*a > 0 && a <= b), "{a} {b}");
    }
    assert!(left(&off).iter().all(Option::is_none));
    assert!(records(&rounds, 1).iter().all(|record| record.left_set.is_none()), "laplace-ts keeps no set");
}

#[test]
fn looking_changes_nothing() {
    let [rounds, checkpoints, off] = [Coverage::Rounds, Coverage::Checkpoints, Coverage::Off].map(outcome);
    for policy_runs in 0..2 {
        for (a, b) in [(&rounds, &checkpoints), (&rounds, &off)] {
            for (a, b) in records(a, policy_runs).iter().zip(records(b, policy_runs)) {
                assert_eq!((&a.regret, &a.reward, a.solves), (&b.regret, &b.reward, b.solves));
            }
        }
    }
}
