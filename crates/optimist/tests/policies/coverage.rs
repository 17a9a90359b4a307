//! Does the true parameter stay in the policy's own set as often as promised, while the policy itself chooses?
//!
//! `OPTIMIST_FULL=1`: 1,000 runs of 1,000 rounds. A small version is a conformance check.

use optimist::conformance::{largest_share, policy_misses};
use optimist::{Problem, policy};

use super::conformance::{build, for_each};

const DELTA: f64 = 0.1;

/// Runs, and rounds of a run.
fn size() -> (usize, usize) {
    if std::env::var_os("OPTIMIST_FULL").is_some() { (1000, 1000) } else { (60, 150) }
}

fn problem(delta: f64) -> Problem {
    Problem { dimension: 2, delta, norm_bound: Some(4.0) }
}

#[test]
fn guaranteed_policies_cover() {
    // The small version runs with the conformance checks.
    if std::env::var_os("OPTIMIST_FULL").is_none() {
        return;
    }
    let (runs, rounds) = size();
    for_each(|info| {
        if info.guaranteed {
            let share = policy_misses(|| build(info, &problem(DELTA)), runs, rounds);
            println!("{}: left in {:.1}% of {runs} runs of {rounds} rounds", info.name, 100.0 * share);
            assert!(share <= largest_share(DELTA, runs), "left in {share} of the runs, delta is {DELTA}");
        }
    });
}

/// A set that promises next to nothing must be found out.
#[test]
fn a_set_that_is_too_small_is_found_out() {
    let (runs, rounds) = size();
    let info = policy::info("optimist").unwrap();
    let share = policy_misses(|| build(info, &problem(0.9999)), runs, rounds);
    println!("delta = 0.9999: left in {:.1}% of {runs} runs of {rounds} rounds", 100.0 * share);
    assert!(share > largest_share(DELTA, runs), "left in {share} of the runs only");
}
