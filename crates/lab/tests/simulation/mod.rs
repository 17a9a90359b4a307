//! The laboratory at work: worlds, runs, and directories that survive whatever happens to them.

mod builds;
#[cfg(feature = "replay")]
mod contexts;
mod coverage;
mod damage;
mod distributions;
mod drift;
mod fairness;
mod hybrid;
mod memory;
mod open_plays;
mod parts;
mod refusals;
mod regret;
mod resuming;

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use optimist_lab::experiment::{
    Arms, Coverage, Drift, Environment, Experiment, Feedback, NormBound, PolicySpec, Redraw, Rewards, Shape, Truth,
};
use optimist_lab::results::write_csv;
use optimist_lab::run::{RunOptions, run};
use optimist_lab::simulation::Progress;
use optimist_lab::store::Directory;
use optimist_lab::{Error, Outcome, Result};

/// Makes another experiment of one.
type Change = fn(&mut Experiment);

/// Counts rounds, and says stop after some.
struct Counter {
    rounds: AtomicUsize,
    most: usize,
}

impl Counter {
    fn new(most: usize) -> Self {
        Self { rounds: AtomicUsize::new(0), most }
    }

    fn rounds(&self) -> usize {
        self.rounds.load(Ordering::SeqCst)
    }
}

impl Progress for Counter {
    fn played(&self, rounds: usize) {
        self.rounds.fetch_add(rounds, Ordering::SeqCst);
    }

    fn is_stopped(&self) -> bool {
        self.rounds() >= self.most
    }
}

/// Arms that are drawn.
fn drawn(shape: Shape, count: usize, redraw: Redraw) -> Arms {
    Arms::Drawn { shape, count, redraw }
}

fn environment(dimension: usize, arms: Arms, truth: Truth) -> Environment {
    Environment {
        label: None,
        dimension,
        arms,
        truth,
        norm_bound: NormBound::Exact,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    }
}

/// Six arms in the plane.
fn plane(kappa: f64) -> Environment {
    environment(2, drawn(Shape::Ball, 6, Redraw::Run), Truth::Kappa(kappa))
}

fn experiment(runs: usize, horizon: usize, environments: Vec<Environment>, policies: &[&str]) -> Experiment {
    Experiment {
        name: "trial".into(),
        seed: 7,
        runs,
        horizon,
        delta: 0.05,
        checkpoints: vec![horizon / 2, horizon],
        coverage: Coverage::Rounds,
        environments,
        policies: policies.iter().map(|name| PolicySpec::plain(name)).collect(),
    }
}

/// Two environments, a random policy and one with a confidence set: 4 policies.
fn small(runs: usize) -> Experiment {
    experiment(runs, 60, vec![plane(20.0), plane(200.0)], &["optimist", "laplace-ts"])
}

/// Does what is left to do, on one thread, until `progress` says stop.
fn work(experiment: &Experiment, place: &Path, progress: &dyn Progress, jobs: usize) -> Result<Outcome> {
    let directory = Directory::open(place, experiment)?;
    let options = RunOptions { jobs: NonZero::new(jobs), ..RunOptions::default() };
    run(experiment, &options, &directory, progress)
}

/// Does all that is left, and tells how many rounds that took.
fn finish(experiment: &Experiment, place: &Path) -> (Outcome, usize) {
    let counter = Counter::new(usize::MAX);
    let outcome = work(experiment, place, &counter, 1).expect("the work is done");
    (outcome, counter.rounds())
}

/// All of it in a directory of its own.
fn fresh(experiment: &Experiment) -> Outcome {
    let place = tempfile::tempdir().unwrap();
    finish(experiment, place.path()).0
}

/// The table of results.
fn table(outcome: &Outcome) -> String {
    let mut bytes = Vec::new();
    write_csv(outcome, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The same without the build and what comes after it.
fn figures(outcome: &Outcome) -> String {
    let table = table(outcome);
    let build = table.lines().next().and_then(|header| header.split(',').position(|name| name == "build")).unwrap();
    table.lines().map(|line| line.split(',').take(build).collect::<Vec<_>>().join(",") + "\n").collect()
}

/// Both hold the same runs with the same outcome, times and builds aside.
fn assert_same(left: &Outcome, right: &Outcome) {
    assert_eq!(left.experiment, right.experiment);
    assert_eq!(left.progress(), right.progress());
    for (a, b) in left.environments.iter().zip(&right.environments) {
        for (a, b) in a.policies.iter().zip(&b.policies) {
            let numbers = |runs: &[(usize, _)]| runs.iter().map(|(run, _)| *run).collect::<Vec<_>>();
            assert_eq!(numbers(&a.runs), numbers(&b.runs), "{}", a.spec.label);
            for ((run, a), (_, b)) in a.runs.iter().zip(&b.runs) {
                assert!(a.is_same_outcome(b), "run {run}: {a:?} and {b:?}");
            }
        }
    }
    assert_eq!(figures(left), figures(right));
}

/// The lines of the log.
fn log_lines(place: &Path) -> Vec<String> {
    fs::read_to_string(place.join("runs.log")).unwrap().lines().map(str::to_owned).collect()
}

/// The message of a failure: one line.
fn message<T>(result: Result<T>) -> String {
    let Err(error) = result else { panic!("this should have failed") };
    let text = error.to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

/// How many runs are done of how many, according to an interruption.
fn interruption(result: Result<Outcome>) -> (usize, usize) {
    match result {
        Err(Error::Interrupted { done, total }) => (done, total),
        other => panic!("not interrupted: {other:?}"),
    }
}
