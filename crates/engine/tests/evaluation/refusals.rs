//! What is refused, and in which words.

use optimist_engine::evaluation::{
    Concern, EvaluationError, Gap, LoggedRow, OffPolicy, OffPolicyOptions, SupportOptions, Verdict, WeightedMean,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn evaluation(weight_limit: Option<f64>) -> OffPolicy {
    OffPolicy::new(OffPolicyOptions { weight_limit, ..Default::default() }).unwrap()
}

/// `rows` rows of an even coin, whose propensity is logged as `logged`, seen by a target that takes heads with `heads`.
fn coin(rows: usize, logged: f64, heads: f64, limit: Option<f64>) -> OffPolicy {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut evaluation = evaluation(limit);
    for _ in 0..rows {
        let q = if rng.random::<f64>() < 0.5 { heads } else { 1.0 - heads };
        evaluation.push(&LoggedRow::new(logged, q, 1.0)).unwrap();
    }
    evaluation
}

#[test]
fn rows_that_cannot_be_used() {
    let good = LoggedRow::new(0.5, 0.5, 1.0);
    let cases = [
        (LoggedRow { propensity: None, ..good }, "propensity is missing"),
        (LoggedRow::new(0.0, 0.5, 1.0), "propensity is 0: it must be above 0 and at most 1"),
        (LoggedRow::new(1.5, 0.5, 1.0), "propensity is 1.5"),
        (LoggedRow::new(f64::NAN, 0.5, 1.0), "propensity is NaN"),
        (LoggedRow::new(-0.1, 0.5, 1.0), "propensity is -0.1"),
        (LoggedRow::new(1e-300, 0.5, 1.0), "at most 1000000000000 can be computed with"),
        (LoggedRow::new(0.5, 1.1, 1.0), "target is 1.1: it must be from 0 to 1"),
        (LoggedRow::new(0.5, f64::NAN, 1.0), "target is NaN"),
        (LoggedRow::new(0.5, 0.5, 2.0), "reward is 2"),
        (LoggedRow::new(0.1, 1.0, 1.0), "weight_limit promised at most 4"),
        (good.with_predictions(1.2, 0.5), "predictions.logged is 1.2"),
        (good.with_predictions(0.5, f64::NAN), "predictions.target is NaN"),
        (good.with_unsupported(-1.0), "unsupported is -1"),
    ];
    let mut evaluation = evaluation(Some(4.0));
    evaluation.push(&good).unwrap();
    let before = evaluation.clone();
    for (row, words) in cases {
        let error = evaluation.push(&row).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(evaluation, before, "a refused row must change nothing");
    }
}

#[test]
fn options_that_cannot_be_used() {
    let default = OffPolicyOptions::default();
    let share = |least_effective_share| SupportOptions { least_effective_share, ..Default::default() };
    for (options, words) in [
        (OffPolicyOptions { weight_limit: Some(0.5), ..default }, "weight_limit is 0.5"),
        (OffPolicyOptions { weight_limit: Some(f64::INFINITY), ..default }, "weight_limit is inf"),
        (OffPolicyOptions { clip: 0.0, ..default }, "clip is 0"),
        (OffPolicyOptions { support: share(2.0), ..default }, "least_effective_share is 2"),
    ] {
        let error = OffPolicy::new(options).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    for delta in [0.0, 1.0, -1.0, f64::NAN] {
        let error = evaluation(None).report(delta).unwrap_err();
        assert!(matches!(error, EvaluationError::OutOfRange { field: "delta", .. }), "{error}");
    }
}

#[test]
fn no_rows() {
    let report = evaluation(None).report(0.05).unwrap();
    assert_eq!(report.support.concerns, [Concern::NoRows]);
    assert_eq!((report.support.verdict, report.estimates), (Verdict::Refused, None));
}

#[test]
fn a_sound_log_is_usable() {
    let report = coin(3000, 0.5, 0.8, Some(2.0)).report(0.05).unwrap();
    assert_eq!((report.support.verdict, &report.support.concerns[..]), (Verdict::Usable, &[][..]));
    let (lower, upper) = report.support.expected_weight;
    assert!(lower < 1.0 && upper.unwrap() > 1.0 && lower > 0.9 && upper.unwrap() < 1.1, "{lower} {upper:?}");
}

#[test]
fn propensities_logged_too_small() {
    let report = coin(3000, 0.4, 0.8, None).report(0.05).unwrap();
    assert!(matches!(report.support.concerns[0], Concern::WeightsTooLarge { lower, .. } if lower > 1.0));
    assert_eq!((report.support.verdict, &report.estimates), (Verdict::Refused, &None));
    let words = report.support.concerns[0].to_string();
    assert!(words.contains("the logged propensities are too small"), "{words}");
}

#[test]
fn propensities_logged_too_large() {
    // Beyond doubt with a promised limit; without one, rare large weights might still come, and it is a suspicion.
    let sure = coin(3000, 0.7, 0.8, Some(2.0)).report(0.05).unwrap();
    assert!(matches!(sure.support.concerns[0], Concern::WeightsTooSmall { upper, .. } if upper < 1.0));
    assert_eq!(sure.support.verdict, Verdict::Refused);
    let odd = coin(3000, 0.7, 0.8, None).report(0.05).unwrap();
    assert!(matches!(odd.support.concerns[0], Concern::WeightsOdd { z, .. } if z < -4.0));
    assert_eq!(odd.support.verdict, Verdict::Suspicious);
    assert!(odd.estimates.is_some() && odd.support.concerns[0].to_string().contains("not have come yet"));
}

/// How often the test of weights refuses a sound log that is looked at after every row.
#[test]
fn sound_logs_are_hardly_ever_refused() {
    let mut refused = 0;
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut evaluation = evaluation(Some(10.0));
        let mut is_refused = false;
        for t in 0..300 {
            let (p, q) = if rng.random::<f64>() < 0.1 { (0.1, 1.0) } else { (0.9, 0.0) };
            evaluation.push(&LoggedRow::new(p, q, 0.0)).unwrap();
            is_refused |= t % 3 == 0 && evaluation.report(0.05).unwrap().support.verdict == Verdict::Refused;
        }
        refused += i32::from(is_refused);
    }
    // Two tests at 0.001: a mean of at most 0.6, so 6 has a probability below 1e-4.
    println!("sound logs refused: {refused} of 300");
    assert!(refused < 6, "{refused}");
}

#[test]
fn actions_that_the_log_could_not_have_shown() {
    let mut evaluation = evaluation(None);
    for i in 0..1000 {
        evaluation.push(&LoggedRow::new(1.0, 0.75, f64::from(i % 2)).with_unsupported(0.25)).unwrap();
    }
    let report = evaluation.report(0.05).unwrap();
    let Concern::SupportMissing { mass, value: Some(value) } = report.support.concerns[0] else {
        panic!("{:?}", report.support.concerns)
    };
    assert!((mass - 0.25).abs() < 1e-12);
    // Half of what can be seen pays: the value is 0.375 if the others never pay, and 0.625 if they always do.
    assert!(value.contains(0.375) && value.contains(0.625) && value.width() < 0.35, "{value}");
    assert_eq!(report.estimates, None);
    let words = report.support.concerns[0].to_string();
    assert!(words.contains("25.00% of its probability to actions that the log could not have shown"), "{words}");
}

#[test]
fn few_rows_that_count() {
    let report = coin(20, 0.5, 0.5, None).report(0.05).unwrap();
    assert_eq!(report.support.verdict, Verdict::TooLittleSupport);
    assert!(report.estimates.is_some(), "the estimate is given nonetheless");
    assert!(report.support.concerns[0].to_string().starts_with("too little support: of 20 rows only 20.0 count"));

    // Many rows, of which one in five hundred has all the weight.
    let mut evaluation = evaluation(None);
    for i in 0..20_000 {
        let (p, q) = if i % 500 == 0 { (0.002, 1.0) } else { (0.998, 0.0) };
        evaluation.push(&LoggedRow::new(p, q, 1.0)).unwrap();
    }
    let report = evaluation.report(0.05).unwrap();
    let Concern::FewEffectiveRows { effective, needed, .. } = report.support.concerns[0] else { panic!("{report:?}") };
    assert!((effective - 40.0).abs() < 1e-9 && needed == 200.0);
}

#[test]
fn what_is_missing_says_why() {
    let mut evaluation = evaluation(None);
    evaluation.push(&LoggedRow::new(0.5, 0.0, 1.0).with_predictions(0.5, 0.5)).unwrap();
    let estimates = evaluation.report(0.05).unwrap().estimates.unwrap();
    assert_eq!(estimates.self_normalised, Err(Gap::NoWeight));
    assert_eq!(estimates.inverse_propensity.standard_error, None);
    let robust = estimates.doubly_robust.unwrap();
    assert!(robust.always_valid.unwrap_err().to_string().contains("weight_limit"));
    evaluation.push(&LoggedRow::new(0.5, 0.5, 1.0)).unwrap();
    let gap = evaluation.report(0.05).unwrap().estimates.unwrap().doubly_robust.unwrap_err();
    assert_eq!(gap, Gap::NoPredictions { rows: 1 });
    assert!(gap.to_string().contains("1 rows came without"));
}

/// A weight that equals its limit on paper is not refused because a quotient was rounded.
#[test]
fn weights_at_their_limit() {
    let mut mean = WeightedMean::new(Some(1.0 / 0.3)).unwrap();
    for p in [0.3, 0.1 + 0.2, 0.3 * (1.0 - 1e-13)] {
        mean.push(p, 1.0, 0.0, 0.0).unwrap();
    }
    assert!(mean.push(0.3 * (1.0 - 1e-9), 1.0, 0.0, 0.0).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is handed over, nothing panics, and what is accepted gives finite figures and ordered ends.
    #[test]
    fn nothing_panics(
        rows in prop::collection::vec((any::<f64>(), any::<f64>(), any::<f64>(), 0u8..4, 0u8..4), 1..40),
        limit in prop::option::of(any::<f64>()),
        delta in any::<f64>(),
    ) {
        // Mostly sensible numbers, with wild ones between them.
        let tame = |x: f64, kind: u8| match kind { 0 => x, 1 => 1.0, 2 => 1e-12, _ => (x.to_bits() % 1001) as f64 / 1000.0 };
        let options = OffPolicyOptions { weight_limit: limit, ..Default::default() };
        let Ok(mut evaluation) = OffPolicy::new(options).or_else(|_| OffPolicy::new(OffPolicyOptions::default())) else {
            unreachable!("the default options are valid")
        };
        for (p, q, r, a, b) in rows {
            let row = LoggedRow::new(tame(p, a), tame(q, b), tame(r, a ^ b)).with_predictions(tame(q, a), tame(p, b));
            let _ = evaluation.push(&row.with_unsupported(tame(r, b)));
        }
        let _ = evaluation.report(delta);
        let report = evaluation.report(0.05).unwrap();
        prop_assert!(report.support.mean_weight.is_finite() && report.support.expected_weight.0.is_finite());
        if let Some(estimates) = report.estimates {
            let all = [estimates.inverse_propensity, estimates.clipped.estimate];
            for estimate in all.into_iter().chain(estimates.self_normalised).chain(estimates.doubly_robust) {
                prop_assert!(estimate.value.is_finite());
                if let Ok(interval) = estimate.always_valid {
                    prop_assert!((0.0..=1.0).contains(&interval.lower) && (0.0..=1.0).contains(&interval.upper));
                }
            }
        }
    }
}
