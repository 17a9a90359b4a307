//! How many problems planning has solved: counted where there are any, and part of what is stored.

use super::{Game, build, problem};
use crate::generator;
use crate::policy::{self, PolicyInfo};

/// As many rewards of every arm as it takes until no set is the whole ball any more.
fn lesson(game: &mut Game) -> Vec<(Vec<f64>, f64)> {
    let list = game.list();
    let plays = list.iter().flat_map(|x| std::iter::repeat_n(x.to_vec(), 1000));
    plays.map(|x| (x.clone(), game.world.reward(&x))).collect()
}

pub(super) fn solves_are_counted_where_there_are_any(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 10, 21);
    for (x, reward) in lesson(&mut game) {
        policy.observe(&x, reward).unwrap();
    }
    let before = policy.solves();
    game.play(&mut *policy, 40);
    match info.planning.by_solving() {
        true => assert!(before == Some(0) && policy.solves() > before, "{before:?} to {:?}", policy.solves()),
        false => assert_eq!((before, policy.solves()), (None, None)),
    }
}

pub(super) fn asking_questions_does_not_count(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 10, 24);
    game.play(&mut *policy, 20);
    let before = policy.solves();
    policy.probabilities(&game.arms, 10, &mut generator(1)).unwrap();
    let _ = policy.interval(&[0.6, 0.8]);
    assert_eq!(policy.solves(), before);
}

pub(super) fn the_count_is_stored(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 10, 25);
    game.play(&mut *policy, 30);
    let mut restored = policy::restore(&policy.save().unwrap()).unwrap();
    assert_eq!(restored.solves(), policy.solves());
    assert_eq!(policy.boxed_clone().solves(), policy.solves());
    // From the same state the same round takes the same work.
    let choice = policy.choose(&game.arms, &mut generator(1)).unwrap();
    assert_eq!(restored.choose(&game.arms, &mut generator(1)).unwrap(), choice);
    assert_eq!(restored.solves(), policy.solves());
}
