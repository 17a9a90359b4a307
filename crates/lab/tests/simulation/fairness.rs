//! Common random numbers: the same bandit and the same luck for everybody, whoever else is there.

use optimist::ArmSet;
use optimist_lab::Result;
use optimist_lab::experiment::{Experiment, PolicySpec, Redraw, Shape, Truth};
use optimist_lab::simulation::{PlayedRound, RoundLog, Setting, World, play};
use optimist_lab::store::{Outcome, PolicyRuns};

use super::{Counter, assert_same, drawn, environment, experiment, finish, fresh, plane, small, table, work};

fn list(world: &World) -> Vec<Vec<f64>> {
    match world.arms() {
        ArmSet::Finite(list) => list.iter().map(<[f64]>::to_vec).collect(),
        other => panic!("a list was asked for: {other:?}"),
    }
}

fn direction(theta: &[f64]) -> Vec<f64> {
    let norm = theta.iter().map(|v| v * v).sum::<f64>().sqrt();
    theta.iter().map(|v| v / norm).collect()
}

#[test]
fn environments_that_differ_in_kappa_share_direction_arms_and_luck() {
    let world = |kappa, run| {
        let environment = environment(4, drawn(Shape::Ball, 5, Redraw::Round), Truth::Kappa(kappa));
        World::new(&environment, 11, run).unwrap()
    };
    for run in 0..5 {
        let (mut small, mut large) = (world(8.0, run), world(900.0, run));
        let pairs = direction(small.theta()).into_iter().zip(direction(large.theta()));
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-14), "run {run}");
        for _ in 0..10 {
            assert_eq!(list(&small), list(&large));
            assert_eq!(small.next_luck(), large.next_luck());
            let before = list(&small);
            small.next_round().unwrap();
            large.next_round().unwrap();
            assert_ne!(before, list(&small), "the arms are drawn afresh");
        }
    }
    let (first, second) = (world(8.0, 0), world(8.0, 1));
    assert_ne!(first.theta(), second.theta(), "runs differ");
    assert_ne!(list(&first), list(&second), "runs differ");
}

#[test]
fn arms_of_a_run_stay() {
    let mut world = World::new(&plane(10.0), 1, 0).unwrap();
    let before = list(&world);
    world.next_round().unwrap();
    assert_eq!(before, list(&world));
}

#[derive(Default)]
struct Plays(Vec<(usize, f64)>);

impl RoundLog for Plays {
    fn round(&mut self, round: &PlayedRound<'_>) -> Result<()> {
        self.0.push((round.arm.expect("a list"), round.reward));
        Ok(())
    }
}

fn plays(experiment: &Experiment, policy: usize) -> Vec<(usize, f64)> {
    let setting = Setting::new(experiment, &experiment.environments[0], &experiment.policies[policy]);
    let mut log = Plays::default();
    play(&setting, 0, &Counter::new(usize::MAX), Some(&mut log)).unwrap();
    log.0
}

#[test]
fn the_same_arm_in_the_same_round_has_the_same_reward() {
    let experiment = experiment(1, 300, vec![plane(30.0)], &["optimist", "laplace-ts", "uniform", "greedy"]);
    let all: Vec<_> = (0..4).map(|policy| plays(&experiment, policy)).collect();
    let mut met = 0;
    for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        for (a, b) in all[a].iter().zip(&all[b]) {
            if a.0 == b.0 {
                assert_eq!(a.1, b.1);
                met += 1;
            }
        }
        assert_ne!(all[a], all[b], "policies that do the same test nothing");
    }
    assert!(met > 100, "they hardly met: {met}");
}

/// The policy_runs of a policy in the environment of this kappa.
fn policy_runs<'a>(outcome: &'a Outcome, kappa: f64, label: &str) -> &'a PolicyRuns {
    let environment_runs = outcome
        .environments
        .iter()
        .find(|environment_runs| environment_runs.environment.truth == Truth::Kappa(kappa))
        .unwrap();
    environment_runs.policies.iter().find(|policy_runs| policy_runs.spec.label == label).unwrap()
}

#[test]
fn company_and_order_do_not_matter() {
    let first = small(2);
    let mut second = first.clone();
    second.policies.insert(0, PolicySpec::plain("greedy"));
    second.policies.swap(1, 2);
    second.environments.insert(1, plane(77.0));
    second.environments.swap(0, 2);
    second.runs = 3;
    let (left, right) = (fresh(&first), fresh(&second));
    for kappa in [20.0, 200.0] {
        for label in ["optimist", "laplace-ts"] {
            let (a, b) = (policy_runs(&left, kappa, label), policy_runs(&right, kappa, label));
            assert_eq!((a.runs.len(), b.runs.len()), (2, 3));
            for ((_, a), (_, b)) in a.runs.iter().zip(&b.runs) {
                assert!(a.is_same_outcome(b), "kappa {kappa}, {label}");
            }
        }
    }
    let mut other = first.clone();
    other.seed += 1;
    assert_ne!(table(&left), table(&fresh(&other)), "another seed gives other results");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let experiment = small(5);
    let reference = fresh(&experiment);
    for jobs in [2, 5] {
        let place = tempfile::tempdir().unwrap();
        let outcome = work(&experiment, place.path(), &Counter::new(usize::MAX), jobs).unwrap();
        assert_same(&reference, &outcome);
    }
    assert_eq!(table(&reference).lines().count(), 1 + 4 * 5 * 2);
}

#[test]
fn twins_with_other_labels_have_the_same_runs() {
    let mut experiment = small(2);
    experiment.policies.push(PolicySpec::plain("optimist").labelled("twin"));
    let place = tempfile::tempdir().unwrap();
    let outcome = finish(&experiment, place.path()).0;
    assert_eq!(outcome.progress(), (12, 12));
    let (a, b) = (policy_runs(&outcome, 20.0, "optimist"), policy_runs(&outcome, 20.0, "twin"));
    assert!(a.runs.iter().zip(&b.runs).all(|(a, b)| a.1.is_same_outcome(&b.1)));
    assert_eq!(finish(&experiment, place.path()).1, 0, "nothing is left to do");
}
