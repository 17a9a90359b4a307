//! How many problems planning has solved, where that is known.

use optimist::plan::{BallPlanner, BranchPlanner, Planner};
use optimist::policy::{self, Policy};
use optimist::set::DecrementSet;
use optimist::{ArmSet, Belief, Generator, generator};
use serde_json::{Value, json};

use super::documents::resealed;
use super::problem;
use crate::simulation::Simulation;

/// A policy at play with ||theta*|| = 3 and arms in the unit disk.
struct Game {
    world: Simulation,
    arms: ArmSet<'static>,
    rng: Generator,
}

impl Game {
    fn new(arms: usize, seed: u64) -> Self {
        let mut world = Simulation::new(2, 3.0, seed);
        let arms = ArmSet::from(world.ball_arms(arms));
        Self { world, arms, rng: generator(seed + 1000) }
    }

    fn round(&mut self, policy: &mut dyn Policy) -> (Vec<f64>, f64) {
        let x = policy.choose(&self.arms, &mut self.rng).unwrap().features.into_owned();
        let reward = self.world.reward(&x);
        policy.observe(&x, reward).unwrap();
        (x, reward)
    }
}

/// As many rewards of every arm as it takes until no set is the whole ball any more.
fn lesson(game: &mut Game) -> Vec<(Vec<f64>, f64)> {
    let ArmSet::Finite(list) = &game.arms else { unreachable!("the game has a list") };
    let plays = list.iter().flat_map(|x| std::iter::repeat_n(x.to_vec(), 1000));
    plays.map(|x| (x.clone(), game.world.reward(&x))).collect()
}

#[test]
fn optimism_takes_about_one_solve_a_round() {
    let mut policy = policy::build("optimist", &problem()).unwrap();
    let mut game = Game::new(40, 22);
    (0..2000).for_each(|_| drop(game.round(&mut *policy)));
    let a_round = policy.solves().unwrap() as f64 / 2000.0;
    assert!((1.0..1.3).contains(&a_round), "{a_round} solves per round");
}

#[test]
fn the_count_is_the_planners_own() {
    let mut game = Game::new(10, 23);
    let ArmSet::Finite(list) = game.arms.clone() else { unreachable!("the game has a list") };
    let mut optimist = policy::build("optimist", &problem()).unwrap();
    let mut ofulog = policy::build("ofulog", &problem()).unwrap();
    let (mut planner, mut branch) = (Planner::new(&list, 1e-9).unwrap(), BranchPlanner::new(2).with_node_limit(20_000));
    let mut belief = Belief::new(2, Some(4.0), 0.05).unwrap();
    for (x, reward) in lesson(&mut game) {
        optimist.observe(&x, reward).unwrap();
        ofulog.observe(&x, reward).unwrap();
        belief.observe(&x, reward).unwrap();
    }
    let (mut solves, mut boxes) = (0, 0);
    for round in 0..60 {
        solves += u64::from(planner.choose(&belief.set(), &list).unwrap().solves);
        let set = DecrementSet::corrected(belief.history(), 0.05, 4.0).unwrap();
        branch.start_from(ofulog.estimate()).unwrap();
        boxes += branch.choose(&set, &list).unwrap().plan.nodes as u64;
        ofulog.choose(&game.arms, &mut generator(1)).unwrap();
        assert_eq!(ofulog.solves(), Some(boxes), "round {round}");
        let (x, reward) = game.round(&mut *optimist);
        ofulog.observe(&x, reward).unwrap();
        belief.observe(&x, reward).unwrap();
        assert_eq!(optimist.solves(), Some(solves), "round {round}");
    }
    let ball = BallPlanner::new(2).choose(&belief.set(), 1e-6).unwrap().solves as u64;
    optimist.choose(&ArmSet::Ball { dimension: 2 }, &mut generator(1)).unwrap();
    assert_eq!(optimist.solves(), Some(solves + ball));
    assert!(ball > 0 && boxes > 0);
}

#[test]
fn without_optimistic_plays_bayes_ucb_has_a_formula() {
    let policy = policy::build_with("bayes-ucb", &problem(), json!({ "optimism": Value::Null })).unwrap();
    assert_eq!(policy.solves(), None);
}

#[test]
fn a_count_that_is_full_stays_full() {
    let mut policy = policy::build("optimist", &problem()).unwrap();
    let mut game = Game::new(10, 27);
    (0..5).for_each(|_| drop(game.round(&mut *policy)));
    let text = resealed(&policy.save().unwrap(), |state| {
        state["rule"]["planner"]["solves"] = json!(u64::MAX);
    });
    let mut restored = policy::restore(&text).unwrap();
    (0..5).for_each(|_| drop(game.round(&mut *restored)));
    assert_eq!(restored.solves(), Some(u64::MAX));
}
