//! Intervals and elimination.

use serde_json::{Value, json};

use super::super::coverage::{COVERAGE_ROUNDS, COVERAGE_RUNS, largest_share, policy_misses};
use super::{Game, build, build_with, problem};
use crate::numerics::dot;
use crate::policy::{self, Certificate, PolicyInfo};
use crate::{FiniteArms, Problem};

pub(super) fn intervals_hold_the_estimate_and_the_truth(info: &'static PolicyInfo) {
    // So sure that no seed should be unlucky.
    let problem = Problem { delta: 1e-4, ..problem(2) };
    // A strong ridge may hold the estimate outside of the mixture set, but not outside of the policy's own.
    let certified = |by: &str| build_with(info, &problem, &[("certify", json!(by))]).unwrap();
    let mut all = Vec::new();
    if info.guaranteed {
        all.push((if info.uses_history { certified("own") } else { build(info, &problem) }, true));
    }
    if info.uses_history {
        all.push((certified("mixture"), false));
    }
    for (mut policy, own) in all {
        let mut game = Game::new(2, 10, 81);
        game.play(&mut *policy, 400);
        let theta = policy.estimate().to_vec();
        let list = game.list();
        for x in list.iter() {
            let interval = policy.interval(x).unwrap().interval;
            let (lower, upper) = (interval.log_odds_lower, interval.log_odds_upper);
            let value = dot(x, &theta);
            let inside = lower <= value + 1e-9 && value <= upper + 1e-9;
            assert!(!own || inside, "{value} is not in [{lower}, {upper}]");
            let truth = dot(x, &game.world.theta);
            assert!(lower <= truth && truth <= upper, "the truth {truth} is not in [{lower}, {upper}]");
            assert!(interval.lower <= interval.upper);
        }
        let again = policy::restore(&policy.save().unwrap()).unwrap().interval(list.arm(0)).unwrap();
        let now = policy.interval(list.arm(0)).unwrap();
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-6;
        assert!(close(again.interval.log_odds_upper, now.interval.log_odds_upper), "{again:?} and {now:?}");
    }
}

/// The bounds that came with a choice are no wider than the policy's own set says, and hold the estimate of a set's
/// centre or at least leave something between them.
pub(super) fn bounds_that_come_with_a_choice_agree_with_the_interval(info: &'static PolicyInfo) {
    if !info.guaranteed {
        return;
    }
    let options: &[(&str, Value)] = if info.uses_history { &[("certify", json!("own"))] } else { &[] };
    let mut policy = build_with(info, &problem(2), options).unwrap();
    let mut game = Game::new(2, 6, 82);
    for _ in 0..60 {
        let choice = policy.choose(&game.arms, &mut game.rng).unwrap();
        let x = choice.features.into_owned();
        if let Certificate::Bounds { log_odds_lower, log_odds_upper, .. } = choice.certificate {
            let interval = policy.interval(&x).unwrap().interval;
            assert!(log_odds_upper >= interval.log_odds_upper - 1e-6, "{log_odds_upper} and {interval:?}");
            assert!(log_odds_lower.is_none_or(|l| l <= interval.log_odds_lower + 1e-6), "{interval:?}");
        }
        let reward = game.world.reward(&x);
        policy.observe(&x, reward).unwrap();
    }
}

pub(super) fn without_certification_there_is_no_interval(info: &'static PolicyInfo) {
    if info.uses_history {
        let mut policy = build_with(info, &problem(2), &[("certify", json!("off"))]).unwrap();
        let mut game = Game::new(2, 5, 83);
        game.play(&mut *policy, 5);
        let error = policy.interval(&[0.1, 0.1]).unwrap_err().to_string();
        assert!(error.contains("certify"), "{error}");
        let choice = policy.choose(&game.arms, &mut game.rng).unwrap();
        assert!(matches!(choice.certificate, Certificate::None { .. }));
    }
}

/// The places of the arms that are left, from the stored state.
fn left(policy: &dyn policy::Policy) -> Option<Vec<u64>> {
    let document: Value = serde_json::from_str(&policy.save().unwrap()).unwrap();
    let places = document["state"]["shortlist"]["left"][1].as_array()?;
    Some(places.iter().map(|place| place.as_u64().unwrap()).collect())
}

pub(super) fn arms_that_are_certified_worse_are_dropped(info: &'static PolicyInfo) {
    if !info.uses_history {
        return;
    }
    let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
    let mut policy = build_with(info, &problem, &[("certify", json!("mixture")), ("eliminate", json!(true))]).unwrap();
    let mut game = Game::new(2, 1, 84);
    game.world.theta = vec![3.0, 0.0];
    game.arms = FiniteArms::from_rows(&[[-0.9, 0.1], [0.1, 0.3], [1.0, 0.0], [-0.2, -0.4]]).unwrap().into();
    game.play(&mut *policy, 600);
    let left = left(&*policy).expect("no arm was dropped in 600 rounds");
    assert!(left.contains(&2), "the best arm was dropped: {left:?}");
    let last: Vec<_> = game.play(&mut *policy, 50);
    let list = game.list();
    for (x, _) in last {
        assert!(left.iter().any(|k| list.arm(*k as usize) == x), "a dropped arm was played");
    }
    // Another list starts whole.
    game.arms = FiniteArms::from_rows(&[[-0.9, 0.1], [0.1, 0.3]]).unwrap().into();
    game.play(&mut *policy, 5);
}

/// Plays against its own set: a promise of 90% must hold in nine runs of ten, up to chance.
pub(super) fn the_truth_stays_in_the_set(info: &'static PolicyInfo) {
    if info.guaranteed {
        let problem = Problem { delta: 0.1, ..problem(2) };
        let share = policy_misses(|| build(info, &problem), COVERAGE_RUNS, COVERAGE_ROUNDS);
        let largest = largest_share(0.1, COVERAGE_RUNS);
        assert!(share <= largest, "the truth left the set in a share of {share} of all runs, delta is 0.1");
    }
}
