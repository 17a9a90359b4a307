//! A reader of JSON that knows where it is: every refusal names the path of the value it refuses.
//!
//! Values stay raw text until they are asked for. So numbers are rounded correctly, one that overflows is refused with
//! its path and not as a syntax error, keys that occur twice are seen, and no depth of nesting can exhaust the stack.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::failure::{Failure, Result};

/// Where a value stands, written like `observations[3].reward`.
#[derive(Clone, Copy)]
pub(crate) enum Path<'p> {
    /// The whole document.
    Root,
    /// Under a key of an object.
    Key(&'p Path<'p>, &'p str),
    /// In a list.
    Index(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => f.write_str("the document"),
            Path::Key(Path::Root, key) => f.write_str(&shorten(key)),
            Path::Key(parent, key) => write!(f, "{parent}.{}", shorten(key)),
            Path::Index(parent, i) => write!(f, "{parent}[{i}]"),
        }
    }
}

/// A value and its path.
pub(crate) struct Node<'a, 'p> {
    raw: &'a RawValue,
    path: Path<'p>,
}

/// Checks the syntax of a whole document.
///
/// # Errors
/// If the text is not JSON; the message gives line and column.
pub(crate) fn parse(text: &str) -> Result<Node<'_, 'static>> {
    match serde_json::from_str(text) {
        Ok(raw) => Ok(Node { raw, path: Path::Root }),
        Err(e) => Err(Failure::Input(syntax_message(text, &e))),
    }
}

fn syntax_message(json: &str, error: &serde_json::Error) -> String {
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

impl<'a> Node<'a, '_> {
    /// A refusal of this value: its path, and what is wrong in words that follow it.
    pub(crate) fn refuse(&self, what: impl fmt::Display) -> Failure {
        Failure::Input(format!("{} {what}", self.path))
    }

    /// A refusal that shows the value and says what it must be.
    pub(crate) fn must_be(&self, allowed: impl fmt::Display) -> Failure {
        self.refuse(format_args!("is {}: it must be {allowed}", self.shown()))
    }

    /// A refusal by the library of a field of this value: its messages begin with the name of the field.
    pub(crate) fn refuse_field(&self, error: &optimist::Error) -> Failure {
        let separator =
            if matches!(error, optimist::Error::EmptySet | optimist::Error::Overflow { .. }) { ": " } else { "." };
        Failure::Input(format!("{}{separator}{error}", self.path))
    }

    fn first_byte(&self) -> u8 {
        self.raw.get().as_bytes()[0]
    }

    /// The value as a message shows it.
    fn shown(&self) -> Cow<'a, str> {
        match self.first_byte() {
            b'[' => Cow::Borrowed("a list"),
            b'{' => Cow::Borrowed("an object"),
            _ => shorten(self.raw.get()),
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        self.first_byte() == b'n'
    }

    pub(crate) fn is_object(&self) -> bool {
        self.first_byte() == b'{'
    }

    /// The value as a finite number.
    pub(crate) fn number(&self) -> Result<f64> {
        match self.first_byte() {
            b'-' | b'0'..=b'9' => {}
            b'"' => return Err(self.must_be("a number, without quotes")),
            _ => return Err(self.must_be("a number")),
        }
        match self.raw.get().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.must_be("a finite number, below 1.8e308 in size")),
        }
    }

    /// The value as a number of at most `most` in size.
    pub(crate) fn number_within(&self, most: f64) -> Result<f64> {
        let value = self.number()?;
        if value.abs() <= most {
            Ok(value)
        } else {
            Err(self.must_be(format_args!("at most {most:e} in size: rescale")))
        }
    }

    /// The value as a whole number between 1 and `most`; `3.0` is as good as `3`.
    pub(crate) fn whole(&self, most: u64) -> Result<u64> {
        let value = self.number()?;
        if value.fract() == 0.0 && value >= 1.0 && value <= most as f64 {
            return Ok(value as u64);
        }
        Err(self.must_be(format_args!("a whole number from 1 to {most}")))
    }

    /// The value as text.
    pub(crate) fn text(&self) -> Result<String> {
        if self.first_byte() != b'"' {
            return Err(self.must_be("text in quotes"));
        }
        let broken = |_| self.refuse("holds a broken \\u escape: write the character itself");
        serde_json::from_str(self.raw.get()).map_err(broken)
    }

    /// The value as a list, every entry read by `read`.
    pub(crate) fn list<T>(&self, read: impl FnMut(Node<'a, '_>) -> Result<T>) -> Result<Vec<T>> {
        self.entries()?
            .into_iter()
            .enumerate()
            .map(|(i, raw)| Node { raw, path: Path::Index(&self.path, i) })
            .map(read)
            .collect()
    }

    fn entries(&self) -> Result<Vec<&'a RawValue>> {
        if self.first_byte() != b'[' {
            return Err(self.must_be("a list"));
        }
        serde_json::from_str(self.raw.get()).map_err(|e| self.refuse(syntax_message(self.raw.get(), &e)))
    }

    /// The value as a list of `dimension` numbers of at most `most` in size, appended to `out`.
    pub(crate) fn vector(&self, dimension: usize, most: f64, out: &mut Vec<f64>) -> Result<()> {
        let entries = self.entries()?;
        if entries.len() != dimension {
            let got = entries.len();
            return Err(self.refuse(format_args!("has length {got}: it must be {dimension}, the dimension")));
        }
        for (i, raw) in entries.into_iter().enumerate() {
            out.push(Node { raw, path: Path::Index(&self.path, i) }.number_within(most)?);
        }
        Ok(())
    }

    /// The value as an object with no other keys than `known`, each at most once.
    pub(crate) fn object<'n>(&'n self, known: &Keys) -> Result<Object<'a, 'n>> {
        if !self.is_object() {
            return Err(self.must_be(format_args!("an object with the keys {}", known.here.join(", "))));
        }
        let broken = |_| self.refuse("holds a key with a broken \\u escape: write the character itself");
        let Fields(fields) = serde_json::from_str(self.raw.get()).map_err(broken)?;
        let object = Object { path: &self.path, fields };
        object.check_keys(known)?;
        Ok(object)
    }
}

