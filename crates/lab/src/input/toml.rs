//! TOML: its syntax, with one-line errors.

use toml::Table;

use super::names::{shown_key, shown_text};
use crate::error::{Error, Result};

/// Parses a document.
pub(crate) fn parse_toml(text: &str) -> Result<Table> {
    // Some editors begin a file with a mark of its encoding.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.parse().map_err(|e: toml::de::Error| {
        let (line, column) = position(text, e.span().map_or(text.len(), |span| span.start));
        Error::input(format!("line {line}, column {column}: {}", fault(text, &e)))
    })
}

/// What is wrong, and what to do.
fn fault(text: &str, error: &toml::de::Error) -> String {
    let there = error.span().and_then(|span| text.get(span)).unwrap_or_default();
    let lines: Vec<&str> = error.message().lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines[..] {
        ["duplicate key"] => format!("{} is there twice: remove one", shown_text(there)),
        // A number that TOML allows, but not this reader.
        [line] if line.starts_with("invalid type: integer") || line.ends_with("value was too large") => {
            format!("{} is too large: whole numbers go up to {}", shown_key(there), i64::MAX)
        }
        _ => format!("{}; mend the TOML there", lines.join(", ")),
    }
}

/// Line and column of a byte, both counted from one; columns are characters.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}
