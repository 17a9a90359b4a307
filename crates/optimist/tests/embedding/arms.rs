//! Lists of arms in the caller's memory, and unit vectors in few digits.

use optimist::arms::{UNIT_TOLERANCE, normalise};
use optimist::numerics::norm;
use optimist::{Error, FiniteArms, generator, policy};
use rand::RngExt;

use super::{arms, every_policy, play, problem};

#[test]
fn borrowed_features_are_not_copied() {
    let memory = vec![1.0, 0.0, 0.6, 0.8];
    let arms = FiniteArms::new(2, &memory).unwrap();
    assert!(std::ptr::eq(arms.features().as_ptr(), memory.as_ptr()));
    assert_eq!(arms, FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8]]).unwrap());
    assert_eq!(arms.clone().into_owned(), arms);
}

#[test]
fn a_choice_outlives_the_arms_once_it_is_owned() {
    let mut policy = policy::build("optimist", &problem()).unwrap();
    let mut rng = generator(1);
    let owned = {
        let list = FiniteArms::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap().with_ids(["a", "b"]).unwrap();
        policy.choose(&list.into(), &mut rng).unwrap().into_owned()
    };
    assert_eq!(owned.id.as_deref(), Some(["a", "b"][owned.index.unwrap()]));
}

#[test]
fn the_same_list_borrowed_or_owned_gives_the_same_choices() {
    let (mut one, mut other) =
        (policy::build("optimist", &problem()).unwrap(), policy::build("optimist", &problem()).unwrap());
    let optimist::ArmSet::Finite(list) = arms() else { unreachable!("a list") };
    let mut rng = generator(2);
    for round in 0..50 {
        let borrowed = FiniteArms::new(2, list.features()).unwrap().into();
        let choice = one.choose(&borrowed, &mut rng).unwrap().into_owned();
        assert_eq!(other.choose(&arms(), &mut rng).unwrap(), choice, "round {round}");
        for policy in [&mut one, &mut other] {
            policy.observe(&choice.features, f64::from(round % 2)).unwrap();
        }
    }
}

/// Unit vectors rounded to six decimals, as files have them: longer than one about half the time.
fn rounded_unit_vectors(count: usize, d: usize) -> Vec<Vec<f64>> {
    let mut rng = generator(3);
    let draw = |rng: &mut optimist::Generator| (0..d).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
    let rows = (0..count).map(|_| {
        let x = draw(&mut rng);
        let length = norm(&x);
        x.iter().map(|v| (v / length * 1e6).round() / 1e6).collect()
    });
    rows.collect()
}

#[test]
fn unit_vectors_in_few_digits_are_brought_onto_the_ball_and_no_others() {
    let rows = rounded_unit_vectors(500, 3);
    let arms = FiniteArms::from_rows(&rows).unwrap();
    assert!(arms.max_norm() > 1.0 + 1e-7 && arms.max_norm() < 1.0 + 1e-6, "{}", arms.max_norm());
    let normalised = arms.clone().normalised();
    assert!(normalised.max_norm() <= 1.0, "{}", normalised.max_norm() - 1.0);
    for (x, y) in arms.iter().zip(normalised.iter()) {
        let moved: f64 = x.iter().zip(y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(if norm(x) <= 1.0 { moved == 0.0 } else { moved < 1e-6 }, "{x:?} {y:?}");
    }
    // The last digit of a quotient may exceed one: every double near the sphere must end inside.
    for i in 0..10_000 {
        let angle = f64::from(i) * 0.0007;
        let mut x = [angle.cos() * (1.0 + 3e-16), angle.sin() * (1.0 + 3e-16)];
        normalise(&mut x);
        assert!(norm(&x) <= 1.0, "{angle}");
    }
    let mut long = [1.0 + 2.0 * UNIT_TOLERANCE, 0.0];
    normalise(&mut long);
    assert!(norm(&long) > 1.0, "a longer arm is left to be refused");
}

/// What is proved for norms of at most one is applied to no more: six digits are refused until they are normalised.
#[test]
fn policies_for_the_unit_ball_take_no_longer_arms() {
    let rows = rounded_unit_vectors(20, 2);
    let arms = FiniteArms::from_rows(&rows).unwrap();
    let mut rng = generator(4);
    for info in policy::registry().into_iter().filter(|info| info.unit_arms && info.required.is_empty()) {
        let mut policy = policy::build(info.name, &problem()).unwrap();
        let refused = policy.choose(&arms.clone().into(), &mut rng).map(drop).unwrap_err();
        assert!(matches!(refused, Error::NormAboveBound { bound: 1.0, .. }), "{}: {refused}", info.name);
        policy.choose(&arms.clone().normalised().into(), &mut rng).unwrap();
        play(&mut *policy, 5, &mut rng);
    }
}

/// The least numbers that there are, alone and beside others: answers or errors, and no panic.
#[test]
fn every_policy_takes_denormal_arms() {
    let least = f64::from_bits(1);
    let lists = [vec![1e-310, 0.0, 0.0, least], vec![least, 0.0, 0.0, least], vec![1e-310, 0.0, 0.6, 0.8]];
    for (mut policy, list) in lists.into_iter().flat_map(|list| every_policy().map(move |p| (p, list.clone()))) {
        let name = policy.info().name;
        let list = FiniteArms::new(2, list).unwrap();
        let mut rng = generator(1);
        for round in 0..20 {
            let choice = policy.choose(&list.clone().into(), &mut rng).unwrap().into_owned();
            assert!(!choice.optimistic_log_odds.is_some_and(f64::is_nan), "{name}: {choice:?}");
            policy.observe(&choice.features, f64::from(round % 2)).unwrap();
            for interval in policy.intervals(&list).iter().flat_map(|all| &all.intervals) {
                assert!(interval.log_odds_lower <= interval.log_odds_upper, "{name}: {interval:?}");
            }
            policy.probabilities(&list.clone().into(), 3, &mut rng).unwrap();
        }
    }
}

/// Finite numbers whose norm is not would pass every check against a bound that is infinite.
#[test]
fn arms_whose_norm_overflows_are_refused() {
    let refused = FiniteArms::from_rows(&[[1.0, 0.0], [1.5e308, 1.5e308]]).unwrap_err().to_string();
    assert_eq!(refused, "the norm of arms[1] is inf: it must be a finite number: rescale the features");
    assert!(FiniteArms::from_rows(&[[1.2e308, 1.2e308]]).unwrap().max_norm().is_finite());
}

/// Widths whose squares overflow, to infinity or to no number at all, are never taken for certainty.
#[test]
fn intervals_of_huge_arms_hold_what_those_of_their_directions_hold() {
    let mut asked = 0;
    for mut policy in every_policy() {
        let name = policy.info().name;
        play(&mut *policy, 30, &mut generator(3));
        for x in [[0.6, -0.8], [0.8, 0.6], [1.0, 1e-10], [1.0, -1e-10]] {
            let Ok(short) = policy.interval(&x) else { continue };
            let Ok(long) = policy.interval(&x.map(|v| 1e200 * v)) else { continue };
            let (short, long) = (short.interval, long.interval);
            let slack = 1e-3 * (short.log_odds_upper.abs() + short.log_odds_lower.abs());
            assert!(long.log_odds_upper >= 1e200 * (short.log_odds_upper - slack), "{name} {x:?}: {short:?} {long:?}");
            assert!(long.log_odds_lower <= 1e200 * (short.log_odds_lower + slack), "{name} {x:?}: {short:?} {long:?}");
            asked += 1;
        }
    }
    assert!(asked >= 30, "{asked}");
}
