//! Tables and logs replayed from memory.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

use optimist_engine::evaluation::OffPolicyOptions;
use optimist_engine::{Action, Column, Kind, Structure};
use optimist_lab::replay::{
    Candidate, Contexts, Entry, Examples, Log, LoggedDecision, Orders, Setup, best, evaluate, play, reject,
    results_csv, uneven, usual_orders,
};
use optimist_lab::simulation::Progress;

fn columns() -> Vec<Column> {
    vec![Column::new("device", Kind::category()), Column::new("age", Kind::number())]
}

fn contexts(rows: usize) -> Contexts {
    let mut contexts = Contexts::new(&columns());
    for row in 0..rows {
        let device = ["phone", "desktop"][row % 2];
        contexts.push([device.into(), ((row * 7 % 50) as f64).into()]).unwrap();
    }
    contexts
}

/// The class is the device's, without exception.
fn examples(rows: usize) -> Examples {
    let labels = (0..rows).map(|row| (row % 2) as u32).collect();
    Examples { contexts: contexts(rows), classes: vec!["green".into(), "red".into()], labels }
}

fn setup(jobs: usize) -> Setup {
    Setup {
        columns: columns(),
        actions: ["green", "red"].map(Action::from).to_vec(),
        explore: 0.0,
        certify: false,
        norm_bound: None,
        seed: 3,
        jobs: NonZero::new(jobs),
    }
}

fn candidates(policies: &[&str]) -> Vec<Candidate> {
    let one = |policy: &&str| Candidate {
        policy: (*policy).to_owned(),
        model: Structure::Disjoint,
        options: Default::default(),
    };
    policies.iter().map(one).collect()
}

const ORDERS: Orders = Orders { count: 3, rounds: 400 };

fn entries(jobs: usize, progress: &dyn Progress) -> Vec<Entry> {
    let (examples, candidates) = (examples(400), candidates(&["laplace-ts", "uniform"]));
    let courses = play(&examples, &setup(jobs), &candidates, ORDERS, progress).unwrap();
    let of = |(candidate, courses)| Entry::of_courses(candidate, courses, ORDERS.rounds);
    candidates.iter().zip(courses).filter_map(of).collect()
}

#[test]
fn what_can_be_learnt_is_learnt() {
    let entries = entries(2, &());
    let [sampling, floor] = &entries[..] else { panic!("{entries:?}") };
    assert!(sampling.mistakes.unwrap() < 60.0, "{:?}", sampling.mistakes);
    // 1200 coins in all: six standard deviations of the mean of three orders are 35.
    assert!((floor.mistakes.unwrap() - 200.0).abs() < 35.0, "{:?}", floor.mistakes);
    assert_eq!(best(&entries).unwrap().policy, "laplace-ts");
    assert_eq!((sampling.orders, sampling.rounds, sampling.mistakes_error.is_some()), (3, 400, true));
}

#[test]
fn threads_do_not_matter() {
    let table = |jobs| String::from_utf8(results_csv(&entries(jobs, &())).unwrap()).unwrap();
    assert_eq!(table(1), table(3));
}

/// Stops after so many rounds.
struct Patience(AtomicUsize, usize);

impl Progress for Patience {
    fn played(&self, rounds: usize) {
        self.0.fetch_add(rounds, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= self.1
    }
}

#[test]
fn what_is_there_counts_when_somebody_stops() {
    // In the middle of the second candidate's first order.
    let entries = entries(1, &Patience(AtomicUsize::new(0), 500));
    let [first, second] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((first.rounds, first.orders), (400, 1));
    assert!(second.rounds > 0 && second.rounds < 400 && second.orders == 1, "{}", second.rounds);
    assert_eq!(second.courses[0].last().unwrap().round, second.rounds, "the curve ends where the course does");
}

#[test]
fn usual_numbers_of_orders() {
    assert_eq!([10, 50_000, 100_000, 1_000_000].map(usual_orders), [10, 3, 1, 1]);
}

/// Both actions in turn; the action that fits the device earns one.
fn log(rows: usize, propensity: Option<f64>) -> Log {
    let decision = |row: usize| {
        let action = (row / 2 % 2) as u32;
        let reward = f64::from(u8::from(row % 2 == action as usize));
        LoggedDecision { action, propensity, reward, offered: None }
    };
    let actions = ["green", "red"].map(str::to_owned).to_vec();
    Log { contexts: contexts(rows), decisions: (0..rows).map(decision).collect(), actions }
}

#[test]
fn apprentices_learn_from_what_others_do() {
    let (log, candidates) = (log(800, Some(0.5)), candidates(&["greedy", "uniform"]));
    let found = evaluate(&log, &setup(2), &candidates, OffPolicyOptions::default(), 0.05, &()).unwrap();
    let values: Vec<f64> = candidates
        .iter()
        .zip(found)
        .map(|(candidate, apprentice)| Entry::of_apprentice(candidate, apprentice.unwrap()).mean_reward.unwrap())
        .collect();
    assert!(values[0] > 0.9 && values[0] < 1.05, "{values:?}");
    assert!((values[1] - 0.5).abs() < 0.05, "{values:?}");
}

#[test]
fn rejection_learns_from_matches_only() {
    let (log, candidates) = (log(800, None), candidates(&["bayes-ucb"]));
    assert_eq!(uneven(&log).unwrap(), None);
    let found = reject(&log, &setup(1), &candidates, 0.05, &()).unwrap();
    let (course, report) = found[0].clone().unwrap();
    assert_eq!((course.rounds, report.rows), (800, 800));
    assert!(report.matched > 300 && report.matched < 500, "{}", report.matched);
    assert!(report.estimate.unwrap().value > 0.85);
}

#[test]
fn engines_refuse_in_their_own_words() {
    let shared = Candidate { model: Structure::Shared, ..candidates(&["greedy"]).remove(0) };
    let message = setup(1).check(&shared).unwrap_err().to_string();
    assert!(message.starts_with("greedy, shared: model is \"shared\""), "{message}");
}
