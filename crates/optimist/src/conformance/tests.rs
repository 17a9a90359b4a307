//! Each check can fail: lies in a line of the registry, and rules with a fault, are found out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::policy::{self, FINITE_ARMS, Planning, RewardOrder};

mod faulty;

fn fails<I>(checks: &[Check<I>], name: &str, info: I) -> bool {
    let check = checks.iter().find(|check| check.name == name).expect("there is such a check");
    let info: &'static I = Box::leak(Box::new(info));
    catch_unwind(AssertUnwindSafe(|| (check.run)(info))).is_err()
}

fn truth(name: &str) -> PolicyInfo {
    *policy::info(name).unwrap()
}

#[test]
fn lies_about_policies_are_found_out() {
    let greedy = truth("greedy");
    for (check, lie) in [
        ("the_name_is_kebab_case", PolicyInfo { name: "Greedy", ..greedy }),
        ("texts_are_there", PolicyInfo { summary: " ", ..greedy }),
        ("options_are_listed_and_have_defaults", PolicyInfo { options: &[], ..greedy }),
        ("required_options_are_required_and_the_others_are_not", PolicyInfo { required: &["ridge"], ..greedy }),
        ("required_options_are_required_and_the_others_are_not", PolicyInfo { example: "{}", ..truth("rs-glincb") }),
        ("the_norm_bound_is_needed_where_it_says_so", PolicyInfo { needs_norm_bound: true, ..greedy }),
        ("the_norm_bound_is_needed_where_it_says_so", PolicyInfo { needs_norm_bound: false, ..truth("ecolog") }),
        ("guarantees_are_those_that_are_announced", PolicyInfo { guaranteed: true, ..greedy }),
        ("guarantees_are_those_that_are_announced", PolicyInfo { guaranteed: false, ..truth("optimist") }),
        ("ball_and_sphere_where_they_are_promised", PolicyInfo { arm_sets: FINITE_ARMS, ..greedy }),
        ("arms_above_the_feature_bound", PolicyInfo { unit_arms: true, ..greedy }),
        ("deterministic_policies_use_no_randomness", PolicyInfo { randomised: false, ..truth("uniform") }),
        ("probabilities_match_frequencies", PolicyInfo { randomised: true, ..greedy }),
        ("the_order_of_rewards_does_not_matter", PolicyInfo { order: RewardOrder::Irrelevant, ..truth("ecolog") }),
        ("the_truth_stays_in_the_set", PolicyInfo { guaranteed: true, ..greedy }),
        ("solves_are_counted_where_there_are_any", PolicyInfo { planning: Planning::LevelSet, ..greedy }),
        ("solves_are_counted_where_there_are_any", PolicyInfo { planning: Planning::ClosedForm, ..truth("optimist") }),
    ] {
        assert!(fails(policy_checks(), check, lie), "{check} believes a lie about {}", lie.name);
        let honest = policy::info(lie.name).map_or(greedy, |info| *info);
        assert!(!fails(policy_checks(), check, honest), "{check} does not believe the truth about {}", honest.name);
    }
}

#[test]
fn lies_about_radii_are_found_out() {
    let all = crate::set::Radius::all();
    let truth = |name: &str| **all.iter().find(|info| info.name == name).unwrap();
    let mixture = truth("mixture");
    for (check, lie) in [
        ("texts_are_there", RadiusInfo { summary: "", ..mixture }),
        ("texts_are_there", RadiusInfo { theorem: truth("tight").theorem, ..mixture }),
        ("promises_are_those_that_are_announced", RadiusInfo { guaranteed: false, ..mixture }),
        ("promises_are_those_that_are_announced", RadiusInfo { guaranteed: true, ..truth("paper") }),
        ("the_norm_bound_is_needed_where_it_says_so", RadiusInfo { needs_norm_bound: true, ..mixture }),
        ("arms_above_the_feature_bound", RadiusInfo { unit_arms: true, ..mixture }),
        ("arms_above_the_feature_bound", RadiusInfo { unit_arms: false, ..truth("tight") }),
        ("the_order_matters_only_where_it_says_so", RadiusInfo { needs_order: false, ..truth("sequential-mixing") }),
    ] {
        assert!(fails(radius_checks(), check, lie), "{check} believes a lie about {}", lie.name);
        assert!(!fails(radius_checks(), check, truth(lie.name)), "{check} does not believe the truth");
    }
}

#[test]
fn rules_with_a_fault_are_found_out() {
    faulty::register();
    check_policy(faulty::SOUND);
    for (info, checks) in faulty::FAULTS {
        for check in *checks {
            assert!(fails(policy_checks(), check, **info), "{check} passes \"{}\"", info.name);
        }
    }
}

#[test]
#[should_panic(expected = "policy \"never-registered\" is not registered")]
fn what_is_not_registered_is_told_so() {
    check_policy(Box::leak(Box::new(PolicyInfo { name: "never-registered", ..truth("greedy") })));
}

#[test]
#[should_panic(expected = "policy \"greedy\" fails texts_are_there (")]
fn the_message_names_what_failed() {
    check_policy(Box::leak(Box::new(PolicyInfo { doc: "", ..truth("greedy") })));
}
