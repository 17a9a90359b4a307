//! What every policy must do, and what this one is for.

use my_policy::register;
use optimist::{ArmSet, FiniteArms, Problem, conformance, generator, policy};
use optimist_lab::experiment::read;
use optimist_lab::results::Summary;
use optimist_lab::run::{RunOptions, run};
use optimist_lab::store::Memory;

/// Some fifty checks: arms of all shapes, rewards late and out of order, damaged states, probabilities against
/// frequencies. The message names those that failed.
#[test]
fn it_conforms() {
    register().unwrap();
    conformance::check_policy(&my_policy::my_policy::INFO);
}

/// What no check can know is whether the policy does what it is meant to do: compare it with numbers computed by hand.
#[test]
fn it_explores_as_often_as_it_says() {
    register().unwrap();
    let problem = Problem { dimension: 1, delta: 0.05, norm_bound: Some(3.0) };
    let mut policy = policy::build("my-policy", &problem).unwrap();
    policy.observe_many(&[1.0, 1.0, 1.0], &[1.0, 1.0, 0.0]).unwrap();
    let arms = ArmSet::from(FiniteArms::from_rows(&[[1.0], [-0.5]]).unwrap());
    // The first round: any arm with probability 1/2. More successes than failures: the first arm looks best.
    let p = policy.probabilities(&arms, 0, &mut generator(1)).unwrap().values;
    assert!((p[0] - 0.75).abs() < 1e-12 && (p[1] - 0.25).abs() < 1e-12, "{p:?}");
}

/// A short version of the experiment: whatever else it does, it has to beat arms at random.
#[test]
fn it_learns_in_the_laboratory() {
    register().unwrap();
    let mut experiment = read(include_str!("../experiment.toml"), ".".as_ref()).unwrap();
    (experiment.runs, experiment.horizon, experiment.checkpoints) = (10, 500, vec![500]);
    let outcome = run(&experiment, &RunOptions::default(), &Memory::default(), &()).unwrap();
    let summary = Summary::of(&outcome);
    let regret = |label: &str| {
        let policy = summary.environments[0].policies.iter().find(|policy| policy.label == label).unwrap();
        policy.regret.as_ref().unwrap().mean
    };
    assert!(regret("my-policy") < 0.5 * regret("uniform"), "{} and {}", regret("my-policy"), regret("uniform"));
}
