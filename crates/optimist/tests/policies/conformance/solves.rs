//! How many problems planning has solved: counted where there are any, and part of what is stored.

use optimist::plan::{BallPlanner, BranchPlanner, Planner};
use optimist::policy;
use optimist::set::DecrementSet;
use optimist::{ArmSet, Belief};
use serde_json::{Value, json};

use super::documents::resealed;
use super::{Game, build, build_with, for_each, problem, seeded};

/// Those that solve problems to plan; all others have a formula.
const SOLVING: &[&str] = &["optimist", "ofulog", "ofulog-r", "ofulog-plus", "ofuglb", "emk", "bayes-ucb"];

/// As many rewards of every arm as it takes until no set is the whole ball any more.
fn lesson(game: &mut Game) -> Vec<(Vec<f64>, f64)> {
    let ArmSet::Finite(list) = &game.arms else { unreachable!("the game has a list") };
    let plays = list.iter().flat_map(|x| std::iter::repeat_n(x.to_vec(), 1000));
    plays.map(|x| (x.clone(), game.world.reward(&x))).collect()
}

#[test]
fn policies_that_plan_in_closed_form_count_nothing() {
    for_each(|info| {
        let mut policy = build(info, &problem(2));
        let mut game = Game::new(2, 10, 21);
        for (x, reward) in lesson(&mut game) {
            policy.observe(&x, reward).unwrap();
        }
        let before = policy.solves();
        game.play(&mut *policy, 40);
        match SOLVING.contains(&info.name) {
            true => assert!(before == Some(0) && policy.solves() > before, "{before:?} to {:?}", policy.solves()),
            false => assert_eq!((before, policy.solves()), (None, None)),
        }
    });
}

#[test]
fn optimism_takes_about_one_solve_a_round() {
    let mut policy = build(policy::info("optimist").unwrap(), &problem(2));
    Game::new(2, 40, 22).play(&mut *policy, 2000);
    let a_round = policy.solves().unwrap() as f64 / 2000.0;
    assert!((1.0..1.3).contains(&a_round), "{a_round} solves per round");
}

#[test]
fn the_count_is_the_planners_own() {
    let mut game = Game::new(2, 10, 23);
    let ArmSet::Finite(list) = game.arms.clone() else { unreachable!("the game has a list") };
    let mut optimist = build(policy::info("optimist").unwrap(), &problem(2));
    let mut ofulog = build(policy::info("ofulog").unwrap(), &problem(2));
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
        ofulog.choose(&game.arms, &mut seeded(1)).unwrap();
        assert_eq!(ofulog.solves(), Some(boxes), "round {round}");
        let (x, reward) = game.round(&mut *optimist);
        ofulog.observe(&x, reward).unwrap();
        belief.observe(&x, reward).unwrap();
        assert_eq!(optimist.solves(), Some(solves), "round {round}");
    }
    let ball = BallPlanner::new(2).choose(&belief.set(), 1e-6).unwrap().solves as u64;
    optimist.choose(&ArmSet::Ball { dimension: 2 }, &mut seeded(1)).unwrap();
    assert_eq!(optimist.solves(), Some(solves + ball));
    assert!(ball > 0 && boxes > 0);
}

#[test]
fn asking_questions_does_not_count() {
    for_each(|info| {
        let mut policy = build(info, &problem(2));
        let mut game = Game::new(2, 10, 24);
        game.play(&mut *policy, 20);
        let before = policy.solves();
        policy.probabilities(&game.arms, 10, &mut seeded(1)).unwrap();
        let _ = policy.interval(&[0.6, 0.8]);
        assert_eq!(policy.solves(), before);
    });
}

#[test]
fn without_optimistic_plays_bayes_ucb_has_a_formula() {
    let info = policy::info("bayes-ucb").unwrap();
    let policy = build_with(info, &problem(2), &[("optimism", Value::Null)]).unwrap();
    assert_eq!(policy.solves(), None);
}

#[test]
fn the_count_is_stored() {
    for_each(|info| {
        let mut policy = build(info, &problem(2));
        let mut game = Game::new(2, 10, 25);
        game.play(&mut *policy, 30);
        let mut restored = policy::restore(&policy.save().unwrap()).unwrap();
        assert_eq!(restored.solves(), policy.solves());
        assert_eq!(policy.boxed_clone().solves(), policy.solves());
        // From the same state the same round takes the same work.
        let choice = policy.choose(&game.arms, &mut seeded(1)).unwrap();
        assert_eq!(restored.choose(&game.arms, &mut seeded(1)).unwrap(), choice);
        assert_eq!(restored.solves(), policy.solves());
    });
}

#[test]
fn a_count_that_is_full_stays_full() {
    let mut policy = build(policy::info("optimist").unwrap(), &problem(2));
    let mut game = Game::new(2, 10, 27);
    game.play(&mut *policy, 5);
    let text = resealed(&policy.save().unwrap(), |state| {
        state["rule"]["planner"]["solves"] = json!(u64::MAX);
    });
    let mut restored = policy::restore(&text).unwrap();
    game.play(&mut *restored, 5);
    assert_eq!(restored.solves(), Some(u64::MAX));
}
