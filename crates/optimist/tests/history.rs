//! Histories and arms: merging, order, serialisation, refusals.

use optimist::loss::loss;
use optimist::{ArmSet, Belief, Error, FiniteArms, History};

#[test]
fn observations_of_equal_arms_are_merged() {
    let mut history = History::new(2).unwrap();
    assert_eq!(history.observe(&[1.0, 0.0], 1.0).unwrap(), 0);
    assert_eq!(history.observe(&[0.5, -0.5], 0.25).unwrap(), 1);
    assert_eq!(history.observe(&[1.0, -0.0], 0.0).unwrap(), 0, "-0.0 is 0.0");
    assert_eq!(history.observe_many(&[1.0, 0.0], 1.0, 8).unwrap(), 0);
    assert_eq!((history.rows(), history.observations()), (2, 11.0));
    assert_eq!((history.outcomes(0), history.outcomes(1)), ((10.0, 9.0), (1.0, 0.25)));
    assert_eq!(history.reward_sum(), &[9.125, -0.125]);
    assert_eq!((history.find(&[0.5, -0.5]), history.find(&[0.5, 0.5]), history.find(&[0.5])), (Some(1), None, None));
    let mut x = [0.0; 2];
    history.features(1, &mut x);
    assert_eq!(x, [0.5, -0.5]);
}

#[test]
fn ten_thousand_distinct_arms_keep_their_rows() {
    let arm = |i: u32| [f64::from(i) / 64.0, f64::from(i % 7), 1.0];
    let mut history = History::new(3).unwrap();
    for i in 0..10_000 {
        assert_eq!(history.observe(&arm(i), 0.0).unwrap(), i as usize);
    }
    for i in (0..10_000).rev() {
        assert_eq!(history.observe(&arm(i), 1.0).unwrap(), i as usize);
    }
    assert_eq!((history.rows(), history.observations()), (10_000, 20_000.0));
}

#[test]
fn the_order_of_observations_does_not_matter() {
    let observations: Vec<([f64; 2], f64)> =
        (0..300).map(|i| ([f64::from(i % 17) / 17.0, f64::from(i % 5) / 5.0], f64::from(i % 3) / 2.0)).collect();
    let mut forward = Belief::new(2, Some(3.0), 0.05).unwrap();
    let mut backward = Belief::new(2, Some(3.0), 0.05).unwrap();
    for (x, reward) in &observations {
        forward.observe(x, *reward).unwrap();
        // Looking in between must not matter either.
        forward.estimate();
    }
    for (x, reward) in observations.iter().rev() {
        backward.observe(x, *reward).unwrap();
    }
    let (a, b) = (forward.estimate().to_vec(), backward.estimate().to_vec());
    assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() <= 1e-9));
    let (a, b) = (forward.set().level(), backward.set().level());
    assert!((a - b).abs() <= 1e-9 * a);
}

#[test]
fn a_refused_observation_changes_nothing() {
    let mut belief = Belief::new(2, Some(3.0), 0.05).unwrap();
    belief.observe(&[1.0, 0.0], 1.0).unwrap();
    let before = serde_json::to_string(&belief).unwrap();
    assert!(matches!(belief.observe(&[1.0], 1.0), Err(Error::Dimension { expected: 2, got: 1, .. })));
    assert!(matches!(belief.observe(&[1.0, f64::NAN], 1.0), Err(Error::NotFinite { .. })));
    assert!(matches!(belief.observe(&[1.0, f64::INFINITY], 1.0), Err(Error::NotFinite { .. })));
    for reward in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(belief.observe(&[1.0, 0.0], reward).is_err(), "{reward}");
    }
    assert!(belief.observe_many(&[1.0, 0.0], 1.0, 0).is_err());
    assert_eq!(serde_json::to_string(&belief).unwrap(), before);
    assert!(History::new(0).is_err());
}

#[test]
fn a_history_survives_a_round_trip() {
    let mut history = History::new(3).unwrap();
    for i in 0..200_u32 {
        let x = [f64::from(i % 70) * 0.01, 0.1 * f64::from(i % 3), -1.0 / 3.0];
        history.observe(&x, f64::from(i % 11) / 10.0).unwrap();
    }
    let text = serde_json::to_string(&history).unwrap();
    let back: History = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    let theta = [0.3, -2.0, 1.0];
    assert_eq!(loss(&history, &theta), loss(&back, &theta));
    assert_eq!((back.rows(), back.observations(), back.max_norm()), (history.rows(), 200.0, history.max_norm()));
}

