//! Refusals of keys that do not exist.

use optimist::policy;

use super::keys::KEYS;
use crate::input::{nearest, quoted};

/// What to do about a key that the table at `path` does not have, to follow its path: it belongs elsewhere, is misspelt, or is
/// none of those that are `known`.
pub(super) fn advice(path: &str, name: &str, known: &[&str]) -> String {
    let is_same = |near: &&str| near.eq_ignore_ascii_case(name) || is_plural(near, name) || is_plural(name, near);
    if let Some(near) = nearest(name, known).filter(is_same) {
        return format!(" is not a key: did you mean \"{near}\"?");
    }
    // The option of another policy is not meant for the environment.
    let is_option = || policy::registry().iter().any(|info| info.all_options().any(|option| option.name == name));
    if let Some(place) = place_of(name).filter(|_| path != "policy" || !is_option()) {
        return format!(": \"{name}\" belongs to {place}");
    }
    match nearest(name, known) {
        Some(near) => format!(" is not a key: did you mean \"{near}\"?"),
        None => format!(" is not a key: the keys here are {}", quoted(known)),
    }
}

fn is_plural(many: &str, one: &str) -> bool {
    many.strip_suffix('s') == Some(one)
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
