//! Shapes of lists: one arm, one feature, duplicates, zeros, other arms every round; the ball and the sphere.

use super::{Game, build, is_finite, problem, variants};
use crate::numerics::norm;
use crate::policy::{ArmKind, PolicyInfo};
use crate::{ArmSet, FiniteArms};

/// Plays 60 rounds on these arms with every variant of the policy.
fn play_on(info: &PolicyInfo, arms: &FiniteArms<'static>) {
    let dimension = arms.dimension();
    for mut policy in variants(info, &problem(dimension)) {
        let mut game = Game::new(dimension, 1, 31);
        game.arms = arms.clone().into();
        for _ in 0..60 {
            let choice = policy.choose(&game.arms, &mut game.rng).unwrap();
            assert!(choice.log_odds.is_finite());
            let index = choice.index.unwrap();
            assert_eq!(&*choice.features, arms.arm(index));
            let reward = game.world.reward(&choice.features);
            policy.observe(&choice.features, reward).unwrap();
        }
        assert!(is_finite(policy.estimate()));
    }
}

pub(super) fn one_feature(info: &'static PolicyInfo) {
    play_on(info, &FiniteArms::from_rows(&[[1.0], [-0.5], [0.2]]).unwrap());
}

pub(super) fn one_arm(info: &'static PolicyInfo) {
    play_on(info, &FiniteArms::from_rows(&[[0.3, -0.4]]).unwrap());
    play_on(info, &FiniteArms::from_rows(&[[1.0]]).unwrap());
}

pub(super) fn duplicates_and_zeros(info: &'static PolicyInfo) {
    play_on(info, &FiniteArms::from_rows(&[[0.6, 0.8], [0.6, 0.8], [0.0, 0.0], [-0.6, 0.1], [0.0, 0.0]]).unwrap());
}

pub(super) fn nothing_but_zeros(info: &'static PolicyInfo) {
    play_on(info, &FiniteArms::from_rows(&[[0.0, 0.0], [0.0, 0.0]]).unwrap());
}

pub(super) fn more_features_than_arms(info: &'static PolicyInfo) {
    let mut rows = [[0.0; 6]; 2];
    (rows[0][1], rows[0][4], rows[1][5]) = (0.5, -0.5, 0.9);
    play_on(info, &FiniteArms::from_rows(&rows).unwrap());
}

pub(super) fn names_come_back(info: &'static PolicyInfo) {
    let arms = FiniteArms::from_rows(&[[0.6, 0.8], [0.8, -0.6]]).unwrap().with_ids(["a", "b"]).unwrap();
    let mut game = Game::new(2, 1, 32);
    let set = ArmSet::from(arms);
    let mut policy = build(info, &problem(2));
    let choice = policy.choose(&set, &mut game.rng).unwrap();
    assert_eq!(choice.id.as_deref(), Some(["a", "b"][choice.index.unwrap()]));
}

pub(super) fn other_arms_every_round(info: &'static PolicyInfo) {
    for mut policy in variants(info, &problem(3)) {
        let mut game = Game::new(3, 5, 33);
        for round in 0..80 {
            // The list grows, shrinks, and at times stays.
            if round % 5 != 4 {
                game.arms = game.world.ball_arms(1 + (round * 7) % 11).into();
            }
            game.round(&mut *policy);
        }
        assert!(is_finite(policy.estimate()));
    }
}

pub(super) fn ball_and_sphere_where_they_are_promised(info: &'static PolicyInfo) {
    assert!(info.arm_sets.contains(&ArmKind::Finite));
    for (kind, arms) in
        [(ArmKind::Ball, ArmSet::Ball { dimension: 2 }), (ArmKind::Sphere, ArmSet::Sphere { dimension: 2 })]
    {
        let mut policy = build(info, &problem(2));
        let mut game = Game::new(2, 1, 34);
        game.arms = arms;
        if !info.arm_sets.contains(&kind) {
            let before = policy.save().unwrap();
            let error = policy.choose(&game.arms, &mut game.rng).unwrap_err().to_string();
            assert!(error.contains(info.name) && error.contains("list"), "{error}");
            assert_eq!(policy.save().unwrap(), before);
            continue;
        }
        for _ in 0..25 {
            let (x, _) = game.round(&mut *policy);
            let length = norm(&x);
            let right = if kind == ArmKind::Ball { length <= 1.0 + 1e-9 } else { (length - 1.0).abs() <= 1e-9 };
            assert!(is_finite(&x) && right, "{kind:?}: {x:?}");
        }
    }
}

pub(super) fn the_ball_of_one_feature(info: &'static PolicyInfo) {
    if info.arm_sets.contains(&ArmKind::Ball) {
        let mut policy = build(info, &problem(1));
        let mut game = Game::new(1, 1, 35);
        game.arms = ArmSet::Ball { dimension: 1 };
        game.play(&mut *policy, 25).iter().for_each(|(x, _)| assert!(x[0].abs() <= 1.0 + 1e-9, "{x:?}"));
    }
}
