//! Binary documents that are whole, carry a right checksum, and say what no policy would have written.

use std::panic::{AssertUnwindSafe, catch_unwind};

use optimist::policy::{self, Policy};
use optimist::set::Radius;
use optimist::{Error, generator, hash};
use serde_json::{Value, json};

use super::{arms, every_policy, play, problem};

/// A MessagePack value, as far as stored states use it.
#[derive(Clone, Debug)]
enum Part {
    /// Nil, booleans, strings: left alone.
    Other(Vec<u8>),
    Integer(Vec<u8>),
    Number(f64),
    Block(Vec<u8>),
    List(Vec<Part>),
    Map(Vec<Part>),
}

fn take<'a>(bytes: &mut &'a [u8], n: usize) -> &'a [u8] {
    let (head, rest) = bytes.split_at(n);
    *bytes = rest;
    head
}

fn length(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |n, byte| n << 8 | usize::from(*byte))
}

fn read(bytes: &mut &[u8]) -> Part {
    let marker = take(bytes, 1)[0];
    let whole = |n: usize, bytes: &mut &[u8]| [&[marker], take(bytes, n)].concat();
    let list = |n: usize, bytes: &mut &[u8]| (0..n).map(|_| read(bytes)).collect();
    match marker {
        0x00..=0x7f | 0xe0..=0xff => Part::Integer(vec![marker]),
        0x80..=0x8f => Part::Map(list(2 * usize::from(marker & 15), bytes)),
        0x90..=0x9f => Part::List(list(usize::from(marker & 15), bytes)),
        0xa0..=0xbf => Part::Other(whole(usize::from(marker & 31), bytes)),
        0xc0 | 0xc2 | 0xc3 => Part::Other(vec![marker]),
        0xc4..=0xc6 => {
            let n = length(take(bytes, 1 << (marker - 0xc4)));
            Part::Block(take(bytes, n).to_vec())
        }
        0xcb => Part::Number(f64::from_be_bytes(take(bytes, 8).try_into().unwrap())),
        0xcc..=0xcf => Part::Integer(whole(1 << (marker - 0xcc), bytes)),
        0xd9 => {
            let n = take(bytes, 1)[0];
            Part::Other([&[marker, n], take(bytes, n.into())].concat())
        }
        0xdc | 0xdd => {
            let n = length(take(bytes, 2 << (marker - 0xdc)));
            Part::List(list(n, bytes))
        }
        other => panic!("marker {other:x}"),
    }
}

fn write(part: &Part, out: &mut Vec<u8>) {
    let sized = |marker: u8, n: usize, out: &mut Vec<u8>| {
        out.push(marker);
        out.extend_from_slice(&(n as u32).to_be_bytes());
    };
    match part {
        Part::Other(bytes) | Part::Integer(bytes) => out.extend_from_slice(bytes),
        Part::Number(value) => {
            out.push(0xcb);
            out.extend_from_slice(&value.to_be_bytes());
        }
        Part::Block(bytes) => {
            sized(0xc6, bytes.len(), out);
            out.extend_from_slice(bytes);
        }
        Part::List(parts) => {
            sized(0xdd, parts.len(), out);
            parts.iter().for_each(|part| write(part, out));
        }
        Part::Map(parts) => {
            sized(0xdf, parts.len() / 2, out);
            parts.iter().for_each(|part| write(part, out));
        }
    }
}

fn seal(body: &[u8]) -> Vec<u8> {
    let (length, checksum) = (body.len() as u64, hash::bytes(body));
    [b"OPTIMIST", &2_u32.to_le_bytes()[..], &length.to_le_bytes(), &checksum.to_le_bytes(), body].concat()
}

/// Calls `edit` on every part in turn, each time on a fresh copy.
fn paths(part: &Part, path: Vec<usize>, found: &mut Vec<Vec<usize>>) {
    found.push(path.clone());
    if let Part::List(parts) | Part::Map(parts) = part {
        for (i, part) in parts.iter().enumerate() {
            paths(part, [&path[..], &[i]].concat(), found);
        }
    }
}

