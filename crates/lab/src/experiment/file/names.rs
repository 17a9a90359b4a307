//! Names that were probably meant, and refusals of keys that do not exist.

use super::keys::KEYS;
use super::kind::quoted;

/// The known name that was probably meant, if one is near the one that was given.
pub(super) fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    // Long texts are near to nothing, and the distance takes quadratic time.
    if given.len() > 60 {
        return None;
    }
    let given = given.to_lowercase().replace('_', "-");
    let distance = |name: &&str| strsim::damerau_levenshtein(&given, &name.replace('_', "-"));
    known.iter().copied().min_by_key(distance).filter(|name| is_near(distance(name), name.len()))
}

/// Whether that many edits leave a name of that length recognisable.
fn is_near(edits: usize, length: usize) -> bool {
    edits < length && edits <= 2.max(length / 3)
}

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

/// A name or value as a message shows it: quoted, control characters made visible, not too long.
pub(super) fn shown_text(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{:?}", format!("{}...", &text[..end])),
        None => format!("{text:?}"),
    }
}

/// A key as it would be written in a path: bare if TOML allows that.
pub(super) fn shown_key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= 40 && name.chars().all(bare) { name.to_owned() } else { shown_text(name) }
}
