//! Tables and fields that know where they are: types, ranges and defaults come from the registry of keys, and every
//! refusal names the path.

use std::borrow::Cow;
use std::fmt::Display;

use serde::de::DeserializeOwned;
use toml::Value;

use super::keys::{self, Absent, Key};
use super::kind::{Kind, Range, quoted, short};
use super::names::{advice, nearest, shown_key, shown_text};
use crate::error::{Error, Result};

/// A table of the file all of whose keys exist.
pub(super) struct Table<'a> {
    /// The path in the registry.
    path: &'static str,
    /// What precedes the name of a key in messages.
    place: String,
    entries: &'a toml::Table,
}

impl<'a> Table<'a> {
    /// The whole document.
    pub(super) fn top(entries: &'a toml::Table) -> Result<Self> {
        Self::new("", String::new(), entries, &[])
    }

    /// A table at a path of the registry; `more` are keys that only this table has.
    pub(super) fn new(
        path: &'static str,
        place: String,
        entries: &'a toml::Table,
        more: &[&'static str],
    ) -> Result<Self> {
        let known: Vec<&str> = keys::of_table(path).map(|key| key.name()).chain(more.iter().copied()).collect();
        match entries.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(Error::input(format!("{place}{}{}", shown_key(name), advice(name, &known)))),
            None => Ok(Self { path, place, entries }),
        }
    }

    /// Whether the file has that key.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The value in the file or the default; none if there is neither.
    pub(super) fn get(&self, name: &str) -> Result<Option<Field<'_>>> {
        let key = self.key(name);
        let value = match (self.entries.get(name), key.absent) {
            (Some(value), _) => Cow::Borrowed(value),
            (None, Absent::Default(text)) => Cow::Owned(default_value(text)),
            (None, Absent::Meaning(_)) => return Ok(None),
            (None, Absent::Required) => return Err(self.missing(name)),
        };
        Ok(Some(Field { key, path: format!("{}{name}", self.place), value }))
    }

    /// The value in the file or the default; an error if there is neither.
    pub(super) fn need(&self, name: &str) -> Result<Field<'_>> {
        self.get(name)?.ok_or_else(|| self.missing(name))
    }

    fn missing(&self, name: &str) -> Error {
        Error::input(format!("{}{name} is missing: give {}", self.place, self.key(name).kind.words()))
    }

    fn key(&self, name: &str) -> &'static Key {
        keys::of_table(self.path).find(|key| key.name() == name).expect("the reader asks for keys of the registry")
    }
}

/// A default of the registry.
pub(super) fn default_value(text: &str) -> Value {
    text.parse().expect("defaults of the registry are TOML")
}

/// A value of the file or a default.
pub(super) struct Field<'a> {
    key: &'static Key,
    path: String,
    value: Cow<'a, Value>,
}

