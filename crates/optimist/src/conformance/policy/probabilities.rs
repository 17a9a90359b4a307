//! Probabilities of arms are those with which `choose` chooses.

use super::{Game, build, chosen, problem, variants};
use crate::policy::{Policy, PolicyInfo};
use crate::{ArmSet, FiniteArms, generator};

const DRAWS: usize = 2000;

pub(super) fn probabilities_sum_to_one_and_change_nothing(info: &'static PolicyInfo) {
    for mut policy in variants(info, &problem(2)) {
        let mut game = Game::new(2, 6, 71);
        for rounds in [0, 1, 40] {
            game.play(&mut *policy, rounds);
            let before = policy.save().unwrap();
            let p = policy.probabilities(&game.arms, 200, &mut generator(1)).unwrap();
            assert_eq!(policy.save().unwrap(), before, "changed by asking");
            assert!((p.values.iter().sum::<f64>() - 1.0).abs() <= 1e-12, "{p:?}");
            assert!(p.values.iter().all(|v| (0.0..=1.0).contains(v)) && p.values.len() == 6, "{p:?}");
            if !info.randomised {
                let chosen = chosen(&mut *policy, &game.arms, &mut generator(2));
                assert!(p.values[chosen] == 1.0 && p.standard_errors.is_none(), "{p:?}, chosen {chosen}");
            }
        }
    }
}

pub(super) fn probabilities_match_frequencies(info: &'static PolicyInfo) {
    if !info.randomised {
        return;
    }
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 5, 72);
    let played = check_frequencies(&mut *policy, &game.arms);
    assert!(played > 1, "called random, but always the same arm before any data");
    game.play(&mut *policy, 25);
    check_frequencies(&mut *policy, &game.arms);
}

/// Compares probabilities with the choices of clones, and returns how many of the five arms were played at all.
fn check_frequencies(policy: &mut dyn Policy, arms: &ArmSet) -> usize {
    let p = policy.probabilities(arms, DRAWS, &mut generator(3)).unwrap();
    let mut rng = generator(4);
    let mut counts = [0.0; 5];
    for _ in 0..DRAWS {
        counts[chosen(&mut *policy.boxed_clone(), arms, &mut rng)] += 1.0;
    }
    let n = DRAWS as f64;
    for (k, count) in counts.iter().enumerate() {
        let q = (p.values[k] * n + 1.0) / (n + 2.0);
        let simulated = p.standard_errors.as_ref().map_or(0.0, |errors| errors[k]);
        let error = (q * (1.0 - q) / n + simulated * simulated).sqrt();
        assert!((count / n - p.values[k]).abs() <= 4.0 * error, "arm {k}: {count} of {DRAWS} draws, {p:?}");
    }
    counts.iter().filter(|count| **count > 0.0).count()
}

pub(super) fn simulation_needs_draws(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let game = Game::new(2, 5, 73);
    let exact = policy.probabilities(&game.arms, 1, &mut generator(1)).unwrap().standard_errors.is_none();
    assert_eq!(policy.probabilities(&game.arms, 0, &mut generator(1)).is_ok(), exact);
    let one = ArmSet::from(FiniteArms::from_rows(&[[0.3, 0.4]]).unwrap());
    assert_eq!(policy.probabilities(&one, 5, &mut generator(1)).unwrap().values, [1.0]);
}
