//! Tables and fields that know where they are: types, ranges and defaults come from the registry of keys, and every
//! refusal names the path.

use std::fmt::Display;

use serde::de::DeserializeOwned;

use super::keys::{self, Absent, Key};
use super::kind::{Kind, Range};
use super::names::advice;
use crate::error::{Error, Result};
use crate::input::{Node, Object, Path, Value, nearest, quoted, shown_key};

/// A table of the file all of whose keys exist.
pub(super) struct Table<'a, 'p> {
    /// The path in the registry.
    path: &'static str,
    object: Object<'a, 'p>,
}

impl<'a, 'p> Table<'a, 'p> {
    /// A table at a path of the registry, which is `place` in the file; `more` are keys that only this table has.
    pub(super) fn new(
        path: &'static str,
        place: &'p Path<'p>,
        entries: &'a toml::Table,
        more: &[&'static str],
    ) -> Result<Self> {
        let known: Vec<&str> = keys::of_table(path).map(|key| key.name()).chain(more.iter().copied()).collect();
        match entries.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => {
                let shown = shown_key(name);
                Err(Error::input(format!("{}{}", Path::Key(place, &shown), advice(path, name, &known))))
            }
            None => Ok(Self { path, object: Object::of_toml(entries, place) }),
        }
    }

    /// Whether the file has that key.
    pub(super) fn has(&self, name: &str) -> bool {
        self.object.get(name).is_some()
    }

    /// The value in the file or the default; none if there is neither.
    pub(super) fn get<'n>(&'n self, name: &'n str) -> Result<Option<Field<'a, 'n>>> {
        let key = self.key(name);
        let node = match (self.object.get(name), key.absent) {
            (Some(node), _) => node,
            (None, Absent::Default(_)) => {
                Node::new(Value::Toml(keys::default_of(key)), Path::Key(self.object.path(), name))
            }
            (None, Absent::Meaning(_)) => return Ok(None),
            (None, Absent::Required) => return Err(self.missing(name)),
        };
        Ok(Some(Field { key, node }))
    }

    /// The value in the file or the default; an error if there is neither.
    pub(super) fn need<'n>(&'n self, name: &'n str) -> Result<Field<'a, 'n>> {
        self.get(name)?.ok_or_else(|| self.missing(name))
    }

    fn missing(&self, name: &str) -> Error {
        let words = self.key(name).kind.words();
        Error::input(format!("{} is missing: give {words}", Path::Key(self.object.path(), name)))
    }

    fn key(&self, name: &str) -> &'static Key {
        keys::of_table(self.path).find(|key| key.name() == name).expect("the reader asks for keys of the registry")
    }
}

/// A value of the file or a default.
pub(super) struct Field<'a, 'p> {
    key: &'static Key,
    node: Node<'a, 'p>,
}

