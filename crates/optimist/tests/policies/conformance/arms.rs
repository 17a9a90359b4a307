//! Shapes of lists: one arm, one feature, duplicates, zeros, other arms every round; the ball and the sphere.

use optimist::policy::ArmKind;
use optimist::{ArmSet, FiniteArms};

use super::{Game, build, for_each, is_finite, norm, problem, variants};

/// Plays `rounds` rounds on these arms with every variant of every policy.
fn play_on(dimension: usize, arms: &FiniteArms<'static>, rounds: usize) {
    for_each(|info| {
        for mut policy in variants(info, &problem(dimension)) {
            let mut game = Game::new(dimension, 1, 31);
            game.arms = arms.clone().into();
            for _ in 0..rounds {
                let choice = policy.choose(&game.arms, &mut game.rng).unwrap();
                assert!(choice.log_odds.is_finite());
                let index = choice.index.unwrap();
                assert_eq!(&*choice.features, arms.arm(index));
                let reward = game.world.reward(&choice.features);
                policy.observe(&choice.features, reward).unwrap();
            }
            assert!(is_finite(policy.estimate()));
        }
    });
}

#[test]
fn one_feature() {
    play_on(1, &FiniteArms::from_rows(&[[1.0], [-0.5], [0.2]]).unwrap(), 60);
}

#[test]
fn one_arm() {
    play_on(2, &FiniteArms::from_rows(&[[0.3, -0.4]]).unwrap(), 60);
    play_on(1, &FiniteArms::from_rows(&[[1.0]]).unwrap(), 60);
}

#[test]
fn duplicates_and_zeros() {
    play_on(2, &FiniteArms::from_rows(&[[0.6, 0.8], [0.6, 0.8], [0.0, 0.0], [-0.6, 0.1], [0.0, 0.0]]).unwrap(), 60);
}

#[test]
fn nothing_but_zeros() {
    play_on(2, &FiniteArms::from_rows(&[[0.0, 0.0], [0.0, 0.0]]).unwrap(), 60);
}

#[test]
fn more_features_than_arms() {
    let mut rows = [[0.0; 6]; 2];
    (rows[0][1], rows[0][4], rows[1][5]) = (0.5, -0.5, 0.9);
    play_on(6, &FiniteArms::from_rows(&rows).unwrap(), 60);
}

#[test]
fn names_come_back() {
    for_each(|info| {
        let arms = FiniteArms::from_rows(&[[0.6, 0.8], [0.8, -0.6]]).unwrap().with_ids(["a", "b"]).unwrap();
        let mut game = Game::new(2, 1, 32);
        let set = ArmSet::from(arms);
        let mut policy = build(info, &problem(2));
        let choice = policy.choose(&set, &mut game.rng).unwrap();
        assert_eq!(choice.id.as_deref(), Some(["a", "b"][choice.index.unwrap()]));
    });
}

#[test]
fn other_arms_every_round() {
    for_each(|info| {
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
    });
}

#[test]
fn ball_and_sphere_where_they_are_promised() {
    for_each(|info| {
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
    });
}

#[test]
fn the_ball_of_one_feature() {
    for_each(|info| {
        if info.arm_sets.contains(&ArmKind::Ball) {
            let mut policy = build(info, &problem(1));
            let mut game = Game::new(1, 1, 35);
            game.arms = ArmSet::Ball { dimension: 1 };
            game.play(&mut *policy, 25).iter().for_each(|(x, _)| assert!(x[0].abs() <= 1.0 + 1e-9, "{x:?}"));
        }
    });
}