impl Field<'_> {
    /// A refusal: the path, and what is wrong in words that follow it.
    pub(super) fn refuse(&self, what: impl Display) -> Error {
        Error::input(format!("{} {what}", self.path))
    }

    /// A refusal that shows the value and gives the reason.
    pub(super) fn refuse_value(&self, why: impl Display) -> Error {
        self.refuse(format_args!("is {}: {why}", shown(&self.value)))
    }

    fn must_be(&self, allowed: impl Display) -> Error {
        self.refuse_value(format_args!("it must be {allowed}"))
    }

    /// A refusal in the words of the registry.
    pub(super) fn wrong(&self) -> Error {
        self.must_be(self.key.kind.words())
    }

    /// A text on one line.
    pub(super) fn text(&self) -> Result<String> {
        let fits = |text: &&str| !text.trim().is_empty() && text.len() <= 1000 && !text.contains(char::is_control);
        self.value.as_str().filter(fits).map(str::to_owned).ok_or_else(|| self.wrong())
    }

    /// One of the words that the registry allows.
    pub(super) fn word<T: DeserializeOwned>(&self) -> Result<T> {
        let (Kind::Word(words), Some(given)) = (self.key.kind, self.value.as_str()) else { return Err(self.wrong()) };
        if !words.contains(&given) {
            return Err(self.misspelt(given, words));
        }
        serde_json::from_value(given.into()).map_err(|_| self.wrong())
    }

    fn misspelt(&self, given: &str, words: &[&str]) -> Error {
        match nearest(given, words) {
            Some(near) => self.refuse_value(format_args!("did you mean \"{near}\"? {} are allowed", quoted(words))),
            None => self.wrong(),
        }
    }

    /// A whole number in the range of the registry.
    pub(super) fn whole(&self) -> Result<u64> {
        let Kind::Whole(from, to) = self.key.kind else { return Err(self.wrong()) };
        whole_of(&self.value).filter(|n| (from..=to).contains(n)).ok_or_else(|| self.wrong())
    }

    /// The same for sizes.
    pub(super) fn size(&self) -> Result<usize> {
        usize::try_from(self.whole()?).map_err(|_| self.wrong())
    }

    /// A number in the range of the registry.
    pub(super) fn number(&self) -> Result<f64> {
        let Kind::Number(range) = self.key.kind else { return Err(self.wrong()) };
        self.number_in(&range)
    }

    fn number_in(&self, range: &Range) -> Result<f64> {
        number_of(&self.value).filter(|v| range.contains(*v)).ok_or_else(|| self.wrong())
    }

    /// One of the words of the registry, or a number in its range.
    pub(super) fn word_or_number(&self) -> Result<std::result::Result<String, f64>> {
        let Kind::WordOrNumber(words, range) = self.key.kind else { return Err(self.wrong()) };
        match self.value.as_str() {
            Some(given) if words.contains(&given) => Ok(Ok(given.to_owned())),
            Some(given) => Err(self.misspelt(given, words)),
            None => self.number_in(&range).map(Err),
        }
    }

    /// A list of whole numbers from 1.
    pub(super) fn wholes(&self) -> Result<Vec<u64>> {
        let items = self.value.as_array().ok_or_else(|| self.wrong())?;
        let item = |(i, value): (usize, &Value)| {
            whole_of(value).filter(|n| *n >= 1).ok_or_else(|| self.wrong_item("number", i, value))
        };
        items.iter().enumerate().map(item).collect()
    }

    /// A list of finite numbers, not empty.
    pub(super) fn vector(&self) -> Result<Vec<f64>> {
        let items = self.value.as_array().filter(|items| !items.is_empty()).ok_or_else(|| self.wrong())?;
        let item = |(i, value): (usize, &Value)| finite_of(value).ok_or_else(|| self.wrong_item("number", i, value));
        items.iter().enumerate().map(item).collect()
    }

    /// A list of lists of finite numbers, none empty.
    pub(super) fn rows(&self) -> Result<Vec<Vec<f64>>> {
        let rows = self.value.as_array().filter(|rows| !rows.is_empty()).ok_or_else(|| self.wrong())?;
        let row = |(i, value): (usize, &Value)| {
            let items = value.as_array().filter(|items| !items.is_empty());
            let items = items.ok_or_else(|| self.wrong_item("arm", i, value))?;
            let item = |value: &Value| finite_of(value).ok_or_else(|| self.wrong_item("a number of arm", i, value));
            items.iter().map(item).collect()
        };
        rows.iter().enumerate().map(row).collect()
    }

    fn wrong_item(&self, what: &str, i: usize, value: &Value) -> Error {
        let number = i + 1;
        self.refuse(format_args!("must be {}: {what} {number} is {}", self.key.kind.words(), shown(value)))
    }

    /// A table whose keys are those of the registry under the same path.
    pub(super) fn table(&self) -> Result<Table<'_>> {
        let entries = self.value.as_table().ok_or_else(|| self.wrong())?;
        Table::new(self.key.path, format!("{}.", self.path), entries, &[])
    }

    /// Tables, at least one.
    pub(super) fn tables(&self) -> Result<Vec<&toml::Table>> {
        let items = self.value.as_array().filter(|items| !items.is_empty()).ok_or_else(|| self.wrong())?;
        items.iter().map(|item| item.as_table().ok_or_else(|| self.wrong())).collect()
    }

    /// The value as it is.
    pub(super) fn value(&self) -> &Value {
        &self.value
    }
}

/// A value as a message shows it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => shown_text(text),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
        Value::Float(number) => short(*number),
        scalar => scalar.to_string(),
    }
}

/// A whole number, also if it is written with a point or an exponent.
fn whole_of(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(n) => u64::try_from(*n).ok(),
        // Above 2^53 not every whole number has its own float.
        Value::Float(x) if x.fract() == 0.0 && (0.0..=9.0e15).contains(x) => Some(*x as u64),
        _ => None,
    }
}

fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(n) => Some(*n as f64),
        Value::Float(x) => Some(*x),
        _ => None,
    }
}

fn finite_of(value: &Value) -> Option<f64> {
    number_of(value).filter(|x| x.is_finite())
}
