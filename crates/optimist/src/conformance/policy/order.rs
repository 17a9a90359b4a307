//! Rewards that come late, in another order, in batches, or never.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::{Game, build, is_finite, problem};
use crate::generator;
use crate::numerics::{dot, norm};
use crate::policy::{Counts, Policy, PolicyInfo, RewardOrder};

/// Takes the observations in.
fn feed<'a>(policy: &mut dyn Policy, observations: impl IntoIterator<Item = &'a (Vec<f64>, f64)>) {
    for (x, reward) in observations {
        policy.observe(x, *reward).unwrap();
    }
}

fn assert_close(a: &[f64], b: &[f64]) {
    let difference: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    assert!(norm(&difference) <= 1e-6 * norm(a).max(1e-3), "{a:?} and {b:?}");
}

pub(super) fn the_order_of_rewards_does_not_matter(info: &'static PolicyInfo) {
    let mut game = Game::new(2, 12, 21);
    let mut observations = game.play(&mut *build(info, &problem(2)), 150);
    let (mut first, mut second) = (build(info, &problem(2)), build(info, &problem(2)));
    feed(&mut *first, &observations);
    observations.shuffle(&mut generator(22));
    feed(&mut *second, &observations);
    assert!(is_finite(first.estimate()) && is_finite(second.estimate()));
    let commutes = info.order != RewardOrder::Matters;
    if commutes {
        assert_close(first.estimate(), second.estimate());
    }
    // The list is fixed: there is no occasion for one pass.
    let alike = matches!(info.order, RewardOrder::Irrelevant | RewardOrder::MattersInOnePass);
    for round in 0..50 {
        let mut copy = game.rng.clone();
        let a = first.choose(&game.arms, &mut game.rng).unwrap().index;
        let b = second.choose(&game.arms, &mut copy).unwrap().index;
        assert!(!alike || a == b, "round {round}: {a:?} and {b:?}");
        let x = game.list().arm(a.unwrap()).to_vec();
        let reward = game.world.reward(&x);
        feed(&mut *first, [&(x.clone(), reward)]);
        feed(&mut *second, [&(x, reward)]);
    }
}

pub(super) fn late_rewards_are_taken_in(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 8, 23);
    let mut waiting = Vec::new();
    let mut seen = Vec::new();
    let mut chance = generator(24);
    for _ in 0..200 {
        let x = policy.choose(&game.arms, &mut game.rng).unwrap().features.into_owned();
        let reward = game.world.reward(&x);
        waiting.push((x, reward));
        // Some come at once, some later and out of order, some never.
        while !waiting.is_empty() && chance.random_bool(0.5) {
            let late = waiting.swap_remove(chance.random_range(0..waiting.len()));
            feed(&mut *policy, [&late]);
            seen.push(late);
        }
    }
    assert_eq!(policy.counts(), Counts { rounds: 200, rewards: seen.len() as u64 });
    assert!(is_finite(policy.estimate()));
    if info.order != RewardOrder::Matters {
        let mut fresh = build(info, &problem(2));
        feed(&mut *fresh, &seen);
        // Whoever follows a schedule of rounds, for instance of the ridge, is asked at the same round.
        (0..200).for_each(|_| drop(fresh.choose(&game.arms, &mut generator(1)).unwrap()));
        // Arms that were never played may leave the estimate undetermined; what it says of the others is not.
        let forecasts = |policy: &mut dyn Policy| {
            let theta = policy.estimate().to_vec();
            seen.iter().map(|(x, _)| dot(x, &theta)).collect::<Vec<_>>()
        };
        assert_close(&forecasts(&mut *policy), &forecasts(&mut *fresh));
    }
}

pub(super) fn choices_without_rewards_and_rewards_without_choices(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 8, 25);
    for _ in 0..30 {
        policy.choose(&game.arms, &mut game.rng).unwrap();
    }
    let list = game.list();
    for k in (0..8).cycle().take(60) {
        let reward = game.world.reward(list.arm(k));
        policy.observe(list.arm(k), reward).unwrap();
    }
    // An arm that is in no list.
    policy.observe(&[0.1, -0.7], 1.0).unwrap();
    game.play(&mut *policy, 30);
    assert_eq!(policy.counts(), Counts { rounds: 60, rewards: 91 });
    assert!(is_finite(policy.estimate()));
}