#[test]
fn damaged_histories_are_refused() {
    for text in [
        r#"{"dimension":0,"features":[],"counts":[],"rewards":[]}"#,
        r#"{"dimension":2,"features":[1.0],"counts":[1.0],"rewards":[0.0]}"#,
        r#"{"dimension":2,"features":[1.0,0.0],"counts":[1.0],"rewards":[]}"#,
        r#"{"dimension":2,"features":[1.0,0.0],"counts":[1.0],"rewards":[2.0]}"#,
        r#"{"dimension":2,"features":[1.0,0.0],"counts":[0.0],"rewards":[0.0]}"#,
        r#"{"dimension":2,"features":[1.0,0.0],"counts":[-1.0],"rewards":[0.0]}"#,
        r#"{"dimension":2,"features":[1.0,0.0],"counts":[1.0],"rewards":[0.0"#,
    ] {
        assert!(serde_json::from_str::<History>(text).is_err(), "{text}");
    }
}

#[test]
fn a_belief_goes_on_after_a_round_trip() {
    let mut belief = Belief::new(2, None, 0.1).unwrap();
    for i in 0..60_u32 {
        belief.observe(&[f64::from(i % 4) / 4.0, 1.0], f64::from(i % 3 % 2)).unwrap();
    }
    let level = belief.set().level();
    let mut back: Belief = serde_json::from_str(&serde_json::to_string(&belief).unwrap()).unwrap();
    assert!((back.set().level() - level).abs() <= 1e-12 * level);
    back.observe(&[0.5, 1.0], 1.0).unwrap();
    belief.observe(&[0.5, 1.0], 1.0).unwrap();
    assert!((back.set().level() - belief.set().level()).abs() <= 1e-12 * level);
}

#[test]
fn a_belief_with_the_wrong_radius_is_refused() {
    let mut belief = Belief::new(2, Some(2.0), 0.1).unwrap();
    belief.observe(&[1.0, 0.0], 1.0).unwrap();
    let mut document = serde_json::to_value(&belief).unwrap();
    document["radius"]["mixture"]["dimension"] = 3.into();
    assert!(serde_json::from_value::<Belief>(document).is_err(), "a radius for another dimension");
    let mut document = serde_json::to_value(&belief).unwrap();
    document["radius"]["mixture"]["delta"] = 2.0.into();
    assert!(serde_json::from_value::<Belief>(document).is_err(), "a delta of two");
    let mut document = serde_json::to_value(&belief).unwrap();
    document["estimate"] = serde_json::json!([1.0]);
    assert!(serde_json::from_value::<Belief>(document).is_err(), "an estimate that is too short");
}

#[test]
fn arms_have_names_and_shapes() {
    let arms = FiniteArms::new(2, vec![1.0, 0.0, 0.6, 0.8]).unwrap();
    assert_eq!((arms.len(), arms.dimension(), arms.max_norm()), (2, 2, 1.0));
    assert_eq!((arms.id(0), arms.id(1)), ("0".into(), "1".into()));
    assert_eq!(arms.iter().collect::<Vec<_>>(), [[1.0, 0.0], [0.6, 0.8]]);
    assert_eq!((arms.best_for(&[0.0, 1.0]), arms.best_for(&[0.0, 0.0])), (1, 0));
    let named = arms.clone().with_ids(["a", "b"]).unwrap();
    let back: FiniteArms = serde_json::from_str(&serde_json::to_string(&named).unwrap()).unwrap();
    assert_eq!((back.id(1), &back), ("b".into(), &named));
    assert_eq!(ArmSet::from(named).dimension() + ArmSet::Ball { dimension: 3 }.dimension(), 5);
    assert!(arms.with_ids(["only one"]).is_err());
}

#[test]
fn bad_arms_are_refused() {
    assert!(matches!(FiniteArms::from_rows::<[f64; 2]>(&[]), Err(Error::Empty { .. })));
    assert!(matches!(FiniteArms::new(2, vec![]), Err(Error::Empty { .. })));
    assert!(FiniteArms::new(0, vec![1.0]).is_err());
    assert!(matches!(FiniteArms::new(2, vec![1.0, 2.0, 3.0]), Err(Error::Dimension { .. })));
    assert!(matches!(FiniteArms::from_rows(&[vec![1.0], vec![1.0, 2.0]]), Err(Error::Dimension { .. })));
    assert!(matches!(FiniteArms::from_rows(&[[f64::NAN]]), Err(Error::NotFinite { .. })));
    assert!(serde_json::from_str::<FiniteArms>(r#"{"dimension":2,"features":[1.0]}"#).is_err());
}
