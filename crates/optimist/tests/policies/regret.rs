//! Whether policies learn as fast as they should: small versions of the comparisons of `cargo bench --bench regret`.

use optimist::Problem;
use optimist::policy;
use serde_json::{Value, json};

use crate::world::{Outcome, Setting, play};

/// kappa = 50.
const SETTING: Setting = Setting {
    dimension: 2,
    arms: 40,
    norm: 3.871,
    norm_bound: 3.871,
    delta: 0.05,
    rounds: 1000,
    seeds: 40,
    first: 0,
    batch: 1,
    changing: false,
};

fn outcomes(name: &str, options: &Value) -> Vec<Outcome> {
    let problem = Problem { dimension: 2, delta: SETTING.delta, norm_bound: Some(SETTING.norm_bound) };
    let run = |seed: usize| {
        let mut policy = policy::build_with(name, &problem, options).unwrap();
        play(&mut *policy, &SETTING, seed).unwrap()
    };
    (0..SETTING.seeds).map(run).collect()
}

/// Asserts that the mean regret of `a` is at most `limit` times that of `b`, up to three standard errors of the mean of
/// a - limit b over the instances, which are the same for both.
fn assert_at_most(a: &[Outcome], limit: f64, b: &[Outcome]) {
    let n = a.len() as f64;
    let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x.full - limit * y.full).collect();
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    assert!(mean <= 3.0 * (variance / n).sqrt(), "{mean} +- {}", (variance / n).sqrt());
}

#[test]
fn policies_learn_as_fast_as_they_should() {
    let none = serde_json::json!({});
    let optimist = outcomes("optimist", &none);
    assert_at_most(&optimist, 0.75, &outcomes("ofuglb", &none));
    let sampling = outcomes("laplace-ts", &none);
    assert_at_most(&optimist, 1.8, &sampling);
    assert_at_most(&outcomes("optimist-stream", &none), 1.8, &sampling);
    assert_at_most(&outcomes("bayes-ucb", &none), 1.0, &sampling);
    // None of which is true of something that does not learn, or hardly.
    let uniform = outcomes("uniform", &none);
    assert_at_most(&optimist, 0.1, &uniform);
    assert_at_most(&sampling, 0.1, &uniform);
}

/// The set as printed is the whole ball: one arm is played, and regret is linear.
#[test]
fn the_printed_constants_learn_nothing() {
    let printed = outcomes("ofulog-r", &json!({ "radius": "paper" }));
    let (half, full) = printed.iter().fold((0.0, 0.0), |(h, f), o| (h + o.half, f + o.full));
    assert!(full >= 1.9 * half, "{full} after all rounds, {half} after half of them");
    assert!(full / SETTING.seeds as f64 > 200.0, "{full}");
}
