//! The lazy argmax against brute force, round after round.

use crate::simulation::Simulation;
use optimist::Problem;
use optimist::plan::{Plan, Planner, SupportSolver, SupportStatus, Target};
use optimist::set::{LevelSet, Radius};
use optimist::{Belief, Error, FiniteArms};

const TOLERANCE: f64 = 1e-9;

/// Values of all arms, each solved from scratch.
fn brute_force(set: &LevelSet<'_>, arms: &FiniteArms) -> Vec<f64> {
    let mut solver = SupportSolver::new(arms.dimension());
    arms.iter().map(|x| solver.solve(set, x, Target::exact(TOLERANCE)).unwrap().value).collect()
}

/// The plan must be proved, its arm must have the largest value, and its value must be that arm's.
fn check(plan: &Plan, set: &LevelSet<'_>, arms: &FiniteArms, round: usize) {
    let values = brute_force(set, arms);
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let allowance = 2.0 * TOLERANCE * best.abs().max(1.0);
    assert!(plan.proved, "round {round}: {plan:?}");
    assert!(
        values[plan.arm] >= best - allowance,
        "round {round}: arm {} is worth {} < {best}",
        plan.arm,
        values[plan.arm]
    );
    assert!((plan.support.value - values[plan.arm]).abs() <= allowance, "round {round}: {plan:?}");
    assert!(plan.support.upper_bound >= best - allowance);
}

fn play(radius: &str, dimension: usize, count: usize, rounds: usize, seed: u64) -> u32 {
    let mut simulation = Simulation::new(dimension, 3.5, seed);
    let arms = simulation.ball_arms(count);
    let options = Problem { dimension, delta: 0.05, norm_bound: Some(4.0) };
    let mut belief = Belief::with_radius(Radius::by_name(radius, &options).unwrap()).unwrap();
    let mut planner = Planner::new(&arms, TOLERANCE).unwrap();
    let mut solves = 0;
    for round in 0..rounds {
        let set = belief.set();
        let plan = planner.choose(&set, &arms).unwrap();
        check(&plan, &set, &arms, round);
        assert!(set.contains(planner.maximiser()) || set.loss(planner.maximiser()) <= set.level() * (1.0 + 1e-12));
        assert!(planner.runner_up(plan.arm) <= plan.support.upper_bound + 1e-7);
        solves += plan.solves;
        let x = arms.arm(plan.arm);
        belief.observe(x, simulation.reward(x)).unwrap();
    }
    solves
}

#[test]
fn the_choice_is_the_brute_force_argmax_in_the_plane() {
    for seed in 0..3 {
        let solves = play("mixture", 2, 40, 400, seed);
        assert!(solves <= 520, "{solves} solves in 400 rounds: the certificates do not carry over");
    }
}

#[test]
fn the_choice_is_the_brute_force_argmax_in_higher_dimension() {
    play("mixture", 10, 200, 80, 7);
    play("mixture", 5, 30, 200, 8);
    play("mixture", 1, 6, 100, 9);
    // More dimensions than arms.
    play("mixture", 12, 4, 60, 10);
}

#[test]
fn every_radius_plans_exactly() {
    for info in Radius::all() {
        play(info.name, 3, 15, 60, 11);
    }
}

#[test]
fn arms_that_change_every_round_are_planned_exactly() {
    let mut simulation = Simulation::new(3, 3.0, 21);
    let first = simulation.ball_arms(10);
    let mut belief = Belief::new(3, Some(4.0), 0.05).unwrap();
    let mut planner = Planner::new(&first, TOLERANCE).unwrap();
    let (mut solves, mut arms_seen) = (0, 0);
    for round in 0..150 {
        let arms = simulation.ball_arms(5 + round % 30);
        let set = belief.set();
        let plan = planner.choose_fresh(&set, &arms).unwrap();
        check(&plan, &set, &arms, round);
        solves += plan.solves;
        arms_seen += arms.len() as u32;
        let x = arms.arm(plan.arm);
        belief.observe(x, simulation.reward(x)).unwrap();
    }
    assert!(2 * solves < arms_seen, "{solves} solves for {arms_seen} arms: outer bounds prune nothing");
}

