//! Experiments without files.

use std::num::NonZero;

use optimist_lab::run::{RunOptions, run};
use optimist_lab::store::Memory;

use super::{Counter, assert_same, fresh, interruption, message, small};

#[test]
fn memory_and_a_directory_give_the_same_outcome() {
    let experiment = small(5);
    let outcome = run(&experiment, &RunOptions::default(), &Memory::default(), &()).unwrap();
    assert_eq!(outcome.progress(), (20, 20));
    assert_same(&fresh(&experiment), &outcome);
}

#[test]
fn what_is_finished_stays_in_memory() {
    let (experiment, memory) = (small(5), Memory::default());
    let options = RunOptions { jobs: NonZero::new(1), ..RunOptions::default() };
    let (done, total) = interruption(run(&experiment, &options, &memory, &Counter::new(400)));
    assert!(0 < done && done < total, "{done} of {total}");
    let counter = Counter::new(usize::MAX);
    let outcome = run(&experiment, &options, &memory, &counter).unwrap();
    assert_eq!(counter.rounds(), (total - done) * experiment.horizon, "only what was missing is run");
    assert_same(&fresh(&experiment), &outcome);
}

#[test]
fn choices_need_a_directory() {
    let options = RunOptions { choices: true, ..RunOptions::default() };
    let text = message(run(&small(1), &options, &Memory::default(), &()));
    assert!(text.contains("choices") && text.contains("without a directory"), "{text}");
}
