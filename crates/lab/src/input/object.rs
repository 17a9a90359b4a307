//! Objects of JSON and tables of TOML: keys with values.

use serde_json::value::RawValue;

use super::json::Fields;
use super::names::{shorten, suggest};
use super::node::Node;
use super::path::Path;
use super::value::Value;
use crate::error::{Error, Result};

/// The fields of an object, with its path.
#[derive(Debug)]
pub struct Object<'a, 'p> {
    path: &'p Path<'p>,
    entries: Entries<'a>,
}

#[derive(Debug)]
enum Entries<'a> {
    /// In order, with repeated keys.
    Json(Vec<(String, &'a RawValue)>),
    Toml(&'a toml::Table),
}

impl<'a, 'p> Object<'a, 'p> {
    /// The object that a value is; none if it is anything else.
    ///
    /// # Errors
    /// If an escape in a key is broken.
    pub(super) fn of(node: &'p Node<'a, 'p>) -> Result<Option<Self>> {
        let entries = match node.value() {
            Value::Json(raw) if node.is_object() => {
                let broken = |_| node.refuse("holds a key with a broken \\u escape: write the character itself");
                let Fields(fields) = serde_json::from_str(raw.get()).map_err(broken)?;
                Entries::Json(fields)
            }
            Value::Toml(toml::Value::Table(table)) => Entries::Toml(table),
            _ => return Ok(None),
        };
        Ok(Some(Self { path: node.path(), entries }))
    }

    /// A table of TOML at a path.
    pub(crate) fn of_toml(table: &'a toml::Table, path: &'p Path<'p>) -> Self {
        Self { path, entries: Entries::Toml(table) }
    }

    /// Where it stands.
    pub(crate) fn path(&self) -> &'p Path<'p> {
        self.path
    }

    /// All keys, in order.
    fn keys(&self) -> Vec<&str> {
        match &self.entries {
            Entries::Json(fields) => fields.iter().map(|(key, _)| key.as_str()).collect(),
            Entries::Toml(table) => table.keys().map(String::as_str).collect(),
        }
    }

    pub(super) fn check_keys(&self, known: &Keys) -> Result<()> {
        let keys = self.keys();
        for (i, key) in keys.iter().enumerate() {
            let shown = shorten(key);
            let path = Path::Key(self.path, &shown);
            if !known.here.contains(key) {
                let advice = known.suggest(key);
                return Err(Error::input(format!("{path} is not a known key: {advice}")));
            }
            if keys[..i].contains(key) {
                return Err(Error::input(format!("{path} is given twice: keep one")));
            }
        }
        Ok(())
    }

    /// The value of a key, if it is there.
    pub fn get<'n>(&'n self, key: &'n str) -> Option<Node<'a, 'n>> {
        let value = match &self.entries {
            Entries::Json(fields) => fields.iter().find(|(k, _)| k == key).map(|(_, raw)| Value::Json(raw)),
            Entries::Toml(table) => table.get(key).map(Value::Toml),
        };
        Some(Node::new(value?, Path::Key(self.path, key)))
    }

    /// The value of a key that must be there; `remedy` says what to give.
    ///
    /// # Errors
    /// If it is not there.
    pub fn require<'n>(&'n self, key: &'n str, remedy: &str) -> Result<Node<'a, 'n>> {
        let missing = || Error::input(format!("{} is missing: {remedy}", Path::Key(self.path, key)));
        self.get(key).ok_or_else(missing)
    }
}

/// The keys that an object may have.
pub struct Keys {
    /// Its own keys.
    pub here: &'static [&'static str],
    /// A key of its own that holds an object, with the keys of that: they are easily written one level too high.
    pub below: Option<(&'static str, &'static [&'static str])>,
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
