//! Directories that are not ours to write.

use std::fs;
use std::path::Path;

use optimist_lab::store::Directory;

use super::{Change, finish, log_lines, message, small};

#[test]
fn another_experiment_is_refused_by_key() {
    let (experiment, place) = (small(1), tempfile::tempdir().unwrap());
    finish(&experiment, place.path());
    let before = (log_lines(place.path()), fs::read(place.path().join("experiment.json")).unwrap());
    let changes: [(&str, Change); 4] = [
        ("seed is 7 there and 8 here", |e| e.seed = 8),
        ("name is \"trial\" there and \"other\" here", |e| e.name = "other".into()),
        ("horizon is 60 there and 70 here", |e| (e.horizon, e.checkpoints) = (70, vec![70])),
        ("delta is 0.05 there and 0.1 here", |e| e.delta = 0.1),
    ];
    for (what, change) in changes {
        let mut other = experiment.clone();
        change(&mut other);
        let text = message(Directory::open(place.path(), &other));
        assert!(text.contains(what) && text.contains("--out"), "{text}");
    }
    assert_eq!(before, (log_lines(place.path()), fs::read(place.path().join("experiment.json")).unwrap()));
}

#[test]
fn directories_with_other_files_are_left_alone() {
    for foreign in ["notes.txt", "results.csv", ".hidden", "runs.log.old"] {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join(foreign), "mine").unwrap();
        let text = message(Directory::open(place.path(), &small(1)));
        assert!(text.contains("holds something else") && text.contains(foreign) && text.contains("--out"), "{text}");
        let names: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [foreign], "nothing is put there");
    }
    // A log of somebody else does not make the directory ours.
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("runs.log"), "12:00 started\n").unwrap();
    fs::write(place.path().join("notes.txt"), "mine").unwrap();
    assert!(message(Directory::open(place.path(), &small(1))).contains("holds something else"));
}

#[test]
fn empty_directories_and_what_an_interrupted_start_leaves_are_taken() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join(".lock"), "").unwrap();
    fs::write(place.path().join(".optimist-x1y2"), "{\"form").unwrap();
    fs::write(place.path().join("runs.log"), "").unwrap();
    finish(&small(1), place.path());
    let deep = place.path().join("a/b/c");
    finish(&small(1), &deep);
    assert!(deep.join("experiment.json").exists());
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let mut places = vec![file.clone(), file.join("below")];
    if Path::new("/proc/self").exists() {
        places.push("/proc/optimist/results".into());
    }
    for place in places {
        let text = message(Directory::open(&place, &small(1)));
        assert!(text.contains(&place.display().to_string()) && text.contains("cannot be created"), "{text}");
    }
}

#[test]
fn one_writer_at_a_time() {
    let (experiment, place) = (small(1), tempfile::tempdir().unwrap());
    let first = Directory::open(place.path(), &experiment).unwrap();
    let text = message(Directory::open(place.path(), &experiment));
    assert!(text.contains("another optimist") && text.contains(&place.path().display().to_string()), "{text}");
    // Looking is allowed.
    assert_eq!(Directory::load(place.path()).unwrap().0.progress(), (0, 4));
    drop(first);
    finish(&experiment, place.path());
}
