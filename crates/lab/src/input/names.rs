//! Names that were probably meant, and texts as messages show them.

use std::borrow::Cow;

/// The known name that was probably meant, if one is near the one that was given.
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
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

/// All known names, with "did you mean" if one of them is near the one that was given.
pub fn suggest(given: &str, known: &[&str]) -> String {
    let all = known.join(", ");
    let near = nearest(given, known);
    near.map_or_else(|| format!("use one of {all}"), |name| format!("did you mean \"{name}\"? (known: {all})"))
}

/// The beginning of a text that is too long for a message.
pub fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Names in quotes, with commas.
pub(crate) fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// A name or value as a message shows it: quoted, control characters made visible, not too long.
pub(crate) fn shown_text(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{:?}", format!("{}...", &text[..end])),
        None => format!("{text:?}"),
    }
}

/// A key as it would be written in a path: bare if TOML allows that.
pub(crate) fn shown_key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.len() <= 40 && name.chars().all(bare) { name.to_owned() } else { shown_text(name) }
}
