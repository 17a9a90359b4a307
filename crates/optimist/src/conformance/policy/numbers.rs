//! Long runs, extreme scales and one-sided data: all numbers stay finite.

use super::{Game, build, is_finite, problem};
use crate::numerics::norm;
use crate::policy::{Certificate, Choice, Policy, PolicyInfo};
use crate::{ArmSet, FiniteArms, Problem};

/// Without a norm bound a set may reach to infinity.
fn assert_finite(choice: &Choice<'_>, bounded: bool) {
    assert!(choice.log_odds.is_finite() && is_finite(&choice.features), "{choice:?}");
    if let Certificate::Bounds { log_odds_lower, log_odds_upper, .. } = choice.certificate {
        let lower = log_odds_lower.unwrap_or(log_odds_upper);
        assert!(lower <= log_odds_upper, "{choice:?}");
        assert!(!bounded || log_odds_upper.is_finite() && lower.is_finite(), "{choice:?}");
    }
}

/// Plays with rewards of the caller's.
fn play(policy: &mut dyn Policy, game: &mut Game, rounds: usize, mut reward: impl FnMut(&mut Game, &[f64]) -> f64) {
    let bounded = policy.problem().norm_bound.is_some();
    for round in 0..rounds {
        let arms = game.arms.clone();
        let choice = policy.choose(&arms, &mut game.rng).unwrap();
        assert_finite(&choice, bounded);
        let r = reward(game, &choice.features);
        policy.observe(&choice.features, r).unwrap();
        assert!(is_finite(policy.estimate()), "round {round}: {:?}", policy.estimate());
    }
    if let Ok(certified) = policy.interval(&vec![0.1; policy.problem().dimension]) {
        let interval = certified.interval;
        assert!(interval.log_odds_lower <= interval.log_odds_upper, "{interval:?}");
        // Where the data refute the norm bound, the interval says that it does without.
        let bounded = certified.guarantee.norm_bound.is_some();
        assert!(!bounded || interval.log_odds_lower.is_finite() && interval.log_odds_upper.is_finite(), "{interval:?}");
    }
    policy.save().unwrap();
}

pub(super) fn ten_thousand_rounds(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 5, 51);
    play(&mut *policy, &mut game, 10_000, |game, x| game.world.reward(x));
}

pub(super) fn one_sided_rewards(info: &'static PolicyInfo) {
    for reward in [0.0, 1.0] {
        let mut policy = build(info, &problem(2));
        play(&mut *policy, &mut Game::new(2, 6, 52), 400, |_, _| reward);
    }
}

/// Without a norm bound nothing but the policy's own prior holds the estimate.
pub(super) fn separable_rewards_without_norm_bound(info: &'static PolicyInfo) {
    if !info.needs_norm_bound {
        let problem = Problem { norm_bound: None, ..problem(2) };
        for side in [-1.0, 1.0] {
            let mut policy = build(info, &problem);
            play(&mut *policy, &mut Game::new(2, 6, 53), 200, |_, x| f64::from(u8::from(side * x[0] > 0.0)));
        }
    }
}

pub(super) fn fractional_rewards(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut rewards = [0.25, 1.0, 0.5, 0.0, 0.125].into_iter().cycle();
    play(&mut *policy, &mut Game::new(2, 6, 54), 200, |_, _| rewards.next().unwrap());
}

pub(super) fn tiny_arms_and_unit_arms(info: &'static PolicyInfo) {
    for scale in [1e-6, 1.0] {
        let mut game = Game::new(3, 1, 55);
        let unit = game.world.sphere_arms(6);
        let features: Vec<f64> =
            unit.iter().flat_map(|x| x.iter().map(|v| scale * v / norm(x)).collect::<Vec<_>>()).collect();
        game.arms = ArmSet::from(FiniteArms::new(3, features).unwrap());
        play(&mut *build(info, &problem(3)), &mut game, 150, |game, x| game.world.reward(x));
    }
}

/// Small and large norm bounds, and a delta near its ends.
pub(super) fn extreme_problems(info: &'static PolicyInfo) {
    for (norm_bound, delta) in [(0.01, 0.05), (30.0, 0.05), (4.0, 1e-9), (4.0, 0.99)] {
        let problem = Problem { dimension: 2, delta, norm_bound: Some(norm_bound) };
        play(&mut *build(info, &problem), &mut Game::new(2, 5, 56), 80, |game, x| game.world.reward(x));
    }
}
