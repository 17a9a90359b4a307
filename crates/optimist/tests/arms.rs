//! Lists of arms: shape, names, serialised form, and what is refused.

use optimist::{ArmSet, Error, FiniteArms};

fn two() -> FiniteArms<'static> {
    FiniteArms::from_rows(&[[1.0, 0.0], [0.6, -0.8]]).unwrap()
}

#[test]
fn rows_and_flat_features_say_the_same() {
    let flat = FiniteArms::new(2, vec![1.0, 0.0, 0.6, -0.8]).unwrap();
    assert_eq!(flat, two());
    assert_eq!((flat.dimension(), flat.len()), (2, 2));
    assert_eq!(flat.arm(1), &[0.6, -0.8]);
    assert_eq!(flat.iter().collect::<Vec<_>>(), vec![&[1.0, 0.0][..], &[0.6, -0.8]]);
    assert_eq!(flat.features(), &[1.0, 0.0, 0.6, -0.8]);
}

#[test]
fn the_largest_norm_survives_numbers_whose_squares_do_not() {
    assert_eq!(two().max_norm(), 1.0);
    for scale in [1e200, 1e-200] {
        let arms = FiniteArms::from_rows(&[[3.0 * scale, 4.0 * scale]]).unwrap();
        assert!((arms.max_norm() / scale - 5.0).abs() <= 4.0 * f64::EPSILON * 5.0);
    }
    assert_eq!(FiniteArms::from_rows(&[[0.0, 0.0]]).unwrap().max_norm(), 0.0);
}

#[test]
fn arms_are_named_by_the_caller_or_by_their_index() {
    assert_eq!(two().id(1), "1");
    let named = two().with_ids(["blue", "green"]).unwrap();
    assert_eq!((named.id(0), named.id(1)), ("blue".into(), "green".into()));
    let wrong = two().with_ids(["blue"]).unwrap_err();
    assert_eq!(wrong.to_string(), "ids: there are 1 names for 2 arms");
}

#[test]
fn bad_lists_are_refused() {
    assert!(matches!(FiniteArms::new(0, vec![1.0]), Err(Error::OutOfRange { .. })));
    assert!(matches!(FiniteArms::new(2, vec![]), Err(Error::Empty { .. })));
    assert!(matches!(FiniteArms::new(2, vec![1.0, 2.0, 3.0]), Err(Error::Dimension { got: 1, .. })));
    assert!(matches!(FiniteArms::new(1, vec![f64::NAN]), Err(Error::NotFinite { .. })));
    assert!(matches!(FiniteArms::from_rows::<[f64; 2]>(&[]), Err(Error::Empty { .. })));
    assert!(matches!(FiniteArms::from_rows(&[vec![], vec![]]), Err(Error::OutOfRange { .. })));
}

#[test]
fn a_round_trip_changes_nothing_and_damage_is_refused() {
    for arms in [two(), two().with_ids(["a", "b"]).unwrap()] {
        let text = serde_json::to_string(&arms).unwrap();
        assert_eq!(serde_json::from_str::<FiniteArms>(&text).unwrap(), arms);
    }
    for damaged in [
        r#"{"dimension":2,"features":[1.0,0.0,0.5]}"#,
        r#"{"dimension":0,"features":[1.0]}"#,
        r#"{"dimension":2,"features":[]}"#,
        r#"{"dimension":2,"features":[1.0,0.0],"ids":["a","b"]}"#,
        r#"{"dimension":2,"features":[1.0,null]}"#,
        r#"{"features":[1.0,0.0]}"#,
    ] {
        assert!(serde_json::from_str::<FiniteArms>(damaged).is_err(), "accepted {damaged}");
    }
}

#[test]
fn every_kind_of_set_knows_its_dimension() {
    assert_eq!(ArmSet::from(two()).dimension(), 2);
    assert_eq!(ArmSet::Ball { dimension: 3 }.dimension(), 3);
    assert_eq!(ArmSet::Sphere { dimension: 4 }.dimension(), 4);
    let text = serde_json::to_string(&ArmSet::Ball { dimension: 3 }).unwrap();
    assert_eq!(text, r#"{"ball":{"dimension":3}}"#);
}
