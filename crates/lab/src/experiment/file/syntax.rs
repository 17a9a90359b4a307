//! Text to TOML, with one-line errors.

use toml::Table;

use crate::error::{Error, Result};

/// Parses a document.
pub(super) fn parse(text: &str) -> Result<Table> {
    // Some editors begin a file with a mark of its encoding.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.parse().map_err(|e: toml::de::Error| {
        let (line, column) = position(text, e.span().map_or(text.len(), |span| span.start));
        let what: Vec<&str> = e.message().lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        Error::input(format!("line {line}, column {column}: {}; mend the TOML there", what.join(", ")))
    })
}

/// Line and column of a byte, both counted from one; columns are characters.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}
