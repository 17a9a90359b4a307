//! JSON: its syntax, with one-line errors, and objects whose repeated keys are seen.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::node::Node;
use super::path::Path;
use super::value::Value;
use crate::error::{Error, Result};

/// Checks the syntax of a whole document.
///
/// # Errors
/// If the text is not JSON; the message gives line and column.
pub fn parse_json(text: &str) -> Result<Node<'_, 'static>> {
    match serde_json::from_str(text) {
        Ok(raw) => Ok(Node::new(Value::Json(raw), Path::Root)),
        Err(e) => Err(Error::input(syntax_message(text, &e))),
    }
}

/// What is wrong with a text, and what to do.
pub(super) fn syntax_message(json: &str, error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    if error.is_eof() {
        return format!("line {line}, column {column}: the JSON ends too early; complete it");
    }
    if let Some(advice) = usual_mistake(json.as_bytes(), offset(json, line, column)) {
        return format!("line {line}, column {column}: {advice}");
    }
    let text = error.to_string();
    let what = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    format!("line {line}, column {column}: {what}; mend the JSON there")
}

/// The byte at a line and column, both counted from one.
fn offset(json: &str, line: usize, column: usize) -> usize {
    let before: usize = json.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    before + column.saturating_sub(1)
}

/// Advice on what other notations allow and JSON does not, if that is what stands there.
fn usual_mistake(json: &[u8], at: usize) -> Option<&'static str> {
    let (before, here) = (json.get(..at)?, *json.get(at)?);
    let last = before.iter().rfind(|byte| !byte.is_ascii_whitespace());
    match here {
        b']' | b'}' if last == Some(&b',') => {
            Some("a comma before the closing bracket, which JSON does not allow: remove it")
        }
        b'\'' => Some("a single quote: JSON strings take double quotes"),
        _ if is_not_finite(word_around(json, at)) => {
            Some("JSON has no NaN or infinity: give a finite number, or null where none is known")
        }
        _ => None,
    }
}

/// The letters around a place.
fn word_around(json: &[u8], at: usize) -> &[u8] {
    let start = json[..at].iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |before| before + 1);
    let length = json[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    &json[start..start + length]
}

/// Whether a word is how some program writes a number that is not finite; its sign is not part of it.
fn is_not_finite(word: &[u8]) -> bool {
    ["nan", "inf", "infinity"].iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes()))
}

/// All fields of an object in order, repeated keys included.
pub(super) struct Fields<'a>(pub(super) Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> std::result::Result<Self::Value, M::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Fields(fields))
    }
}
