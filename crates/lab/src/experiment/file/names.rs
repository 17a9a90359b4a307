//! Refusals of keys that do not exist.

use super::keys::KEYS;
use crate::input::{nearest, quoted};

/// What to do about a key that its table does not have, to follow its path: it belongs elsewhere, is misspelt, or is none
/// of those that are `known`.
pub(super) fn advice(name: &str, known: &[&str]) -> String {
    if let Some(near) = nearest(name, known).filter(|near| near.eq_ignore_ascii_case(name)) {
        return format!(" is not a key: did you mean \"{near}\"?");
    }
    if let Some(place) = place_of(name) {
        return format!(": \"{name}\" belongs to {place}");
    }
    match nearest(name, known) {
        Some(near) => format!(" is not a key: did you mean \"{near}\"?"),
        None => format!(" is not a key: the keys here are {}", quoted(known)),
    }
}

/// The tables that have a key of this name.
fn place_of(name: &str) -> Option<String> {
    let places: Vec<String> = KEYS.iter().filter(|key| key.name() == name).map(|key| heading(key.table())).collect();
    (!places.is_empty()).then(|| places.join(" or "))
}

fn heading(table: &str) -> String {
    match table {
        "" => "the top level".to_owned(),
        "policy" => "[[policy]]".to_owned(),
        "environment" | "environment.feedback" => format!("[{table}]"),
        inline => inline.to_owned(),
    }
}
