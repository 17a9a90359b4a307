//! A state that is stored and restored goes on as if nothing had happened, to the last bit.

use optimist_engine::evaluation::{
    BoundedMean, Calibration, Difference, DifferenceRow, LoggedRow, OffPolicy, OffPolicyOptions, Replay,
    SupportOptions, WeightedMean,
};
use serde::{Serialize, de::DeserializeOwned};

use super::simulation::{CHANCES, GREEDY, Logger, Step, TARGET, dot};

/// Feeds two hundred rows, with a stop after each of some, and compares with no stop at all.
fn assert_restored<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(
    make: impl Fn() -> T,
    push: impl Fn(&mut T, &Step),
) {
    let mut through = make();
    let (mut words, mut bytes) = (make(), make());
    let mut logger = Logger::new(1, 0.3);
    for t in 0..200 {
        let step = logger.step(&CHANCES);
        for state in [&mut through, &mut words, &mut bytes] {
            push(state, &step);
        }
        if t % 23 == 0 {
            words = serde_json::from_str(&serde_json::to_string(&words).unwrap()).unwrap();
            bytes = rmp_serde::from_slice(&rmp_serde::to_vec(&bytes).unwrap()).unwrap();
        }
    }
    let stored = rmp_serde::to_vec(&through).unwrap();
    println!("{}: {} bytes", std::any::type_name::<T>(), stored.len());
    assert_eq!(stored, rmp_serde::to_vec(&words).unwrap());
    assert_eq!(stored, rmp_serde::to_vec(&bytes).unwrap());
    assert_eq!(through, words);
}

#[test]
fn every_state() {
    for weight_limit in [None, Some(10.0)] {
        let options = OffPolicyOptions { weight_limit, ..Default::default() };
        assert_restored(
            || OffPolicy::new(options).unwrap(),
            |state, step| {
                let q = &TARGET[step.context];
                let row = LoggedRow::new(step.propensity, q[step.action], step.reward)
                    .with_predictions(step.predictions[step.action], dot(q, &step.predictions));
                state.push(&row).unwrap();
            },
        );
        assert_restored(
            || Difference::new(weight_limit, SupportOptions::default()).unwrap(),
            |state, step| {
                let (x, a) = (step.context, step.action);
                state.push(&DifferenceRow::new(step.propensity, TARGET[x][a], GREEDY[x][a], step.reward)).unwrap();
            },
        );
        assert_restored(
            || WeightedMean::new(weight_limit).unwrap(),
            |state, step| {
                state.push(step.propensity, TARGET[step.context][step.action], step.reward, 0.0).unwrap();
            },
        );
    }
    assert_restored(BoundedMean::new, |state, step| state.push(step.reward).unwrap());
    assert_restored(Calibration::default, |state, step| {
        state.push(step.predictions[step.action], step.reward).unwrap();
    });
    assert_restored(
        || Replay::new(3).unwrap(),
        |state, step| {
            state.push(step.context, step.action, step.reward).unwrap();
        },
    );
}

/// Reports are data as well: they survive JSON.
#[test]
fn reports_are_data() {
    let mut evaluation = OffPolicy::new(OffPolicyOptions::default()).unwrap();
    for reward in [0.0, 1.0, 1.0] {
        evaluation.push(&LoggedRow::new(0.5, 0.7, reward)).unwrap();
        let report = evaluation.report(0.05).unwrap();
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<optimist_engine::evaluation::OffPolicyReport>(&text).unwrap(), report);
    }
}
