//! `observe_many` and `observe_rows` learn all or nothing, `intervals` says of every arm what `interval` says.

use optimist::generator;
use optimist::policy;
use optimist::posterior::Row;
use serde_json::json;

use super::{arms, every_policy, play, problem};

const ROWS: [f64; 6] = [1.0, 0.0, 0.6, 0.8, 0.0, 1.0];

#[test]
fn a_batch_is_what_its_rows_are_one_by_one() {
    for mut policy in every_policy() {
        let mut twin = policy.clone();
        policy.observe_many(&ROWS, &[1.0, 0.0, 1.0]).unwrap();
        for (x, reward) in ROWS.chunks(2).zip([1.0, 0.0, 1.0]) {
            twin.observe(x, reward).unwrap();
        }
        assert_eq!(policy.save().unwrap(), twin.save().unwrap(), "{}", policy.info().name);
    }
}

#[test]
fn a_batch_of_rows_is_what_they_are_one_by_one() {
    let dense = [(Row::Dense(&ROWS[..2]), 1.0), (Row::Dense(&ROWS[2..4]), 0.0), (Row::Dense(&ROWS[4..]), 1.0)];
    for mut policy in every_policy() {
        let mut twin = policy.clone();
        policy.observe_rows(&dense).unwrap();
        twin.observe_many(&ROWS, &[1.0, 0.0, 1.0]).unwrap();
        assert_eq!(policy.save().unwrap(), twin.save().unwrap(), "{}", policy.info().name);
    }
    let sparse = |indices, values| Row::Sparse { indices, values };
    let own = |owner, features| Row::Own { owner, features };
    for (options, rows) in [
        (json!({}), [(sparse(&[0][..], &[1.0][..]), 1.0), (Row::Dense(&ROWS[2..4]), 0.0), (sparse(&[], &[]), 1.0)]),
        (json!({"own": 1}), [(own(7, &ROWS[..2]), 1.0), (own(8, &ROWS[2..4]), 0.0), (own(7, &ROWS[4..]), 1.0)]),
    ] {
        for name in ["bayes-ucb", "laplace-ts", "greedy", "uniform"] {
            let mut policy = policy::build_with(name, &problem(), &options).unwrap();
            let mut twin = policy.clone();
            policy.observe_rows(&rows).unwrap();
            rows.iter().for_each(|(row, reward)| twin.observe_row(row, *reward).unwrap());
            assert_eq!(policy.save().unwrap(), twin.save().unwrap(), "{name}");
        }
    }
}

#[test]
fn a_batch_of_rows_of_which_one_is_bad_changes_nothing() {
    let fine = |options: &serde_json::Value| match options["own"].as_u64() {
        Some(_) => Row::Own { owner: 3, features: &ROWS[..2] },
        None => Row::Dense(&ROWS[..2]),
    };
    let (long, sparse) = (Row::Dense(&ROWS[..3]), |indices| Row::Sparse { indices, values: &ROWS[..1] });
    let wrong = Row::Own { owner: 3, features: &[0.0, f64::NAN] };
    for (options, row, reward, part) in [
        (json!({}), Row::Dense(&ROWS[..2]), 1.5, "rewards[1] is 1.5"),
        (json!({}), long, 1.0, "rows[1] has 3 entries"),
        (json!({}), sparse(&[2]), 1.0, "rows[1].indices[0] is 2"),
        (json!({}), Row::Own { owner: 3, features: &ROWS[..2] }, 1.0, "hybrid"),
        (json!({"own": 1}), Row::Dense(&ROWS[..2]), 1.0, "hybrid"),
        (json!({"own": 1}), wrong, 1.0, "rows[1][1]"),
    ] {
        for name in ["bayes-ucb", "laplace-ts", "greedy", "uniform"] {
            let mut policy = policy::build_with(name, &problem(), &options).unwrap();
            policy.observe_row(&fine(&options), 0.0).unwrap();
            let before = policy.save().unwrap();
            let error = policy.observe_rows(&[(fine(&options), 1.0), (row, reward)]).unwrap_err().to_string();
            assert!(error.contains(part), "\"{error}\" does not say \"{part}\"");
            assert_eq!(policy.save().unwrap(), before, "{name}: {part}");
        }
    }
}

#[test]
fn a_batch_with_one_bad_row_changes_nothing() {
    for mut policy in every_policy() {
        play(&mut *policy, 5, &mut generator(1));
        let before = policy.save().unwrap();
        let mut refuse = |rows: &[f64], rewards: &[f64], part: &str| {
            let error = policy.observe_many(rows, rewards).unwrap_err().to_string();
            assert!(error.contains(part), "\"{error}\" does not say \"{part}\"");
            assert_eq!(policy.save().unwrap(), before, "{}: {part}", policy.info().name);
        };
        refuse(&[1.0, 0.0, 0.6, f64::NAN], &[1.0, 0.0], "rows[1][1]");
        refuse(&[1.0, 0.0, 0.6, 0.8], &[1.0, 1.5], "rewards[1]");
        refuse(&[1.0, 0.0, 0.6], &[1.0, 1.0], "rows: has 3 numbers for 2 rewards: with 2 features each it must be 4");
        refuse(&[1.0, 0.0, 0.6, 1e7], &[1.0, 1.0], "rows[1][1]");
    }
}

#[test]
fn intervals_are_those_of_the_arms_one_by_one() {
    let optimist::ArmSet::Finite(list) = arms() else { unreachable!("a list") };
    let mut with_intervals = 0;
    for mut policy in every_policy() {
        play(&mut *policy, 20, &mut generator(2));
        match policy.intervals(&list) {
            Ok(all) => {
                with_intervals += 1;
                for (x, interval) in list.iter().zip(&all.intervals) {
                    let one = policy.interval(x).unwrap();
                    assert_eq!((one.interval, one.guarantee), (*interval, all.guarantee), "{}", policy.info().name);
                }
            }
            Err(e) => assert_eq!(e, policy.interval(list.arm(0)).unwrap_err()),
        }
    }
    assert!(with_intervals >= 20, "{with_intervals}");
}

/// What is said of one observation speaks of `x` and `reward`, not of rows.
#[test]
fn the_field_of_a_single_observation_keeps_its_name() {
    let mut policy = policy::build("optimist", &problem()).unwrap();
    assert_eq!(policy.observe(&[1.0], 1.0).unwrap_err().to_string(), "x has 1 entries: the dimension is 2");
    assert_eq!(policy.observe(&[1.0, 0.0], 2.0).unwrap_err().to_string(), "reward is 2: it must be between 0 and 1");
}
