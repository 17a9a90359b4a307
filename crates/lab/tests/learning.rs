//! Whether policies learn as fast as they should: small versions of the comparisons of `cargo bench --bench regret`.

use optimist_lab::experiment::{
    Arms, Coverage, Drift, Environment, Experiment, Feedback, NormBound, PolicySpec, Redraw, Rewards, Shape, Truth,
};
use optimist_lab::results::Statistics;
use optimist_lab::run::{RunOptions, run};
use optimist_lab::store::{Memory, PolicyRuns};

const ROUNDS: usize = 1000;

/// 40 runs of every policy: two features, 40 arms in the disc, kappa = 50.
fn play<const N: usize>(policies: [PolicySpec; N]) -> [PolicyRuns; N] {
    let environment = Environment {
        label: None,
        dimension: 2,
        arms: Arms::Drawn { shape: Shape::Ball, count: 40, redraw: Redraw::Run },
        truth: Truth::Kappa(50.0),
        norm_bound: NormBound::Exact,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    };
    let experiment = Experiment {
        name: "learning".into(),
        seed: 1,
        runs: 40,
        horizon: ROUNDS,
        delta: 0.05,
        checkpoints: vec![ROUNDS / 2, ROUNDS],
        coverage: Coverage::Off,
        environments: vec![environment],
        policies: policies.to_vec(),
    };
    let mut outcome = run(&experiment, &RunOptions::default(), &Memory::default(), &()).unwrap();
    outcome.environments.remove(0).policies.try_into().unwrap()
}

/// Asserts that the mean regret of `a` is at most `limit` times that of `b`, up to three standard errors of the mean of
/// a - limit b over the instances, which are the same for both.
fn assert_at_most(a: &PolicyRuns, limit: f64, b: &PolicyRuns) {
    let pairs = a.final_regrets().into_iter().zip(b.final_regrets());
    let differences: Vec<f64> = pairs.map(|(x, y)| x - limit * y).collect();
    let Statistics { mean, std, .. } = Statistics::of(&differences);
    let error = std / (differences.len() as f64).sqrt();
    assert!(mean <= 3.0 * error, "{} by {}: {mean} +- {error}", a.spec.label, b.spec.label);
}

#[test]
fn policies_learn_as_fast_as_they_should() {
    let names = ["optimist", "ofuglb", "laplace-ts", "optimist-stream", "bayes-ucb", "uniform"];
    let [optimist, ofuglb, sampling, stream, quantile, uniform] = play(names.map(PolicySpec::plain));
    assert_at_most(&optimist, 0.75, &ofuglb);
    assert_at_most(&optimist, 1.8, &sampling);
    assert_at_most(&stream, 1.8, &sampling);
    assert_at_most(&quantile, 1.0, &sampling);
    // None of which is true of something that does not learn, or hardly.
    assert_at_most(&optimist, 0.1, &uniform);
    assert_at_most(&sampling, 0.1, &uniform);
}

/// The set as printed is the whole ball: one arm is played, and regret is linear.
#[test]
fn the_printed_constants_learn_nothing() {
    let [printed] = play([PolicySpec::plain("ofulog-r").with("radius", "paper")]);
    let half = printed.runs[0].1.t.binary_search(&(ROUNDS / 2)).unwrap();
    let mean = |regrets: &[f64]| Statistics::of(regrets).mean;
    let (half, full) = (mean(&printed.regrets(half)), mean(&printed.final_regrets()));
    assert!(full >= 1.9 * half, "{full} after all rounds, {half} after half of them");
    assert!(full > 200.0, "{full}");
}
