//! Files that were cut, changed or filled with rubbish: what is whole is kept, the rest is run again.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use optimist_lab::Experiment;
use optimist_lab::report::publish;
use optimist_lab::store::Directory;

use super::{assert_same, finish, fresh, log_lines, message, small};

/// The checksum of a line.
pub(super) fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", optimist::hash::bytes(bytes))
}

pub(super) fn write_lines(place: &Path, lines: &[String]) {
    fs::write(place.join("runs.log"), lines.join("\n") + "\n").unwrap();
}

/// Damages the log of a finished experiment; `lost` runs must be run again, after a warning about `lines` lines.
fn survives(damage: fn(&mut Vec<u8>), lines: usize, lost: usize) {
    let (experiment, place) = (small(2), tempfile::tempdir().unwrap());
    let reference = finish(&experiment, place.path()).0;
    let name = place.path().join("runs.log");
    let mut bytes = fs::read(&name).unwrap();
    damage(&mut bytes);
    fs::write(&name, &bytes).unwrap();
    check_warnings(&experiment, place.path(), lines, lost);
    let (outcome, rounds) = finish(&experiment, place.path());
    assert_eq!(rounds, lost * experiment.horizon);
    assert_same(&reference, &outcome);
    // Whatever the damage, it is mended: nobody is bothered with it again.
    let (outcome, warnings) = Directory::load(place.path()).unwrap();
    assert_same(&reference, &outcome);
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(finish(&experiment, place.path()).1, 0);
}

fn check_warnings(experiment: &Experiment, place: &Path, lines: usize, lost: usize) {
    let (outcome, loaded) = Directory::load(place).unwrap();
    assert_eq!(outcome.progress(), (8 - lost, 8));
    let opened = Directory::open(place, experiment).unwrap().warnings().clone();
    for warnings in [loaded, opened] {
        // Damage that cost no run needs no words.
        assert_eq!(warnings.len(), usize::from(lines > 0 && lost > 0), "{warnings:?}");
        let what = format!("runs.log: {lines} damaged line{} skipped", if lines == 1 { "" } else { "s" });
        assert!(warnings.iter().all(|warning| warning.contains(&what)), "{warnings:?}");
    }
}

fn line_starts(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(i, _)| i + 1);
    std::iter::once(0).chain(ends).collect()
}

#[test]
fn a_last_line_that_is_cut() {
    survives(|bytes| bytes.truncate(line_starts(bytes)[7] + 40), 1, 1);
    // Even of the checksum there may be a part only.
    survives(|bytes| bytes.truncate(line_starts(bytes)[7] + 5), 1, 1);
    // Only the end of the line is missing: the run is whole.
    survives(|bytes| bytes.truncate(bytes.len() - 1), 0, 0);
    survives(|bytes| bytes.clear(), 0, 8);
}

/// The byte at some place of the fourth line; before its beginning is the end of the third.
fn fourth_line(bytes: &mut [u8], place: isize) -> &mut u8 {
    let start = line_starts(bytes)[3];
    &mut bytes[start.wrapping_add_signed(place)]
}

#[test]
fn a_byte_that_is_changed() {
    survives(|bytes| *fourth_line(bytes, 100) ^= 1, 1, 1);
    // In the checksum itself.
    survives(|bytes| *fourth_line(bytes, 2) ^= 1, 1, 1);
    // The end of a line: two lines become one.
    survives(|bytes| *fourth_line(bytes, -1) = b' ', 1, 2);
    // A line break within a line.
    survives(|bytes| *fourth_line(bytes, 100) = b'\n', 2, 1);
}

#[test]
fn rubbish_at_the_end_and_in_between() {
    survives(|bytes| bytes.extend_from_slice(b"\0\xff\xfe not a run"), 1, 0);
    survives(|bytes| bytes.extend_from_slice(b"\n\n\n"), 0, 0);
    survives(
        |bytes| {
            let start = line_starts(bytes)[2];
            bytes.splice(start..start + 30, *b"\xff\xff\n\x1b[31m\n");
        },
        3,
        1,
    );
}

#[test]
fn a_line_that_is_right_but_not_a_run_is_skipped() {
    let (experiment, place) = (small(1), tempfile::tempdir().unwrap());
    let reference = finish(&experiment, place.path()).0;
    let mut file = OpenOptions::new().append(true).open(place.path().join("runs.log")).unwrap();
    for text in ["{}", "[1,2]", "{\"fingerprint\":\"x\",\"run\":-1,\"record\":null}"] {
        writeln!(file, "{} {text}", checksum(text.as_bytes())).unwrap();
    }
    drop(file);
    assert_same(&reference, &finish(&experiment, place.path()).0);
}

#[test]
fn lines_carry_the_checksum_of_their_text() {
    let (experiment, place) = (small(1), tempfile::tempdir().unwrap());
    finish(&experiment, place.path());
    for line in log_lines(place.path()) {
        assert_eq!(line[..16], checksum(&line.as_bytes()[17..]));
    }
}

/// A damaged experiment.json says how to go on, the advice works, and no run is lost.
#[test]
fn an_experiment_that_is_damaged() {
    for rubbish in [&b"{\"format\": \"optimist-exp"[..], b"", b"\xff\xfe", b"{\"format\": \"other\"}"] {
        let (experiment, place) = (small(2), tempfile::tempdir().unwrap());
        let outcome = finish(&experiment, place.path()).0;
        publish(&Directory::open(place.path(), &experiment).unwrap(), &outcome, false).unwrap();
        let (name, log) = (place.path().join("experiment.json"), log_lines(place.path()));
        fs::write(&name, rubbish).unwrap();
        for text in [message(Directory::open(place.path(), &experiment)), message(Directory::load(place.path()))] {
            assert!(text.contains(&name.display().to_string()) && text.contains("remove it"), "{text}");
        }
        assert_eq!((fs::read(&name).unwrap(), log_lines(place.path())), (rubbish.to_vec(), log));
        fs::remove_file(&name).unwrap();
        let (again, rounds) = finish(&experiment, place.path());
        assert_eq!(rounds, 0, "finished runs are still used");
        assert_same(&fresh(&experiment), &again);
        assert!(name.exists());
    }
}
