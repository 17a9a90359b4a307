//! The checks of a policy, and the games they play.

use rand::Rng;
use serde_json::{Map, Value, json};

use super::{Check, Simulation, checks};
use crate::policy::{self, Policy, PolicyInfo};
use crate::{ArmSet, FiniteArms, Generator, Problem, Result, generator};

mod arms;
mod certify;
mod documents;
mod input;
mod line;
mod numbers;
mod order;
mod probabilities;
mod solves;
mod state;

pub(super) const CHECKS: &[Check<PolicyInfo>] = checks![
    line: the_name_is_kebab_case, texts_are_there, options_are_listed_and_have_defaults,
        required_options_are_required_and_the_others_are_not, unknown_and_unsound_options_are_refused,
        problems_that_are_not_sound_are_refused, the_norm_bound_is_needed_where_it_says_so,
        guarantees_are_those_that_are_announced;
    arms: one_feature, one_arm, duplicates_and_zeros, nothing_but_zeros, more_features_than_arms, names_come_back,
        other_arms_every_round, ball_and_sphere_where_they_are_promised, the_ball_of_one_feature;
    input: observations_that_are_not_sound, arms_that_do_not_fit, arms_above_the_feature_bound;
    state: the_same_seed_gives_the_same_choices, deterministic_policies_use_no_randomness, a_restored_policy_goes_on_alike,
        storing_between_choice_and_reward_is_fine, ties_are_broken_alike_after_a_restore, a_clone_is_independent;
    documents: headers_that_do_not_fit_are_refused, cut_documents_are_refused, a_changed_digit_is_noticed,
        another_dimension_is_refused, another_policys_state_does_not_panic, an_edited_state_does_not_panic;
    order: the_order_of_rewards_does_not_matter, late_rewards_are_taken_in,
        choices_without_rewards_and_rewards_without_choices;
    probabilities: probabilities_sum_to_one_and_change_nothing, probabilities_match_frequencies, simulation_needs_draws;
    numbers: ten_thousand_rounds, one_sided_rewards, separable_rewards_without_norm_bound, fractional_rewards,
        tiny_arms_and_unit_arms, extreme_problems;
    certify: intervals_hold_the_estimate_and_the_truth, bounds_that_come_with_a_choice_agree_with_the_interval,
        without_certification_there_is_no_interval, arms_that_are_certified_worse_are_dropped,
        the_truth_stays_in_the_set;
    solves: solves_are_counted_where_there_are_any, asking_questions_does_not_count, the_count_is_stored;
];

/// d features, delta 0.05, norm bound 4.
fn problem(dimension: usize) -> Problem {
    Problem { dimension, delta: 0.05, norm_bound: Some(4.0) }
}

/// The options that the policy requires.
fn required(info: &PolicyInfo) -> Map<String, Value> {
    serde_json::from_str(info.example).unwrap_or_else(|e| panic!("its example is no JSON object: {e}"))
}

/// The policy with its required options and defaults otherwise.
pub(super) fn build(info: &PolicyInfo, problem: &Problem) -> Box<dyn Policy> {
    build_with(info, problem, &[]).unwrap_or_else(|e| panic!("{}: {e}", info.name))
}

/// The policy with its required options and these.
fn build_with(info: &PolicyInfo, problem: &Problem, options: &[(&str, Value)]) -> Result<Box<dyn Policy>> {
    let mut all = required(info);
    all.extend(options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    policy::build_with(info.name, problem, Value::Object(all))
}

/// The variants of a policy: as it is and, if it remembers its observations, certified, and eliminating.
fn variants(info: &PolicyInfo, problem: &Problem) -> Vec<Box<dyn Policy>> {
    let mut all = vec![build(info, problem)];
    if info.uses_history {
        for eliminate in [false, true] {
            let options = [("certify", json!("mixture")), ("eliminate", json!(eliminate))];
            all.push(build_with(info, problem, &options).unwrap());
        }
    }
    all
}

/// A policy at play: the world, its arms, and the policy's randomness.
struct Game {
    world: Simulation,
    arms: ArmSet<'static>,
    rng: Generator,
}

impl Game {
    /// ||theta*|| = 3 and arms in the unit ball.
    fn new(dimension: usize, arms: usize, seed: u64) -> Self {
        let mut world = Simulation::new(dimension, 3.0, seed);
        let arms = ArmSet::from(world.ball_arms(arms));
        Self { world, arms, rng: generator(seed + 1000) }
    }

    /// The arms, which are a list unless a check has changed them.
    fn list(&self) -> FiniteArms<'static> {
        let ArmSet::Finite(list) = &self.arms else { unreachable!("the game has a list") };
        list.clone()
    }

    /// Plays a round and returns what was chosen and the reward.
    fn round(&mut self, policy: &mut dyn Policy) -> (Vec<f64>, f64) {
        let choice = policy.choose(&self.arms, &mut self.rng).unwrap();
        let x = choice.features.into_owned();
        let reward = self.world.reward(&x);
        policy.observe(&x, reward).unwrap();
        (x, reward)
    }

    fn play(&mut self, policy: &mut dyn Policy, rounds: usize) -> Vec<(Vec<f64>, f64)> {
        (0..rounds).map(|_| self.round(policy)).collect()
    }
}

/// What a policy chooses from a list.
fn chosen(policy: &mut dyn Policy, arms: &ArmSet<'_>, rng: &mut dyn Rng) -> usize {
    policy.choose(arms, rng).unwrap().index.expect("an arm of a list has an index")
}

fn is_finite(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite())
}
