//! Parts of an experiment, made by several machines and put together.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::slice;

use optimist_lab::experiment::PolicySpec;
use optimist_lab::report::{publish, summary_json};
use optimist_lab::run::{RunOptions, Work, run};
use optimist_lab::store::Directory;
use optimist_lab::store::merge;
use optimist_lab::{Experiment, Outcome};
use serde_json::Value;
use tempfile::TempDir;

use super::damage::{checksum, write_lines};
use super::resuming::choices;
use super::{Change, assert_same, finish, fresh, log_lines, message, plane, small, table};

/// Does one part, run by run.
fn part(experiment: &Experiment, place: &Path, shard: &str) -> Outcome {
    let directory = Directory::open(place, experiment).unwrap();
    let options = RunOptions { shard: Some(shard.parse().unwrap()), jobs: NonZero::new(1), ..RunOptions::default() };
    run(experiment, &options, &directory, &()).unwrap()
}

/// Three parts in directories a, b and c.
fn parts(experiment: &Experiment, home: &TempDir) -> Vec<PathBuf> {
    let places: Vec<PathBuf> = ["a", "b", "c"].iter().map(|name| home.path().join(name)).collect();
    for (place, shard) in places.iter().zip(["1/3", "2/3", "3/3"]) {
        part(experiment, place, shard);
    }
    places
}

/// A summary without times.
fn timeless(outcome: &Outcome) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in ["seconds_per_run", "rounds_per_second", "overhead"] {
                    map.remove(key);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(&summary_json(outcome).unwrap()).unwrap();
    strip(&mut value);
    value
}

#[test]
fn three_parts_make_the_whole() {
    let (experiment, home) = (small(7), tempfile::tempdir().unwrap());
    let places = parts(&experiment, &home);
    let whole = fresh(&experiment);
    // The order of the parts, and parts named twice, do not matter.
    for (name, order) in [("x", vec![0, 1, 2]), ("y", vec![2, 0, 1, 0, 2])] {
        let order: Vec<PathBuf> = order.into_iter().map(|i| places[i].clone()).collect();
        let (outcome, directory, warnings) = merge(&order, &home.path().join(name), &[]).unwrap();
        assert_eq!(warnings, Vec::<String>::new());
        assert_same(&whole, &outcome);
        assert_eq!(timeless(&whole), timeless(&outcome));
        publish(&directory, &outcome, false).unwrap();
        let file = std::fs::read_to_string(home.path().join(name).join("results.csv")).unwrap();
        assert_eq!(file, table(&whole));
    }
    assert_eq!(log_lines(&home.path().join("y")).len(), 7 * 4, "every run is there once");
}

#[test]
fn choices_are_carried_along() {
    let (experiment, home) = (small(3), tempfile::tempdir().unwrap());
    let (whole, out) = (home.path().join("whole"), home.path().join("out"));
    with_choices(&experiment, &whole, "1/1");
    let places: Vec<PathBuf> = ["1/2", "2/2"]
        .iter()
        .map(|shard| {
            let place = home.path().join(shard.replace('/', "-of-"));
            with_choices(&experiment, &place, shard);
            place
        })
        .collect();
    merge(&places, &out, &[]).unwrap();
    assert_eq!(choices(&out).len(), 3 * 4);
    assert_eq!(choices(&out), choices(&whole));
}

/// Does one part, with every choice written down.
fn with_choices(experiment: &Experiment, place: &Path, shard: &str) {
    let directory = Directory::open(place, experiment).unwrap();
    let options = RunOptions { shard: Some(shard.parse().unwrap()), choices: true, ..RunOptions::default() };
    run(experiment, &options, &directory, &()).unwrap();
}

#[test]
fn figures_of_what_was_removed_go() {
    let (experiment, home) = (small(2), tempfile::tempdir().unwrap());
    let figures = home.path().join("figures");
    let names = || {
        let entries =
            std::fs::read_dir(&figures).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        entries.collect::<std::collections::BTreeSet<String>>()
    };
    let publish_all = |experiment: &Experiment| {
        let outcome = finish(experiment, home.path()).0;
        publish(&Directory::open(home.path(), experiment).unwrap(), &outcome, false).unwrap();
    };
    publish_all(&experiment);
    let both = names();
    std::fs::write(figures.join("mine.svg"), "mine").unwrap();
    std::fs::write(figures.join("sweep.svg"), "changed").unwrap();
    let mut one = experiment.clone();
    one.environments.truncate(1);
    publish_all(&one);
    let left = names();
    assert!(left.contains("mine.svg") && left.contains("sweep.svg"), "what we did not draw is not ours: {left:?}");
    assert!(!left.contains("sweep.png") && !left.iter().any(|name| name.starts_with("2-")), "{left:?}");
    assert!(both.iter().filter(|name| name.starts_with("1-")).all(|name| left.contains(name)), "{left:?}");
}

#[test]
fn parts_share_the_work_evenly() {
    let (experiment, home) = (small(7), tempfile::tempdir().unwrap());
    let sizes: Vec<usize> = parts(&experiment, &home).iter().map(|place| log_lines(place).len()).collect();
    assert_eq!(sizes, [3 * 4, 2 * 4, 2 * 4]);
}

