//! The checks of a radius, and the data they use.

use super::{Check, Simulation, checks};
use crate::set::{Radius, RadiusInfo};
use crate::{Belief, Problem};

mod line;
mod set;
mod state;

pub(super) const CHECKS: &[Check<RadiusInfo>] = checks![
    line: texts_are_there, promises_are_those_that_are_announced, problems_that_are_not_sound_are_refused,
        the_norm_bound_is_needed_where_it_says_so, arms_above_the_feature_bound;
    set: the_set_contains_its_centre_and_is_convex, the_ridge_never_decreases, one_sided_and_fractional_rewards,
        the_truth_stays_in_the_set;
    state: a_restored_belief_goes_on_alike, a_clone_is_independent, an_edited_state_does_not_panic,
        the_order_matters_only_where_it_says_so;
];

/// delta 0.05.
fn problem(dimension: usize, norm_bound: Option<f64>) -> Problem {
    Problem { dimension, delta: 0.05, norm_bound }
}

/// The radius with a norm bound of 3 and, where that is possible, without.
fn variants(info: &RadiusInfo, dimension: usize) -> Vec<Radius> {
    let bounds = [Some(3.0), None].into_iter().take(if info.needs_norm_bound { 1 } else { 2 });
    bounds.map(|bound| Radius::by_name(info.name, &problem(dimension, bound)).unwrap()).collect()
}

/// `count` observations of ten arms in turn.
fn observations(dimension: usize, count: usize, seed: u64) -> Vec<(Vec<f64>, f64)> {
    let mut world = Simulation::new(dimension, 2.0, seed);
    let arms = world.ball_arms(10);
    (0..count).map(|i| (arms.arm(i % 10).to_vec(), world.reward(arms.arm(i % 10)))).collect()
}

/// The belief that has seen them, one by one.
fn belief(radius: Radius, observations: &[(Vec<f64>, f64)]) -> Belief {
    let mut belief = Belief::with_radius(radius).unwrap();
    feed(&mut belief, observations);
    belief
}

fn feed(belief: &mut Belief, observations: &[(Vec<f64>, f64)]) {
    observations.iter().for_each(|(x, reward)| belief.observe(x, *reward).unwrap());
}