#[test]
fn without_a_norm_bound_an_untried_direction_is_infinitely_promising() {
    let arms = FiniteArms::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let mut belief = Belief::new(2, None, 0.05).unwrap();
    let mut planner = Planner::new(&arms, TOLERANCE).unwrap();
    for reward in [1.0, 0.0, 1.0, 0.0] {
        belief.observe(&[1.0, 0.0], reward).unwrap();
    }
    let plan = planner.choose(&belief.set(), &arms).unwrap();
    assert_eq!((plan.arm, plan.support.status), (1, SupportStatus::Unbounded));
    for _ in 0..40 {
        belief.observe(&[0.0, 1.0], 0.0).unwrap();
    }
    let set = belief.set();
    let plan = planner.choose(&set, &arms).unwrap();
    assert_eq!(plan.arm, 0);
    check(&plan, &set, &arms, 0);
}

#[test]
fn equal_arms_go_to_the_lowest_index() {
    let arms = FiniteArms::from_rows(&[[0.0, 0.5], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]).unwrap();
    let mut belief = Belief::new(2, Some(2.0), 0.1).unwrap();
    let mut planner = Planner::new(&arms, TOLERANCE).unwrap();
    assert_eq!(planner.choose(&belief.set(), &arms).unwrap().arm, 1, "no data: the longest arms tie");
    for _ in 0..50 {
        belief.observe(&[0.0, 1.0], 0.0).unwrap();
        belief.observe(&[1.0, 0.0], 1.0).unwrap();
    }
    assert_eq!(planner.choose(&belief.set(), &arms).unwrap().arm, 1, "duplicate arms tie");
}

#[test]
fn zero_arms_have_value_zero() {
    let arms = FiniteArms::from_rows(&[[0.0, 0.0]]).unwrap();
    let mut planner = Planner::new(&arms, TOLERANCE).unwrap();
    for bound in [Some(3.0), None] {
        let mut belief = Belief::new(2, bound, 0.1).unwrap();
        let plan = planner.choose(&belief.set(), &arms).unwrap();
        assert_eq!((plan.support.value, plan.support.upper_bound), (0.0, 0.0));
    }
}

#[test]
fn a_planner_refuses_other_dimensions_and_bad_tolerances() {
    let arms = FiniteArms::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let other = FiniteArms::from_rows(&[[1.0], [0.5]]).unwrap();
    let mut belief = Belief::new(2, Some(3.0), 0.1).unwrap();
    let mut planner = Planner::new(&arms, TOLERANCE).unwrap();
    for result in [planner.choose(&belief.set(), &other), planner.choose_fresh(&belief.set(), &other)] {
        assert!(matches!(result, Err(Error::Dimension { expected: 2, got: 1, .. })));
    }
    for tolerance in [0.0, 1.0, f64::NAN, -1e-9] {
        assert!(Planner::new(&arms, tolerance).is_err(), "{tolerance}");
    }
}

#[test]
fn a_planner_notices_other_arms_and_other_beliefs() {
    let mut simulation = Simulation::new(2, 3.0, 41);
    let arms = [simulation.ball_arms(12), simulation.ball_arms(12), simulation.ball_arms(20)];
    let mut beliefs = [Belief::new(2, Some(4.0), 0.05).unwrap(), Belief::new(2, Some(4.0), 0.05).unwrap()];
    let mut planner = Planner::new(&arms[0], TOLERANCE).unwrap();
    for round in 0..200 {
        // Three times the same, then other arms, another belief, or a copy that goes its own way.
        let (arms, which) = (&arms[round / 3 % 3], round / 5 % 2);
        if round == 100 {
            beliefs[1] = beliefs[0].clone();
        }
        let set = beliefs[which].set();
        let plan = planner.choose(&set, arms).unwrap();
        check(&plan, &set, arms, round);
        let x = arms.arm(plan.arm);
        let reward = if which == 0 { simulation.reward(x) } else { 1.0 - simulation.reward(x) };
        beliefs[which].observe(x, reward).unwrap();
    }
}

