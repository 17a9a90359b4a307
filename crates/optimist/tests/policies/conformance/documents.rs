//! Damaged documents are refused with a reason; none makes the program panic.

use optimist::{Error, policy};
use serde_json::{Value, json};

use super::{Game, build, for_each, problem, seeded};

/// What is stored after a few rounds.
fn stored(info: &'static policy::PolicyInfo) -> String {
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

/// The checksum, written again: documents must be checkable by others.
fn checksum(policy: &str, state: &Value) -> String {
    let text = format!("{policy}\n{state}\nnull\n");
    let mut words: Vec<u64> =
        text.as_bytes().chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap())).collect();
    let mut rest = text.as_bytes()[8 * words.len()..].to_vec();
    rest.resize(8, 0);
    let mix = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 32)
    };
    let seed: u64 = 0x9e37_79b9_7f4a_7c15;
    let in_lanes = words.len() / 4 * 4;
    let tail = words.split_off(in_lanes);
    let lane = |l: usize, start: u64| words.iter().skip(l).step_by(4).copied().fold(start, mix);
    let lanes = [lane(0, seed), lane(1, !seed), lane(2, seed.rotate_left(21)), lane(3, seed.rotate_left(42))];
    let hash = if in_lanes > 0 { lanes.into_iter().fold(seed, mix) } else { seed };
    let hash = tail.into_iter().fold(hash, mix);
    format!("{:016x}", mix(mix(hash, u64::from_le_bytes(rest.try_into().unwrap())), text.len() as u64))
}

/// The document after `edit` of its state, with a checksum that fits.
pub(super) fn resealed(text: &str, edit: impl FnOnce(&mut Value)) -> String {
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

#[test]
fn headers_that_do_not_fit_are_refused() {
    for_each(|info| {
        let text = stored(info);
        assert!(policy::restore(&resealed(&text, |_| {})).is_ok(), "the test's own checksum is wrong");
        refuse(&with(&text, "format", json!("something-else")), "format");
        refuse(&with(&text, "format", Value::Null), "format");
        refuse(&with(&text, "version", json!(3)), "newer");
        refuse(&with(&text, "version", json!(1)), "observe its data again");
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
    });
}

#[test]
fn cut_documents_are_refused() {
    for_each(|info| {
        let text = stored(info);
        let step = (text.len() / 200).max(1);
        for end in (0..text.len()).step_by(step) {
            refuse(&text[..end], "cut");
        }
    });
}

#[test]
fn a_changed_digit_is_noticed() {
    for_each(|info| {
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
    });
}

#[test]
fn another_dimension_is_refused() {
    for_each(|info| {
        let text = stored(info);
        for dimension in [0, 1, 3, 1_000_000] {
            let changed = resealed(&text, |state| state["problem"]["dimension"] = json!(dimension));
            assert!(policy::restore(&changed).is_err(), "dimension {dimension} of 2 accepted");
        }
    });
}

/// Two policies may keep the same things; the state of another is refused or understood, and never panics.
#[test]
fn another_policys_state_does_not_panic() {
    for_each(|info| {
        let (own, arms) = (stored(info), Game::new(2, 4, 11).arms);
        for other in policy::registry().iter().filter(|other| other.name != info.name) {
            let state: Value = serde_json::from_str::<Value>(&stored(other)).unwrap()["state"].take();
            assert!(policy::restore(&with(&own, "state", state.clone())).is_err(), "the checksum knows the name");
            if let Ok(mut policy) = policy::restore(&resealed(&own, |own| *own = state)) {
                policy.choose(&arms, &mut seeded(1)).unwrap();
            }
        }
    });
}

/// The paths of all arrays and numbers of a document.
fn places(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            found.push(path.clone());
            items.iter().enumerate().for_each(|(i, item)| places(item, format!("{path}/{i}"), found));
        }
        Value::Object(fields) => fields.iter().for_each(|(k, v)| places(v, format!("{path}/{k}"), found)),
        Value::Number(_) => found.push(path),
        _ => {}
    }
}

/// Other things that could stand there.
fn edits(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => {
            let mut longer = items.clone();
            longer.push(items.first().cloned().unwrap_or(json!(1)));
            let shorter = items[..items.len().saturating_sub(1)].to_vec();
            vec![json!([]), Value::Array(shorter), Value::Array(longer)]
        }
        _ => vec![json!(-1), json!(0), json!(7), json!(1e9), Value::Null],
    }
}

/// A state edited by hand and sealed again is refused, or played with: it does not panic.
#[test]
fn an_edited_state_does_not_panic() {
    for_each(|info| {
        let text = stored(info);
        let state: Value = serde_json::from_str::<Value>(&text).unwrap()["state"].take();
        let mut paths = Vec::new();
        places(&state, String::new(), &mut paths);
        let arms = Game::new(2, 4, 11).arms;
        for path in paths {
            for edit in edits(state.pointer(&path).unwrap()) {
                let changed = resealed(&text, |state| *state.pointer_mut(&path).unwrap() = edit.clone());
                let outcome = std::panic::catch_unwind(|| {
                    let Ok(mut policy) = policy::restore(&changed) else { return };
                    // What the numbers are worth then is another question.
                    let _: Result<_, Error> = policy.choose(&arms, &mut seeded(1)).map(drop);
                    let _ = policy.observe(&[0.5, 0.5], 1.0);
                    let _ = policy.interval(&[0.5, 0.5]);
                    let _ = policy.contains(&[0.5, 0.5]);
                    let _ = policy.choose(&arms, &mut seeded(1));
                });
                assert!(outcome.is_ok(), "{path} = {edit}");
            }
        }
    });
}
