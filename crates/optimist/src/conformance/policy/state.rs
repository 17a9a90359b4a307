//! The same seed gives the same run, and a stored policy goes on as if nothing had happened.

use super::{Game, build, problem, variants};
use crate::policy::{self, Counts, Policy, PolicyInfo};
use crate::{FiniteArms, generator};

pub(super) fn the_same_seed_gives_the_same_choices(info: &'static PolicyInfo) {
    let run = || {
        let mut policy = build(info, &problem(2));
        let mut game = Game::new(2, 10, 1);
        (game.play(&mut *policy, 150), policy.save().unwrap())
    };
    assert_eq!(run(), run());
}

pub(super) fn deterministic_policies_use_no_randomness(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 10, 2);
    let before = game.rng.clone();
    game.play(&mut *policy, 60);
    let untouched = game.rng == before;
    assert!(info.randomised || untouched, "called deterministic, but draws");
}

/// Plays both on and compares choices, certificates, and what they store.
fn go_on_alike(policy: &mut dyn Policy, restored: &mut dyn Policy, game: &mut Game, rounds: usize) {
    for round in 0..rounds {
        let mut copy = game.rng.clone();
        let choice = policy.choose(&game.arms, &mut game.rng).unwrap();
        assert_eq!(choice, restored.choose(&game.arms, &mut copy).unwrap(), "round {round}");
        assert_eq!(game.rng, copy, "round {round}: the restored policy draws otherwise");
        let reward = game.world.reward(&choice.features);
        policy.observe(&choice.features, reward).unwrap();
        restored.observe(&choice.features, reward).unwrap();
    }
    assert_eq!(policy.estimate(), restored.estimate());
    assert_eq!(policy.counts(), restored.counts());
    assert_eq!(policy.save().unwrap(), restored.save().unwrap());
}

pub(super) fn a_restored_policy_goes_on_alike(info: &'static PolicyInfo) {
    for mut policy in variants(info, &problem(2)) {
        let mut game = Game::new(2, 10, 3);
        for rounds in [0, 1, 30, 90] {
            game.play(&mut *policy, rounds);
            let text = policy.save().unwrap();
            let mut restored = policy::restore(&text).unwrap();
            assert_eq!(restored.save().unwrap(), text, "stored again it differs");
            assert_eq!(restored.options().unwrap(), policy.options().unwrap());
            assert_eq!(restored.problem(), policy.problem());
            go_on_alike(&mut *policy, &mut *restored, &mut game, 60);
        }
    }
}

pub(super) fn storing_between_choice_and_reward_is_fine(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(3));
    let mut game = Game::new(3, 6, 4);
    game.play(&mut *policy, 20);
    let choice = policy.choose(&game.arms, &mut game.rng).unwrap();
    let mut restored = policy::restore(&policy.save().unwrap()).unwrap();
    policy.observe(&choice.features, 1.0).unwrap();
    restored.observe(&choice.features, 1.0).unwrap();
    drop(choice);
    go_on_alike(&mut *policy, &mut *restored, &mut game, 40);
}

pub(super) fn ties_are_broken_alike_after_a_restore(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 1, 5);
    // Symmetric and duplicate arms: before any data all of them look the same.
    let rows = [[0.6, 0.8], [-0.6, -0.8], [0.8, -0.6], [0.6, 0.8], [-0.8, 0.6]];
    game.arms = FiniteArms::from_rows(&rows).unwrap().into();
    let mut restored = policy::restore(&policy.save().unwrap()).unwrap();
    go_on_alike(&mut *policy, &mut *restored, &mut game, 30);
}

pub(super) fn a_clone_is_independent(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 5, 6);
    game.play(&mut *policy, 20);
    let text = policy.save().unwrap();
    let mut clone = policy.boxed_clone();
    game.play(&mut *clone, 20);
    assert_eq!(policy.save().unwrap(), text, "the clone's rounds changed the original");
    assert_eq!(clone.counts(), Counts { rounds: 40, rewards: 40 });
    let _ = policy.choose(&game.arms, &mut generator(1)).unwrap();
}
