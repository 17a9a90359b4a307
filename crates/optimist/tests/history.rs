//! The data store: merging, order, serialised form, and that an error changes nothing.

use crate::common::checks::rows;
use optimist::{Error, History};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn equal_arms_share_a_row() {
    let mut history = History::new(2).unwrap();
    assert_eq!(history.observe(&[1.0, 0.5], 1.0).unwrap(), 0);
    assert_eq!(history.observe(&[0.5, 1.0], 0.0).unwrap(), 1);
    assert_eq!(history.observe(&[1.0, 0.5], 0.25).unwrap(), 0);
    assert_eq!(history.observe_many(&[0.5, 1.0], 1.0, 3).unwrap(), 1);
    assert_eq!((history.rows(), history.observations()), (2, 6.0));
    assert_eq!((history.outcomes(0), history.outcomes(1)), ((2.0, 1.25), (4.0, 3.0)));
    assert_eq!(history.reward_sum(), &[1.25 + 1.5, 0.625 + 3.0]);
    assert_eq!(history.max_norm(), 1.25_f64.sqrt());
    assert_eq!((history.find(&[0.5, 1.0]), history.find(&[0.5, 1.1])), (Some(1), None));
}

#[test]
fn minus_zero_is_zero() {
    let mut history = History::new(2).unwrap();
    history.observe(&[0.0, 1.0], 1.0).unwrap();
    history.observe(&[-0.0, 1.0], 0.0).unwrap();
    assert_eq!(history.rows(), 1);
    let mut x = [9.0; 2];
    history.features(0, &mut x);
    assert!(x[0].is_sign_positive());
    assert_eq!(history.find(&[-0.0, 1.0]), Some(0));
}

/// Random observations of few and of many arms, in a random order.
fn observations(seed: u64) -> Vec<(Vec<f64>, f64, u64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut observe = |i: usize| {
        let arm = if i.is_multiple_of(2) { i % 7 } else { i } as f64;
        // Multiples of 1/4, so that sums are exact in any order.
        (vec![arm, 1.0, -0.5 * arm], f64::from(rng.random_range(0..5u8)) / 4.0, rng.random_range(1..4))
    };
    (0..500).map(&mut observe).collect()
}

fn fill(observations: &[(Vec<f64>, f64, u64)]) -> History {
    let mut history = History::new(3).unwrap();
    for (x, reward, count) in observations {
        history.observe_many(x, *reward, *count).unwrap();
    }
    history
}

fn sorted_rows(history: &History) -> Vec<(Vec<f64>, f64, f64)> {
    let mut rows = rows(history);
    rows.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
    rows
}

#[test]
fn nothing_depends_on_the_order() {
    let mut data = observations(3);
    let history = fill(&data);
    data.shuffle(&mut ChaCha8Rng::seed_from_u64(4));
    let shuffled = fill(&data);
    assert_eq!(sorted_rows(&shuffled), sorted_rows(&history));
    assert_eq!(shuffled.reward_sum(), history.reward_sum());
    assert_eq!(shuffled.observations(), history.observations());
    assert_eq!(shuffled.max_norm(), history.max_norm());
}

#[test]
fn merging_agrees_with_a_plain_list() {
    let data = observations(5);
    let history = fill(&data);
    for (x, count, rewards) in rows(&history) {
        let same: Vec<_> = data.iter().filter(|(y, _, _)| *y == x).collect();
        assert_eq!(count, same.iter().map(|(_, _, n)| *n as f64).sum::<f64>());
        assert_eq!(rewards, same.iter().map(|(_, r, n)| r * *n as f64).sum::<f64>());
    }
}

#[test]
fn an_error_changes_nothing() {
    let mut history = fill(&observations(6));
    let before = serde_json::to_string(&history).unwrap();
    let good = [7.0, 1.0, 0.0];
    assert!(matches!(history.observe(&[1.0; 2], 1.0), Err(Error::Dimension { .. })));
    assert!(matches!(history.observe(&[1.0, f64::NAN, 0.0], 1.0), Err(Error::NotFinite { .. })));
    for reward in [-0.1, 1.1] {
        assert!(matches!(history.observe(&good, reward), Err(Error::OutOfRange { .. })));
    }
    for reward in [f64::NAN, f64::INFINITY] {
        assert!(matches!(history.observe(&good, reward), Err(Error::NotFinite { .. })));
    }
    assert!(matches!(history.observe_many(&good, 1.0, 0), Err(Error::OutOfRange { .. })));
    assert_eq!(serde_json::to_string(&history).unwrap(), before);
    assert_eq!(history.find(&good), None);
}

#[test]
fn a_round_trip_changes_no_bit() {
    let mut history = fill(&observations(7));
    // A mean that no double holds: the sum must be kept, not count times mean.
    history.observe_many(&[0.1, 0.2, 0.3], 0.1, 3).unwrap();
    let text = serde_json::to_string(&history).unwrap();
    let mut again: History = serde_json::from_str(&text).unwrap();
    assert_eq!(rows(&again), rows(&history));
    assert_eq!(serde_json::to_string(&again).unwrap(), text);
    assert_eq!((again.observations(), again.max_norm()), (history.observations(), history.max_norm()));
    // It goes on merging.
    assert_eq!(again.observe(&[0.1, 0.2, 0.3], 1.0).unwrap(), history.find(&[0.1, 0.2, 0.3]).unwrap());
}

#[test]
fn damaged_documents_are_refused() {
    let whole = r#"{"dimension":2,"features":[1.0,0.0,0.0,1.0],"counts":[2.0,1.0],"rewards":[1.0,0.5]}"#;
    assert!(serde_json::from_str::<History>(whole).is_ok());
    for (from, to) in [
        ("\"dimension\":2", "\"dimension\":0"),
        ("\"dimension\":2", "\"dimension\":3"),
        ("[1.0,0.0,0.0,1.0]", "[1.0,0.0,0.0]"),
        ("[1.0,0.0,0.0,1.0]", "[1.0,0.0,0.0,1e999]"),
        ("\"counts\":[2.0,1.0]", "\"counts\":[2.0]"),
        ("\"counts\":[2.0,1.0]", "\"counts\":[2.0,0.0]"),
        ("\"counts\":[2.0,1.0]", "\"counts\":[2.0,-1.0]"),
        ("\"rewards\":[1.0,0.5]", "\"rewards\":[2.5,0.5]"),
        ("\"rewards\":[1.0,0.5]", "\"rewards\":[-0.5,0.5]"),
        ("\"rewards\":[1.0,0.5]", "\"rewards\":[1.0]"),
        (",\"rewards\":[1.0,0.5]", ""),
    ] {
        let damaged = whole.replace(from, to);
        assert_ne!(damaged, whole);
        assert!(serde_json::from_str::<History>(&damaged).is_err(), "accepted {damaged}");
    }
}

#[test]
fn rows_beyond_a_tile_keep_their_place() {
    let mut history = History::new(2).unwrap();
    for i in 0..1000 {
        assert_eq!(history.observe(&[f64::from(i), 1.0], 0.0).unwrap(), i as usize);
    }
    for i in (0..1000).rev() {
        assert_eq!(history.find(&[f64::from(i), 1.0]), Some(i as usize));
    }
}