#[test]
fn certificates_carry_over_without_a_norm_bound_too() {
    let mut simulation = Simulation::new(2, 2.0, 42);
    let arms = simulation.ball_arms(20);
    let mut belief = Belief::new(2, None, 0.05).unwrap();
    let mut planner = Planner::new(&arms, TOLERANCE).unwrap();
    let (mut solves, rounds) = (0, 300);
    for round in 0..rounds {
        let set = belief.set();
        let plan = planner.choose(&set, &arms).unwrap();
        let values = brute_force(&set, &arms);
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let equal = values[plan.arm] == best || values[plan.arm] >= best - 1e-7 * best.abs().max(1.0);
        assert!(plan.proved && equal, "round {round}: {plan:?} {best}");
        solves += plan.solves;
        let x = arms.arm(plan.arm);
        belief.observe(x, simulation.reward(x)).unwrap();
    }
    assert!(solves < 3 * rounds as u32, "{solves} solves in {rounds} rounds");
}

#[test]
fn a_set_that_was_empty_leaves_no_trace() {
    for name in ["mixture", "sequential-mixing"] {
        let mut simulation = Simulation::new(2, 0.9, 31);
        let arms = simulation.ball_arms(12);
        let options = Problem { dimension: 2, delta: 0.05, norm_bound: Some(1.0) };
        let mut belief = Belief::with_radius(Radius::by_name(name, &options).unwrap()).unwrap();
        let mut planner = Planner::new(&arms, TOLERANCE).unwrap();
        let mut empty = 0;
        for round in 0..900 {
            let set = belief.set();
            let plan = planner.choose(&set, &arms).unwrap();
            if set.is_empty() {
                empty += 1;
                assert_eq!((plan.support.status, plan.arm), (SupportStatus::Empty, arms.best_for(set.centre())));
            } else {
                check(&plan, &set, &arms, round);
            }
            // For a while rewards contradict the norm bound; then they come from the model again.
            let x = arms.arm(round % arms.len());
            let reward = if round < 80 { f64::from(u8::from(x[0] > 0.0)) } else { simulation.reward(x) };
            belief.observe(x, reward).unwrap();
        }
        assert!(empty > 0 && empty < 800, "{name}: {empty} empty rounds");
    }
}

#[test]
fn certificates_do_not_outlive_the_reach_they_rely_on() {
    // The ridge, not the norm bound, limits the set, and ever less so as the level rises.
    let options = Problem { dimension: 2, delta: 0.05, norm_bound: Some(50.0) };
    let radius = Radius::from(optimist::set::Excess::new(0.5, 2.0, &options).unwrap());
    let mut belief = Belief::with_radius(radius).unwrap();
    let mut simulation = Simulation::new(2, 6.0, 32);
    let arms = simulation.ball_arms(15);
    let mut planner = Planner::new(&arms, TOLERANCE).unwrap();
    for round in 0..300 {
        let set = belief.set();
        let plan = planner.choose(&set, &arms).unwrap();
        check(&plan, &set, &arms, round);
        let x = arms.arm(plan.arm);
        belief.observe(x, simulation.reward(x)).unwrap();
    }
}

/// Certificates that were stored without their data must not be believed about other data.
#[test]
fn a_planner_restored_alone_starts_afresh() {
    let arms = FiniteArms::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let learn = |outcomes: [f64; 2]| {
        let mut belief = Belief::new(2, Some(4.0), 0.05).unwrap();
        for (arm, outcome) in outcomes.into_iter().enumerate() {
            belief.observe_many(arms.arm(arm), outcome, 300).unwrap();
        }
        belief
    };
    let mut planner = Planner::new(&arms, 1e-9).unwrap();
    planner.choose(&learn([0.0, 0.0]).set(), &arms).unwrap();
    let mut restored: Planner = serde_json::from_str(&serde_json::to_string(&planner).unwrap()).unwrap();
    let mut other = learn([0.0, 1.0]);
    let expected = Planner::new(&arms, 1e-9).unwrap().choose(&other.set(), &arms).unwrap();
    let plan = restored.choose(&other.set(), &arms).unwrap();
    assert_eq!((plan.arm, plan.support.value), (expected.arm, expected.support.value));
}
