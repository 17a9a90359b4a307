//! Work that is stopped and taken up again, and experiments that grow.

use std::num::NonZero;
use std::path::Path;

use optimist_lab::experiment::{PolicySpec, Redraw, Shape, Truth};
use optimist_lab::run::{RunOptions, run};
use optimist_lab::store::Directory;
use optimist_lab::{Experiment, Result};

use super::{
    Counter, assert_same, drawn, environment, experiment, finish, fresh, interruption, log_lines, message, plane,
    small, work,
};

#[test]
fn stopped_work_goes_on_where_it_was() {
    let (experiment, place) = (small(3), tempfile::tempdir().unwrap());
    let reference = fresh(&experiment);
    // 12 runs of 60 rounds: 5 are over after 300 rounds.
    let counter = Counter::new(300);
    assert_eq!(interruption(work(&experiment, place.path(), &counter, 1)), (5, 12));
    assert_eq!((counter.rounds(), log_lines(place.path()).len()), (300, 5));
    let (unfinished, _) = Directory::load(place.path()).unwrap();
    assert_eq!(unfinished.progress(), (5, 12));
    // Once more: now two runs more.
    assert_eq!(interruption(work(&experiment, place.path(), &Counter::new(120), 1)), (7, 12));
    let (outcome, rounds) = finish(&experiment, place.path());
    assert_eq!(rounds, 5 * 60, "finished runs are not run again");
    assert_same(&reference, &outcome);
    let (outcome, rounds) = finish(&experiment, place.path());
    assert_eq!(rounds, 0);
    assert_same(&reference, &outcome);
}

#[test]
fn work_can_be_stopped_before_it_begins_and_within_a_run() {
    let (long, place) = (experiment(1, 1000, vec![plane(20.0)], &["greedy"]), tempfile::tempdir().unwrap());
    assert_eq!(interruption(work(&long, place.path(), &Counter::new(0), 1)), (0, 1));
    let counter = Counter::new(1);
    assert_eq!(interruption(work(&long, place.path(), &counter, 1)), (0, 1));
    assert!(counter.rounds() < 1000, "the run went on for {} rounds", counter.rounds());
    assert_same(&fresh(&long), &finish(&long, place.path()).0);
}

#[test]
fn several_threads_lose_nothing_when_stopped() {
    let (experiment, place) = (small(6), tempfile::tempdir().unwrap());
    let counter = Counter::new(500);
    let (done, total) = interruption(work(&experiment, place.path(), &counter, 5));
    assert_eq!((log_lines(place.path()).len(), total), (done, 24));
    // Runs shorter than the progress's stride are always brought to their end.
    assert_eq!(counter.rounds(), done * 60);
    let (outcome, rounds) = finish(&experiment, place.path());
    assert_eq!(rounds, (24 - done) * 60);
    assert_same(&fresh(&experiment), &outcome);
}

/// Does what is left, and checks how many runs that were.
fn grow(experiment: &Experiment, place: &Path, new: usize) {
    let (outcome, rounds) = finish(experiment, place);
    assert_eq!(rounds, new * experiment.horizon);
    assert_same(&fresh(experiment), &outcome);
}

#[test]
fn only_what_is_new_is_run() {
    let (mut experiment, place) = (small(2), tempfile::tempdir().unwrap());
    grow(&experiment, place.path(), 8);
    experiment.policies.insert(0, PolicySpec::plain("greedy"));
    grow(&experiment, place.path(), 4);
    experiment.environments.insert(1, plane(50.0));
    grow(&experiment, place.path(), 6);
    experiment.runs = 3;
    grow(&experiment, place.path(), 9);
    experiment.policies.reverse();
    experiment.environments.reverse();
    experiment.policies[0].label = "renamed".into();
    grow(&experiment, place.path(), 0);
    // Less is not wrong either, and nothing is thrown away.
    experiment.runs = 1;
    let left_out = experiment.policies.pop().unwrap();
    grow(&experiment, place.path(), 0);
    experiment.runs = 3;
    experiment.policies.push(left_out);
    grow(&experiment, place.path(), 0);
    let sampling = experiment.policies.iter_mut().find(|spec| spec.policy == "laplace-ts").unwrap();
    sampling.options.insert("ridge".into(), 3.5.into());
    grow(&experiment, place.path(), 9);
}

/// Does what is left and writes down every choice.
fn with_choices(experiment: &Experiment, place: &Path) -> Result<usize> {
    let counter = Counter::new(usize::MAX);
    let directory = Directory::open(place, experiment)?;
    let options = RunOptions { choices: true, jobs: NonZero::new(1), ..RunOptions::default() };
    run(experiment, &options, &directory, &counter)?;
    Ok(counter.rounds())
}

/// All tables of choices: their names and texts.
pub(super) fn choices(place: &Path) -> Vec<(String, String)> {
    let mut tables = Vec::new();
    for directory in std::fs::read_dir(place.join("choices")).unwrap().map(|entry| entry.unwrap().path()) {
        for file in std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.strip_prefix(place).unwrap().display().to_string();
            tables.push((name, std::fs::read_to_string(file).unwrap()));
        }
    }
    tables.sort();
    tables
}

#[test]
fn choices_are_never_those_of_another_environment_or_option() {
    let mut experiment = small(1);
    let (place, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_eq!(with_choices(&experiment, place.path()).unwrap(), 4 * 60);
    assert_eq!(with_choices(&experiment, place.path()).unwrap(), 0);
    let before = choices(place.path());
    assert_eq!(before.len(), 4);
    experiment.environments.reverse();
    with_choices(&experiment, place.path()).unwrap();
    with_choices(&experiment, other.path()).unwrap();
    assert_eq!(choices(place.path()), before);
    assert_eq!(choices(other.path()), before);
    // The same label with another option, and back.
    let plain = experiment.policies[1].clone();
    experiment.policies[1].options.insert("ridge".into(), 3.5.into());
    with_choices(&experiment, place.path()).unwrap();
    assert_eq!(choices(place.path()).len(), 6);
    experiment.policies[1] = plain;
    with_choices(&experiment, place.path()).unwrap();
    assert!(before.iter().all(|table| choices(place.path()).contains(table)));
}

#[test]
fn labels_that_look_alike_have_tables_of_their_own() {
    let mut experiment = experiment(1, 30, vec![plane(20.0)], &[]);
    experiment.policies = vec![
        PolicySpec::plain("greedy").labelled("a b"),
        PolicySpec::plain("uniform").labelled("A-b"),
        PolicySpec::plain("laplace-ts").labelled("!"),
        PolicySpec::plain("optimist").labelled("?"),
    ];
    let place = tempfile::tempdir().unwrap();
    with_choices(&experiment, place.path()).unwrap();
    assert_eq!(choices(place.path()).len(), 4);
}

/// A policy that is refused in one environment: nothing has been run when the user learns of it.
#[test]
fn refusals_come_before_the_work() {
    let long = environment(2, drawn(Shape::Ball, 3, Redraw::Run), Truth::ThetaNorm(1.0));
    let mut experiment = experiment(2, 40, vec![long], &["greedy", "greedy"]);
    experiment.policies[1] = PolicySpec::plain("greedy").labelled("wrong").with("ridge", -1.0);
    let (place, counter) = (tempfile::tempdir().unwrap(), Counter::new(usize::MAX));
    let text = message(work(&experiment, place.path(), &counter, 1));
    assert!(text.contains("ridge") && text.contains("-1"), "{text}");
    assert_eq!(counter.rounds(), 0);
}