impl<'a> Field<'a, '_> {
    /// A refusal: the path, and what is wrong in words that follow it.
    pub(super) fn refuse(&self, what: impl Display) -> Error {
        self.node.refuse(what)
    }

    /// A refusal that shows the value and gives the reason.
    pub(super) fn refuse_value(&self, why: impl Display) -> Error {
        self.node.refuse_value(why)
    }

    /// A refusal in the words of the registry.
    pub(super) fn wrong(&self) -> Error {
        self.node.must_be(self.key.kind.words())
    }

    /// A text on one line.
    pub(super) fn text(&self) -> Result<String> {
        self.node.as_text().filter(|text| is_line(text)).map(str::to_owned).ok_or_else(|| self.wrong())
    }

    /// A text on one line, or several.
    pub(super) fn texts(&self) -> Result<Vec<String>> {
        if self.is_text() {
            return Ok(vec![self.text()?]);
        }
        let item = |(i, node): (usize, &Node<'_, '_>)| {
            let text = node.as_text().filter(|text| is_line(text));
            text.map(str::to_owned).ok_or_else(|| self.wrong_item("number", i, node))
        };
        self.some_items()?.iter().enumerate().map(item).collect()
    }

    /// True or false.
    pub(super) fn truth(&self) -> Result<bool> {
        match self.node.value() {
            Value::Toml(toml::Value::Boolean(truth)) => Ok(*truth),
            _ => Err(self.wrong()),
        }
    }

    /// One of the words that the registry allows.
    pub(super) fn word<T: DeserializeOwned>(&self) -> Result<T> {
        let (Kind::Word(words), Some(given)) = (self.key.kind, self.node.as_text()) else { return Err(self.wrong()) };
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
        self.node.as_whole().filter(|n| (from..=to).contains(n)).ok_or_else(|| self.wrong())
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
        self.node.as_number().filter(|v| range.contains(*v)).ok_or_else(|| self.wrong())
    }

    /// One of the words of the registry, or a number in its range.
    pub(super) fn word_or_number(&self) -> Result<std::result::Result<String, f64>> {
        let Kind::WordOrNumber(words, range) = self.key.kind else { return Err(self.wrong()) };
        match self.node.as_text() {
            Some(given) if words.contains(&given) => Ok(Ok(given.to_owned())),
            Some(given) => Err(self.misspelt(given, words)),
            None => self.number_in(&range).map(Err),
        }
    }

    /// The items of a list.
    fn items(&self) -> Result<Vec<Node<'a, '_>>> {
        let values = self.node.as_list()?.ok_or_else(|| self.wrong())?;
        Ok(values.into_iter().map(|value| Node::new(value, *self.node.path())).collect())
    }

    /// The items of a list that is not empty.
    fn some_items(&self) -> Result<Vec<Node<'a, '_>>> {
        let items = self.items()?;
        if items.is_empty() { Err(self.wrong()) } else { Ok(items) }
    }

    /// A list of whole numbers from 1.
    pub(super) fn wholes(&self) -> Result<Vec<u64>> {
        let item = |(i, node): (usize, &Node<'_, '_>)| {
            node.as_whole().filter(|n| *n >= 1).ok_or_else(|| self.wrong_item("number", i, node))
        };
        self.items()?.iter().enumerate().map(item).collect()
    }

    /// A text, or a list of whole numbers from 1.
    pub(super) fn text_or_wholes(&self) -> Result<std::result::Result<&'a str, Vec<u64>>> {
        match self.node.as_text() {
            Some(text) => Ok(Ok(text)),
            None => self.wholes().map(Err),
        }
    }

    /// Whether the value is a text.
    pub(super) fn is_text(&self) -> bool {
        self.node.as_text().is_some()
    }

    /// Whether the value is a table.
    pub(super) fn is_table(&self) -> bool {
        matches!(self.node.value(), Value::Toml(toml::Value::Table(_)))
    }

    /// A list of finite numbers, not empty.
    pub(super) fn vector(&self) -> Result<Vec<f64>> {
        let item = |(i, node): (usize, &Node<'_, '_>)| finite(node).ok_or_else(|| self.wrong_item("number", i, node));
        self.some_items()?.iter().enumerate().map(item).collect()
    }

    /// A list of lists of finite numbers, none empty.
    pub(super) fn rows(&self) -> Result<Vec<Vec<f64>>> {
        let row = |(i, node): (usize, &Node<'_, '_>)| {
            let items = node.as_list()?.filter(|items| !items.is_empty());
            let items = items.ok_or_else(|| self.wrong_item("arm", i, node))?;
            let item = |value: Value<'_>| {
                let node = Node::new(value, *self.node.path());
                finite(&node).ok_or_else(|| self.wrong_item("a number of arm", i, &node))
            };
            items.into_iter().map(item).collect()
        };
        self.some_items()?.iter().enumerate().map(row).collect()
    }

    fn wrong_item(&self, what: &str, i: usize, item: &Node<'_, '_>) -> Error {
        let (number, shown) = (i + 1, item.value().shown());
        self.refuse(format_args!("must be {}: {what} {number} is {shown}", self.key.kind.words()))
    }

    /// The value as a table of TOML.
    pub(super) fn entries(&self) -> Result<&'a toml::Table> {
        match self.node.value() {
            Value::Toml(toml::Value::Table(entries)) => Ok(entries),
            _ => Err(self.wrong()),
        }
    }

    /// A table whose keys are those of the registry under the same path.
    pub(super) fn table(&self) -> Result<Table<'a, '_>> {
        Table::new(self.key.path, self.node.path(), self.entries()?, &[])
    }

    /// Tables, at least one.
    pub(super) fn tables(&self) -> Result<Vec<&'a toml::Table>> {
        let table = |node: &Node<'a, '_>| match node.value() {
            Value::Toml(toml::Value::Table(entries)) => Ok(entries),
            _ => Err(self.wrong()),
        };
        self.some_items()?.iter().map(table).collect()
    }
}

/// Whether it is a text on one line.
fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= 1000 && !text.contains(char::is_control)
}

fn finite(node: &Node<'_, '_>) -> Option<f64> {
    node.as_number().filter(|x| x.is_finite())
}
