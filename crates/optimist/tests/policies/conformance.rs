//! What every policy of the registry must do. A policy that is added is covered without a line here.
//!
//! `OPTIMIST_POLICY=name` runs one policy only; `--nocapture` shows how long each took.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use optimist::policy::{self, Policy, PolicyInfo};
use optimist::{ArmSet, Problem, conformance, generator};
use serde_json::Value;

use crate::simulation::Simulation;

mod certify;
mod documents;
mod line;
mod solves;

/// Runs `check` for every policy and fails with the names of all that failed.
pub(crate) fn for_each(check: impl Fn(&'static PolicyInfo)) {
    let only = std::env::var("OPTIMIST_POLICY").ok();
    let chosen = policy::registry().into_iter().filter(|info| only.as_ref().is_none_or(|name| name == info.name));
    let fails = |info: &&'static PolicyInfo| {
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| check(info)));
        println!("{}: {:.2} s", info.name, start.elapsed().as_secs_f64());
        if outcome.is_err() {
            eprintln!("^ {}", info.name);
        }
        outcome.is_err()
    };
    let failed: Vec<&str> = chosen.filter(fails).map(|info| info.name).collect();
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
}

/// Two features, delta 0.05, norm bound 4.
fn problem() -> Problem {
    Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) }
}

/// The policy with its required options and defaults otherwise.
pub(crate) fn build(info: &PolicyInfo, problem: &Problem) -> Box<dyn Policy> {
    let required: Value = serde_json::from_str(info.example).unwrap();
    policy::build_with(info.name, problem, required).unwrap()
}

/// The policy after some rounds.
fn played(info: &PolicyInfo, rounds: usize) -> Box<dyn Policy> {
    let (mut policy, mut world, mut rng) = (build(info, &problem()), Simulation::new(2, 3.0, 11), generator(1011));
    let arms = ArmSet::from(world.ball_arms(4));
    for _ in 0..rounds {
        let choice = policy.choose(&arms, &mut rng).unwrap();
        policy.observe(&choice.features, world.reward(&choice.features)).unwrap();
    }
    policy
}

/// One test per check.
macro_rules! test_each {
    ($($name:ident)+) => {
        const TESTED: &[&str] = &[$(stringify!($name)),+];

        $(#[test]
        fn $name() {
            let check = conformance::policy_checks().iter().find(|check| check.name == stringify!($name));
            for_each(check.expect("there is such a check").run);
        })+
    };
}

test_each! {
    the_name_is_kebab_case
    texts_are_there
    options_are_listed_and_have_defaults
    required_options_are_required_and_the_others_are_not
    unknown_and_unsound_options_are_refused
    problems_that_are_not_sound_are_refused
    the_norm_bound_is_needed_where_it_says_so
    guarantees_are_those_that_are_announced
    one_feature
    one_arm
    duplicates_and_zeros
    nothing_but_zeros
    more_features_than_arms
    names_come_back
    other_arms_every_round
    ball_and_sphere_where_they_are_promised
    the_ball_of_one_feature
    observations_that_are_not_sound
    arms_that_do_not_fit
    arms_above_the_feature_bound
    the_same_seed_gives_the_same_choices
    deterministic_policies_use_no_randomness
    a_restored_policy_goes_on_alike
    storing_between_choice_and_reward_is_fine
    ties_are_broken_alike_after_a_restore
    a_clone_is_independent
    headers_that_do_not_fit_are_refused
    cut_documents_are_refused
    a_changed_digit_is_noticed
    another_dimension_is_refused
    another_policys_state_does_not_panic
    an_edited_state_does_not_panic
    the_order_of_rewards_does_not_matter
    late_rewards_are_taken_in
    choices_without_rewards_and_rewards_without_choices
    probabilities_sum_to_one_and_change_nothing
    probabilities_match_frequencies
    simulation_needs_draws
    ten_thousand_rounds
    one_sided_rewards
    separable_rewards_without_norm_bound
    fractional_rewards
    tiny_arms_and_unit_arms
    extreme_problems
    intervals_hold_the_estimate_and_the_truth
    bounds_that_come_with_a_choice_agree_with_the_interval
    without_certification_there_is_no_interval
    arms_that_are_certified_worse_are_dropped
    the_truth_stays_in_the_set
    solves_are_counted_where_there_are_any
    asking_questions_does_not_count
    the_count_is_stored
}

#[test]
fn every_check_has_a_test() {
    let checks: Vec<&str> = conformance::policy_checks().iter().map(|check| check.name).collect();
    assert_eq!(checks, TESTED);
}