fn at<'a>(part: &'a mut Part, path: &[usize]) -> &'a mut Part {
    path.iter().fold(part, |part, i| match part {
        Part::List(parts) | Part::Map(parts) => &mut parts[*i],
        _ => unreachable!("a path through a leaf"),
    })
}

const STRANGE: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// What is not finite and could stand there.
fn not_finite(part: &Part) -> Vec<Part> {
    match part {
        Part::Number(_) => STRANGE.map(Part::Number).to_vec(),
        Part::Block(bytes) if !bytes.is_empty() => (0..bytes.len() / 8)
            .flat_map(|i| {
                STRANGE.map(|value| {
                    let mut bytes = bytes.clone();
                    bytes[8 * i..][..8].copy_from_slice(&value.to_le_bytes());
                    Part::Block(bytes)
                })
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn integer(value: u64) -> Part {
    Part::Integer([&[0xcf], &value.to_be_bytes()[..]].concat())
}

/// What else could stand there.
fn wrong(part: &Part) -> Vec<Part> {
    match part {
        Part::Number(_) => [-1.0, 0.0, 1e-308, 1e308, -1e308].map(Part::Number).to_vec(),
        Part::Block(bytes) => {
            let mut edits =
                vec![Part::Block(vec![]), Part::Block([&bytes[..], &[0; 8]].concat()), Part::Block(vec![0; 3])];
            if bytes.len() >= 8 {
                edits.push(Part::Block(bytes[8..].to_vec()));
                for value in [-1.0_f64, 0.0, 1e308] {
                    edits.push(Part::Block([&bytes[8..], &value.to_le_bytes()].concat()));
                }
            }
            edits
        }
        Part::Integer(_) => {
            let mut edits = [0, 1, 3, 1 << 20, u64::MAX].map(integer).to_vec();
            edits.extend([1 << 32, 1 << 40, 1 << 61].map(integer));
            edits.push(Part::Integer(vec![0xff]));
            edits
        }
        Part::List(parts) => {
            let longer = [&parts[..], &[parts.first().cloned().unwrap_or(Part::Number(1.0))]].concat();
            let huge = Part::Other(vec![0xdd, 0xff, 0xff, 0xff, 0xff]);
            let block = Part::Other(vec![0xc6, 0xff, 0xff, 0xff, 0xff]);
            let shorter = parts[..parts.len().saturating_sub(1)].to_vec();
            vec![Part::List(vec![]), Part::List(shorter), Part::List(longer), huge, block]
        }
        _ => Vec::new(),
    }
}

/// Asks everything that can be asked.
fn exercise(policy: &mut dyn Policy) -> String {
    let arms = arms();
    let mut said = String::new();
    for _ in 0..2 {
        said += &format!("{:?}\n", policy.choose(&arms, &mut generator(1)));
        said += &format!("{:?}\n", policy.interval(&[0.5, 0.5]));
        let _ = policy.observe(&[0.5, 0.5], 1.0);
        let _ = policy.observe(&[1.0, 0.0], 0.0);
        let _ = policy.contains(&[0.5, 0.5]);
        let _ = policy.snapshot().probabilities(&arms, 3, &mut generator(1));
        let _ = policy.save();
        let _ = policy.save_bytes();
    }
    said
}

/// Tries every edit of every part of every policy's state: what is accepted goes to `accepted`.
fn try_all(edits: fn(&Part) -> Vec<Part>, mut accepted: impl FnMut(&str, &[usize], &Part, Result<String, String>)) {
    for mut policy in every_policy() {
        let name = policy.info().name;
        play(&mut *policy, 12, &mut generator(4));
        let bytes = policy.save_bytes().unwrap();
        let whole = read(&mut &bytes[28..]);
        let mut found = Vec::new();
        paths(&whole, vec![], &mut found);
        for path in found {
            for edit in edits(at(&mut whole.clone(), &path)) {
                let mut changed = whole.clone();
                *at(&mut changed, &path) = edit.clone();
                let mut body = Vec::new();
                write(&changed, &mut body);
                let document = seal(&body);
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    policy::restore_bytes(&document).ok().map(|mut policy| exercise(&mut *policy))
                }));
                match outcome {
                    Ok(None) => {}
                    Ok(Some(said)) => accepted(name, &path, &edit, Ok(said)),
                    Err(panic) => {
                        let what = panic.downcast_ref::<String>().cloned();
                        let what = what.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                        accepted(name, &path, &edit, Err(what.unwrap_or_default()));
                    }
                }
            }
        }
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let mut found = Vec::new();
    try_all(not_finite, |name, path, edit, said| found.push(format!("{name} {path:?} {edit:?}: {said:?}")));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn wrong_lengths_and_counts_do_not_panic() {
    let mut found = Vec::new();
    try_all(wrong, |name, path, edit, said| {
        if let Err(panic) = said {
            found.push(format!("{name} {path:?} {edit:?}: {panic}"));
        }
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A policy's document with one part of its state changed, and a right checksum.
fn edited(policy: &dyn Policy, part: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut document: Value = serde_json::from_str(&policy.save().unwrap()).unwrap();
    change(document["state"].pointer_mut(part).unwrap_or_else(|| panic!("no part {part}")));
    let name = policy.info().name;
    let text = format!("{name}\n{}\n{}\n", document["state"], document["rng"]);
    document["checksum"] = format!("{:016x}", hash::bytes(text.as_bytes())).into();
    document.to_string()
}

/// A policy that has seen enough for all of its parts to hold something.
fn experienced(name: &str) -> Box<dyn Policy> {
    let options = if name == "rs-glincb" { json!({ "horizon": 1000 }) } else { json!({}) };
    let mut policy = policy::build_with(name, &problem(), options).unwrap();
    play(&mut *policy, 300, &mut generator(4));
    assert!(policy::restore(&edited(&*policy, "/rounds", |_| ())).is_ok(), "{name}: an edit that changes nothing");
    policy
}

#[test]
fn arms_that_could_not_have_been_observed_are_refused() {
    for part in ["warm", "rest"] {
        let policy = experienced("rs-glincb");
        let long = edited(&*policy, &format!("/rule/{part}/history/features/0"), |x| *x = json!(1.5));
        let refused = policy::restore(&long).unwrap_err();
        assert!(matches!(refused, Error::NormAboveBound { bound: 1.0, .. }), "{refused}");
        assert!(refused.to_string().contains(part), "{refused}");
    }
    let other = edited(&*experienced("emk"), "/rule/belief/radius/likelihood-ratio/discount/history/features/0", |x| {
        *x = json!(1e5)
    });
    let refused = policy::restore(&other).unwrap_err().to_string();
    assert!(refused.contains("weighted history has an arm that was not observed"), "{refused}");
}

#[test]
fn counts_that_nobody_could_have_counted_to_are_refused() {
    let parts = [
        ("rs-glincb", "/rule/switches", "switches"),
        ("emk", "/rule/belief/radius/likelihood-ratio/run/seen", "run.seen"),
    ];
    for (name, part, field) in parts {
        for count in [(1 << 53) + 1, u64::MAX] {
            let refused = policy::restore(&edited(&*experienced(name), part, |n| *n = json!(count))).unwrap_err();
            assert!(refused.to_string().contains(&format!("{field} is ")), "{name}: {refused}");
        }
    }
}

#[test]
fn an_excess_is_checked_when_it_is_read() {
    let read = |changed: &str, value: Value| {
        let mut state = json!({ "excess": 2.0, "ridge": 0.5, "dimension": 2, "norm_bound": 3.0 });
        state[changed] = value;
        serde_json::from_str::<Radius>(&json!({ "excess": state }).to_string()).map_err(|e| e.to_string())
    };
    assert!(read("ridge", json!(0.0)).is_ok());
    let unsound =
        [("excess", json!(-1.0)), ("ridge", json!(-0.5)), ("dimension", json!(0)), ("norm_bound", json!(-3.0))];
    for (field, value) in unsound {
        let refused = read(field, value).unwrap_err();
        assert!(refused.contains(field), "{refused}");
    }
}