#[test]
fn more_parts_than_runs_are_refused() {
    let experiment = small(2);
    let options = RunOptions { shard: Some("1/3".parse().unwrap()), ..RunOptions::default() };
    let text = message(Work::new(&experiment, &options));
    assert!(text.contains("1/3") && text.contains("2 runs"), "{text}");
}

#[test]
fn missing_parts_are_reported_and_can_be_added() {
    let (experiment, home) = (small(5), tempfile::tempdir().unwrap());
    let (places, out) = (parts(&experiment, &home), home.path().join("out"));
    let (outcome, directory, warnings) = merge(&places[..2], &out, &[]).unwrap();
    assert_eq!(outcome.progress(), (16, 20));
    assert!(warnings.len() == 1 && warnings[0].contains("16 of 20 runs"), "{warnings:?}");
    // An unfinished experiment can be looked at.
    publish(&directory, &outcome, false).unwrap();
    drop(directory);
    let (outcome, rounds) = finish(&experiment, &out);
    assert_eq!(rounds, 4 * experiment.horizon, "only what was missing is run");
    assert_same(&fresh(&experiment), &outcome);
}

#[test]
fn parts_of_other_experiments_are_refused_by_key() {
    let home = tempfile::tempdir().unwrap();
    let reference = small(3);
    let place = home.path().join("reference");
    part(&reference, &place, "1/3");
    let changes: [(&str, Change); 7] = [
        ("name", |e| e.name.push('x')),
        ("seed", |e| e.seed = 8),
        ("runs", |e| e.runs = 4),
        ("delta", |e| e.delta = 0.1),
        ("policies", |e| e.policies.push(PolicySpec::plain("greedy"))),
        ("environments", |e| e.environments.push(plane(77.0))),
        // The checkpoints follow from the horizon, but the horizon is what differs.
        ("horizon", |e| (e.horizon, e.checkpoints) = (50, vec![25, 50])),
    ];
    for (key, change) in changes {
        let mut other = reference.clone();
        change(&mut other);
        let (there, out) = (home.path().join(key), home.path().join("out"));
        part(&other, &there, "2/3");
        let text = message(merge(&[place.clone(), there.clone()], &out, &[]));
        assert!(text.contains(&format!("\"{key}\"")) && text.contains(&there.display().to_string()), "{text}");
        assert!(!out.exists(), "nothing is begun");
    }
}

#[test]
fn places_that_cannot_be_merged_are_refused() {
    let (experiment, home) = (small(3), tempfile::tempdir().unwrap());
    let (place, empty, absent) = (home.path().join("a"), home.path().join("empty"), home.path().join("absent"));
    part(&experiment, &place, "1/3");
    std::fs::create_dir(&empty).unwrap();
    for nothing in [&empty, &absent] {
        let text = message(merge(&[place.clone(), nothing.clone()], &home.path().join("out"), &[]));
        assert!(text.contains(&nothing.display().to_string()) && text.contains("no results"), "{text}");
    }
    let before = log_lines(&place);
    for out in [place.clone(), home.path().join("empty/../a")] {
        let text = message(merge(slice::from_ref(&place), &out, &[]));
        assert!(text.contains("--out") && text.contains("one of the parts"), "{text}");
    }
    assert_eq!(before, log_lines(&place));
    assert!(message(merge(&[], &home.path().join("out"), &[])).contains("directories"));
}

/// Changes the outcome of the first line, with a checksum that fits.
fn falsify(place: &Path) {
    let mut lines = log_lines(place);
    let mut line: Value = serde_json::from_str(&lines[0][17..]).unwrap();
    line["record"]["reward"][0] = Value::from(12345.0);
    let text = line.to_string();
    lines[0] = format!("{} {text}", checksum(text.as_bytes()));
    write_lines(place, &lines);
}

#[test]
fn parts_that_contradict_each_other_are_refused() {
    let (experiment, home) = (small(3), tempfile::tempdir().unwrap());
    let (a, b, out) = (home.path().join("a"), home.path().join("b"), home.path().join("out"));
    part(&experiment, &a, "1/1");
    part(&experiment, &b, "1/3");
    merge(&[a.clone(), b.clone()], &out, &[]).expect("parts that agree may overlap");
    falsify(&b);
    let (_, warnings) = Directory::load(&b).unwrap();
    assert_eq!(warnings, Vec::<String>::new(), "the checksum is right");
    let fresh_out = home.path().join("fresh");
    for order in [[&a, &b], [&b, &a]] {
        let text = message(merge(&order.map(Clone::clone), &fresh_out, &[]));
        assert!(text.contains("differ in run 0 of \"optimist\""), "{text}");
        assert!(text.contains(&a.display().to_string()) && text.contains(&b.display().to_string()), "{text}");
        assert!(!fresh_out.exists());
    }
    // What was merged before counts as well.
    let text = message(merge(slice::from_ref(&b), &out, &[]));
    assert!(text.contains("differ in run 0") && text.contains(&out.display().to_string()), "{text}");
}