/// The fields of an object, with its path.
pub(crate) struct Object<'a, 'p> {
    path: &'p Path<'p>,
    fields: Vec<(String, &'a RawValue)>,
}

impl<'a> Object<'a, '_> {
    fn check_keys(&self, known: &Keys) -> Result<()> {
        for (i, (key, _)) in self.fields.iter().enumerate() {
            let path = Path::Key(self.path, key);
            if !known.here.contains(&key.as_str()) {
                let advice = known.suggest(key);
                return Err(Failure::Input(format!("{path} is not a known key: {advice}")));
            }
            if self.fields[..i].iter().any(|(earlier, _)| earlier == key) {
                return Err(Failure::Input(format!("{path} is given twice: keep one")));
            }
        }
        Ok(())
    }

    /// The value of a key, if it is there.
    pub(crate) fn get<'n>(&'n self, key: &'n str) -> Option<Node<'a, 'n>> {
        let (_, raw) = self.fields.iter().find(|(k, _)| k == key)?;
        Some(Node { raw, path: Path::Key(self.path, key) })
    }

    /// The value of a key that must be there; `remedy` says what to give.
    pub(crate) fn require<'n>(&'n self, key: &'n str, remedy: &str) -> Result<Node<'a, 'n>> {
        let missing = || Failure::Input(format!("{} is missing: {remedy}", Path::Key(self.path, key)));
        self.get(key).ok_or_else(missing)
    }
}

/// The keys that an object may have.
pub(crate) struct Keys {
    /// Its own keys.
    pub(crate) here: &'static [&'static str],
    /// A key of its own that holds an object, with the keys of that: they are easily written one level too high.
    pub(crate) below: Option<(&'static str, &'static [&'static str])>,
}

impl Keys {
    /// Advice to someone who wrote a key that is not among these.
    fn suggest(&self, given: &str) -> String {
        match self.below {
            Some((parent, keys)) if keys.contains(&given) => format!("put \"{given}\" into \"{parent}\""),
            _ => suggest(given, self.here),
        }
    }
}

/// All known names, with "did you mean" if one of them is near the one that was given.
pub(crate) fn suggest(given: &str, known: &[&str]) -> String {
    let all = known.join(", ");
    let near = nearest(given, known);
    near.map_or_else(|| format!("use one of {all}"), |name| format!("did you mean \"{name}\"? (known: {all})"))
}

/// The known name that was probably meant, if one is near the one that was given.
pub(crate) fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let given = shorten(given).to_lowercase();
    let distance = |name: &&str| strsim::damerau_levenshtein(&given, name);
    known.iter().copied().min_by_key(distance).filter(|name| is_near(distance(name), name.len()))
}

/// Whether that many edits leave a name of that length recognisable.
fn is_near(edits: usize, length: usize) -> bool {
    edits < length && edits <= 2.max(length / 3)
}

/// The beginning of a text that is too long for a message.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// All fields of an object in order, repeated keys included.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

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
