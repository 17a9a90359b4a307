//! Every registered radius, by the conformance checks, and what is particular to some.

use optimist::conformance::{self, largest_share, radius_misses};

use super::*;

/// Runs a check for every radius.
fn for_each(name: &str) {
    let check = conformance::radius_checks().iter().find(|check| check.name == name);
    for info in Radius::all() {
        println!("{}", info.name);
        (check.expect("there is such a check").run)(info);
    }
}

/// One test per check.
macro_rules! test_each {
    ($($name:ident)+) => {
        const TESTED: &[&str] = &[$(stringify!($name)),+];

        $(#[test]
        fn $name() {
            for_each(stringify!($name));
        })+
    };
}

test_each! {
    texts_are_there
    promises_are_those_that_are_announced
    problems_that_are_not_sound_are_refused
    the_norm_bound_is_needed_where_it_says_so
    arms_above_the_feature_bound
    the_set_contains_its_centre_and_is_convex
    the_ridge_never_decreases
    one_sided_and_fractional_rewards
    the_truth_stays_in_the_set
    a_restored_belief_goes_on_alike
    a_clone_is_independent
    an_edited_state_does_not_panic
    the_order_matters_only_where_it_says_so
}

#[test]
fn every_check_has_a_test() {
    let checks: Vec<&str> = conformance::radius_checks().iter().map(|check| check.name).collect();
    assert_eq!(checks, TESTED);
}

/// Wilks: this set covers 95% once, not at all times.
#[test]
fn a_set_that_is_too_small_is_found_out() {
    let radius = Radius::from(Excess::new(-DELTA.ln(), 0.0, &options(2, Some(3.0))).unwrap());
    let share = radius_misses(&radius, 0.5, 400, 60);
    assert!(share > largest_share(DELTA, 400), "left in {share} of the runs only");
}

#[test]
fn an_unknown_name_is_told_what_there_is() {
    let text = Radius::by_name("no-such", &options(2, Some(3.0))).unwrap_err().to_string();
    assert!(text.contains("radius") && text.contains("no-such") && text.contains("sequential-mixing"), "{text}");
}

#[test]
fn a_damaged_snapshot_is_refused() {
    let radius = Radius::by_name("likelihood-ratio", &options(2, Some(3.0))).unwrap();
    let text = serde_json::to_string(&radius).unwrap();
    assert!(serde_json::from_str::<Radius>(&text).is_ok());
    let cut = text.replacen("\"theta\":[0.0,0.0]", "\"theta\":[0.0]", 1);
    assert_ne!(cut, text);
    assert!(serde_json::from_str::<Radius>(&cut).unwrap_err().to_string().contains("theta"));
    let text = serde_json::to_string(&Radius::by_name("tight", &options(2, Some(3.0))).unwrap()).unwrap();
    let cut = text.replacen("\"norm_bound\":3.0", "\"norm_bound\":null", 1);
    assert!(serde_json::from_str::<Radius>(&cut).unwrap_err().to_string().contains("norm_bound"));
}
