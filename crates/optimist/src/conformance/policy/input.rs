//! What is refused, and that nothing is changed then.

use super::{Game, build, problem};
use crate::policy::{Policy, PolicyInfo};
use crate::{ArmSet, Error, FiniteArms, Result, generator};

/// A call that must fail and leave no trace.
fn refused<T>(policy: &mut dyn Policy, call: impl FnOnce(&mut dyn Policy) -> Result<T>) -> Error {
    let (before, counts) = (policy.save().unwrap(), policy.counts());
    let Err(error) = call(policy) else { panic!("accepted") };
    assert_eq!(policy.save().unwrap(), before, "changed by a refusal: {error}");
    assert_eq!(policy.counts(), counts);
    error
}

pub(super) fn observations_that_are_not_sound(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 5, 41);
    for rounds in [0, 15] {
        game.play(&mut *policy, rounds);
        let p = &mut *policy;
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(refused(p, |p| p.observe(&[0.1, bad], 1.0)), Error::NotFinite { .. }));
            assert!(matches!(refused(p, |p| p.observe(&[0.1, 0.2], bad)), Error::NotFinite { .. }));
            assert!(matches!(refused(p, |p| p.interval(&[0.1, bad])), Error::NotFinite { .. }));
            assert!(matches!(refused(p, |p| p.contains(&[0.1, bad])), Error::NotFinite { .. }));
        }
        for reward in [1.5, -0.1, 1.0 + 1e-12, -1e-12] {
            let error = refused(p, |p| p.observe(&[0.1, 0.2], reward));
            assert!(matches!(error, Error::OutOfRange { .. }) && error.to_string().contains("reward"), "{error}");
        }
        for x in [&[0.1][..], &[0.1, 0.2, 0.3], &[]] {
            assert!(matches!(refused(p, |p| p.observe(x, 1.0)), Error::Dimension { .. }));
            assert!(matches!(refused(p, |p| p.interval(x)), Error::Dimension { .. }));
            assert!(matches!(refused(p, |p| p.contains(x)), Error::Dimension { .. }));
        }
        refused(p, |p| p.observe(&[1e9, 0.0], 1.0));
    }
    // And it still plays.
    game.play(&mut *policy, 5);
}

pub(super) fn arms_that_do_not_fit(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let mut game = Game::new(2, 5, 42);
    game.play(&mut *policy, 10);
    let three = ArmSet::from(FiniteArms::from_rows(&[[0.1, 0.2, 0.3]]).unwrap());
    for arms in [three, ArmSet::Ball { dimension: 3 }, ArmSet::Sphere { dimension: 1 }] {
        let error = refused(&mut *policy, |p| p.choose(&arms, &mut generator(1)).map(drop));
        assert!(matches!(error, Error::Dimension { .. }), "{error}");
        refused(&mut *policy, |p| p.probabilities(&arms, 10, &mut generator(1)));
    }
    for ball in [ArmSet::Ball { dimension: 2 }, ArmSet::Sphere { dimension: 2 }] {
        refused(&mut *policy, |p| p.probabilities(&ball, 10, &mut generator(1)));
    }
    game.play(&mut *policy, 5);
}

/// A policy that has a bound on the length of arms keeps it for choices and observations alike; the others take longer
/// arms in.
pub(super) fn arms_above_the_feature_bound(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let long = [1.2, -0.9];
    let arms = ArmSet::from(FiniteArms::from_rows(&[[0.5, 0.1], long]).unwrap());
    let chosen = policy.boxed_clone().choose(&arms, &mut generator(1)).map(drop);
    let observed = policy.boxed_clone().observe(&long, 1.0);
    assert_eq!(chosen.is_ok(), observed.is_ok(), "{chosen:?} and {observed:?}");
    assert_eq!(observed.is_err(), info.unit_arms, "{observed:?}");
    if observed.is_err() {
        let error = refused(&mut *policy, |p| p.observe(&long, 1.0));
        assert!(matches!(error, Error::NormAboveBound { .. }), "{error}");
        refused(&mut *policy, |p| p.choose(&arms, &mut generator(1)).map(drop));
    }
    // A norm of one, up to rounding, always passes.
    policy.observe(&[0.6 * (1.0 + 1e-15), 0.8], 1.0).unwrap();
}
