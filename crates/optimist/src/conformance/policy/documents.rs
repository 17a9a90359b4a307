//! Damaged documents are refused with a reason; none makes the program panic.

use serde_json::{Value, json};

use super::super::edits::{edits, places};
use super::{Game, build, problem};
use crate::policy::{self, PolicyInfo};
use crate::{generator, hash};

/// What is stored after a few rounds.
fn stored(info: &'static PolicyInfo) -> String {
    let mut policy = build(info, &problem(2));
    Game::new(2, 4, 11).play(&mut *policy, 12);
    policy.save().unwrap()
}

fn refuse(text: &str, part: &str) {
    match policy::restore(text) {
        Ok(_) => panic!("accepted"),
        Err(error) => assert!(error.to_string().contains(part), "\"{error}\" does not say \"{part}\""),
    }
}

/// The checksum of a document without a generator.
fn checksum(policy: &str, state: &Value) -> String {
    format!("{:016x}", hash::bytes(format!("{policy}\n{state}\nnull\n").as_bytes()))
}

/// The document after `edit` of its state, with a checksum that fits.
fn resealed(text: &str, edit: impl FnOnce(&mut Value)) -> String {
    let mut document: Value = serde_json::from_str(text).unwrap();
    edit(&mut document["state"]);
    let name = document["policy"].as_str().unwrap().to_owned();
    document["checksum"] = json!(checksum(&name, &document["state"]));
    document.to_string()
}

fn with(text: &str, key: &str, value: Value) -> String {
    let mut document: Value = serde_json::from_str(text).unwrap();
    document[key] = value;
    document.to_string()
}

pub(super) fn headers_that_do_not_fit_are_refused(info: &'static PolicyInfo) {
    let text = stored(info);
    assert!(policy::restore(&resealed(&text, |_| {})).is_ok(), "refused with a checksum that fits");
    refuse(&with(&text, "format", json!("something-else")), "format");
    refuse(&with(&text, "format", Value::Null), "format");
    refuse(&with(&text, "version", json!(1_000)), "newer");
    for earlier in [1, 2] {
        refuse(&with(&text, "version", json!(earlier)), "observe its data again");
    }
    refuse(&with(&text, "version", json!("one")), "version");
    refuse(&with(&text, "policy", Value::Null), "name its policy");
    refuse(&with(&text, "checksum", json!("0")), "checksum");
    refuse(&with(&text, "state", json!({})), "checksum");
    refuse(&with(&text, "policy", json!("no-such-policy")), "checksum");
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["policy"] = json!("no-such-policy");
    document["checksum"] = json!(checksum("no-such-policy", &document["state"]));
    refuse(&document.to_string(), "no-such-policy");
    for garbage in ["", "null", "[]", "{}", "42", "\"text\""] {
        refuse(garbage, "document");
    }
}

pub(super) fn cut_documents_are_refused(info: &'static PolicyInfo) {
    let text = stored(info);
    let step = (text.len() / 200).max(1);
    for end in (0..text.len()).step_by(step) {
        refuse(&text[..end], "cut");
    }
}

pub(super) fn a_changed_digit_is_noticed(info: &'static PolicyInfo) {
    let text = stored(info);
    let digits: Vec<usize> = text.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()).map(|(i, _)| i).collect();
    let step = (digits.len() / 300).max(1);
    for at in digits.into_iter().step_by(step) {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = b'0' + (bytes[at] - b'0' + 5) % 10;
        // The seventeenth digit of a number may be changed without changing the number.
        if let Ok(same) = policy::restore(&String::from_utf8(bytes).unwrap()) {
            assert_eq!(same.save().unwrap(), text, "digit {at} changed and was not noticed");
        }
    }
}

pub(super) fn another_dimension_is_refused(info: &'static PolicyInfo) {
    let text = stored(info);
    for dimension in [0, 1, 3, 1_000_000] {
        let changed = resealed(&text, |state| state["problem"]["dimension"] = json!(dimension));
        assert!(policy::restore(&changed).is_err(), "dimension {dimension} of 2 accepted");
    }
}

/// Two policies may keep the same things; the state of another is refused or understood, and never panics.
pub(super) fn another_policys_state_does_not_panic(info: &'static PolicyInfo) {
    let (own, arms) = (stored(info), Game::new(2, 4, 11).arms);
    for other in policy::registry().iter().filter(|other| other.name != info.name) {
        let state: Value = serde_json::from_str::<Value>(&stored(other)).unwrap()["state"].take();
        assert!(policy::restore(&with(&own, "state", state.clone())).is_err(), "the checksum knows the name");
        if let Ok(mut policy) = policy::restore(&resealed(&own, |own| *own = state)) {
            policy.choose(&arms, &mut generator(1)).unwrap();
        }
    }
}

/// A state edited by hand and sealed again is refused, or played with: it does not panic.
pub(super) fn an_edited_state_does_not_panic(info: &'static PolicyInfo) {
    let text = stored(info);
    let state: Value = serde_json::from_str::<Value>(&text).unwrap()["state"].take();
    let arms = Game::new(2, 4, 11).arms;
    for path in places(&state) {
        for edit in edits(state.pointer(&path).unwrap()) {
            let changed = resealed(&text, |state| *state.pointer_mut(&path).unwrap() = edit.clone());
            let outcome = std::panic::catch_unwind(|| {
                let Ok(mut policy) = policy::restore(&changed) else { return };
                // What the numbers are worth then is another question.
                let _ = policy.choose(&arms, &mut generator(1));
                let _ = policy.observe(&[0.5, 0.5], 1.0);
                let _ = policy.interval(&[0.5, 0.5]);
                let _ = policy.contains(&[0.5, 0.5]);
                let _ = policy.choose(&arms, &mut generator(1));
            });
            assert!(outcome.is_ok(), "{path} = {edit}");
        }
    }
}
