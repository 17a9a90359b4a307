//! Theory beside runs, against the bounds of the same instances one by one.
#![cfg(feature = "graves-lai")]

use optimist_lab::experiment::{
    Arms, Context, Coverage, Drift, Environment, Experiment, Feedback, Hybrid, List, NormBound, PolicySpec, Redraw,
    Rewards, Shape, Truth,
};
use optimist_lab::simulation::{Progress, Setting, World, play};
use optimist_lab::store::{EnvironmentRuns, PolicyRuns};
use optimist_lab::theory::comparison::compare;
use optimist_lab::theory::graves_lai::graves_lai;
use optimist_lab::theory::upper::{ConfidenceSet, Seen, UpperBounds};
use optimist_lab::theory::{Effort, Statement};

struct Silent;

impl Progress for Silent {
    fn played(&self, _rounds: usize) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

const HORIZON: usize = 120;
const BOUND: f64 = 3.0;

fn experiment(environment: Environment) -> Experiment {
    Experiment {
        name: "beside".into(),
        seed: 4,
        runs: 3,
        horizon: HORIZON,
        delta: 0.05,
        checkpoints: vec![HORIZON],
        coverage: Coverage::Off,
        environments: vec![environment],
        policies: vec![PolicySpec::plain("optimist"), PolicySpec::plain("greedy")],
    }
}

fn run(experiment: &Experiment) -> EnvironmentRuns {
    let environment = &experiment.environments[0];
    let policy_runs = |spec: &PolicySpec| {
        let setting = Setting::new(experiment, environment, spec);
        let record = |run| (run, play(&setting, run, &Silent, None).unwrap().unwrap());
        PolicyRuns { spec: spec.clone(), runs: (0..experiment.runs).map(record).collect() }
    };
    EnvironmentRuns {
        environment: environment.clone(),
        policies: experiment.policies.iter().map(policy_runs).collect(),
    }
}

fn check(environment: Environment) {
    let experiment = experiment(environment);
    let environment_runs = run(&experiment);
    let found = compare(&experiment, &environment_runs).unwrap().unwrap();
    let [ours, greedy] = &found.policies[..] else { panic!("two policies") };
    let bound = ours.bound.as_ref().unwrap();
    let (mut general, mut realised, mut constant) = (0.0, 0.0, 0.0);
    for (run, record) in &environment_runs.policies[0].runs {
        let world = World::new(&environment_runs.environment, experiment.seed, *run).unwrap();
        let all = UpperBounds::new(world.instance(), BOUND, 0.05, ConfidenceSet::Mixture, HORIZON as u64).unwrap();
        general += all.after(HORIZON as u64, &Seen::default()).unwrap().general / 3.0;
        let (elliptical, plays) = (record.elliptical.last().copied(), record.bad_plays.last().copied());
        let seen = Seen { elliptical, detrimental_plays: plays };
        realised += all.after(HORIZON as u64, &seen).unwrap().general / 3.0;
        let optimist::ArmSet::Finite(list) = world.arms() else { panic!("a list") };
        constant += graves_lai(world.theta(), list, None).unwrap().value() / 3.0;
    }
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
    close(bound.value(), general);
    close(bound.realised, realised);
    assert!(bound.realised <= bound.value() && bound.least >= ours.regret.unwrap());
    assert_eq!(bound.probability, 0.95);
    close(found.graves_lai.as_ref().unwrap().free.mean, constant);
    close(ours.graves_lai_ratio.unwrap(), ours.regret.unwrap() / (constant * (HORIZON as f64).ln()));
    assert!(greedy.bound.is_none() && greedy.no_bound.as_ref().unwrap().contains("not optimism"));
    assert!(found.lower.is_none(), "the lower bound is for ball and sphere");
}

fn environment(arms: Arms, truth: Truth) -> Environment {
    Environment {
        label: None,
        dimension: 2,
        arms,
        truth,
        norm_bound: NormBound::Value(BOUND),
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    }
}

#[test]
fn runs_with_instances_of_their_own_are_averaged() {
    let arms = Arms::Drawn { shape: Shape::Ball, count: 7, redraw: Redraw::Run };
    check(environment(arms, Truth::ThetaNorm(2.5)));
}

#[test]
fn runs_of_one_instance_share_it() {
    let list = vec![vec![1.0, 0.0], vec![0.6, 0.7], vec![0.0, -0.9], vec![-0.8, 0.1]];
    let arms = Arms::List(List::new(None, list));
    check(environment(arms, Truth::Theta(vec![2.0, 0.5])));
}

#[test]
fn without_runs_there_is_nothing_to_say() {
    let list = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
    let arms = Arms::List(List::new(None, list));
    let experiment = experiment(environment(arms, Truth::Theta(vec![2.0, 0.5])));
    let policies = experiment.policies.iter().map(|c| PolicyRuns { spec: c.clone(), runs: Vec::new() }).collect();
    let environment_runs = EnvironmentRuns { environment: experiment.environments[0].clone(), policies };
    assert!(compare(&experiment, &environment_runs).unwrap().is_none());
}

#[test]
fn of_a_parameter_that_drifts_only_the_first_round_is_spoken_of() {
    let drifting =
        |arms: Arms| Environment { drift: Drift::Steps { every: 40 }, ..environment(arms, Truth::ThetaNorm(2.5)) };
    for arms in [Arms::Ball, Arms::Drawn { shape: Shape::Ball, count: 7, redraw: Redraw::Run }] {
        let experiment = experiment(drifting(arms));
        let found = compare(&experiment, &run(&experiment)).unwrap().unwrap();
        assert!(found.policies[0].no_bound.as_ref().unwrap().contains("theta* drifts"));
        assert!(found.policies[0].bound.is_none() && found.policies[0].graves_lai_ratio.is_none());
        assert!(found.lower.is_none() && found.no_graves_lai.unwrap().contains("theta* drifts"));
        assert!(found.note.unwrap().contains("first round"));
        let statement = Statement::of(&experiment, &experiment.environments[0], 0, Effort::Seconds).unwrap();
        assert!(statement.lower_bound.is_none() && statement.graves_lai.is_none() && statement.upper_bound.is_empty());
        for figure in ["theta", "lower_bound", "graves_lai", "upper_bound.optimist"] {
            assert!(statement.notes[figure].contains("drifts"), "{figure}: {:?}", statement.notes);
        }
    }
    let still = experiment(environment(Arms::Ball, Truth::ThetaNorm(2.5)));
    let found = compare(&still, &run(&still)).unwrap().unwrap();
    assert!(found.lower.is_some() && found.note.is_none());
}

#[test]
fn of_parameters_of_single_arms_theory_says_nothing() {
    let hybrid = Hybrid { count: 3, shared: 1, own: 2, context: Context::Common, written_out: false };
    let mut experiment = experiment(environment(Arms::Hybrid(hybrid), Truth::ThetaNorm(2.5)));
    experiment.environments[0].dimension = hybrid.dimension();
    experiment.policies = vec![PolicySpec::plain("bayes-ucb")];
    let statement = |experiment: &Experiment| Statement::of(experiment, &experiment.environments[0], 0, Effort::None);
    let text = statement(&experiment).unwrap_err().to_string();
    assert!(text.contains("written_out = true"), "{text}");
    let found = compare(&experiment, &run(&experiment)).unwrap().unwrap();
    assert!(found.policies[0].bound.is_none() && found.graves_lai.is_none() && found.lower.is_none());
    assert!(found.detrimental.is_some(), "the arms are a list");
    let hybrid = Hybrid { written_out: true, ..hybrid };
    (experiment.environments[0].arms, experiment.environments[0].dimension) =
        (Arms::Hybrid(hybrid), hybrid.dimension());
    experiment.environments[0].norm_bound = NormBound::Exact;
    let notes = statement(&experiment).unwrap().notes;
    assert!(notes["arms"].contains("change from round to round"), "{notes:?}");
}
