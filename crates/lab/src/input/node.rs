//! A value that knows where it stands.

use std::fmt::Display;

use serde_json::value::RawValue;

use super::json::syntax_message;
use super::object::{Keys, Object};
use super::path::Path;
use super::value::{Type, Value};
use crate::error::{Error, Result};

/// A value and its path.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a, 'p> {
    value: Value<'a>,
    path: Path<'p>,
}

impl<'a, 'p> Node<'a, 'p> {
    pub(crate) fn new(value: Value<'a>, path: Path<'p>) -> Self {
        Self { value, path }
    }

    /// The value as it is.
    pub(crate) fn value(&self) -> Value<'a> {
        self.value
    }

    /// Where it stands.
    pub(crate) fn path(&self) -> &Path<'p> {
        &self.path
    }

    /// A refusal of this value: its path, and what is wrong in words that follow it.
    pub fn refuse(&self, what: impl Display) -> Error {
        Error::input(format!("{} {what}", self.path))
    }

    /// A refusal that shows the value and gives the reason.
    pub(crate) fn refuse_value(&self, why: impl Display) -> Error {
        self.refuse(format_args!("is {}: {why}", self.value.shown()))
    }

    /// A refusal that shows the value and says what it must be.
    pub fn must_be(&self, allowed: impl Display) -> Error {
        self.refuse_value(format_args!("it must be {allowed}"))
    }

    /// A refusal by the library of a field of this value: its messages begin with the name of the field.
    pub fn refuse_field(&self, error: &optimist::Error) -> Error {
        let separator =
            if matches!(error, optimist::Error::EmptySet | optimist::Error::Overflow { .. }) { ": " } else { "." };
        Error::input(format!("{}{separator}{error}", self.path))
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.value.type_of() == Type::Null
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.value.type_of() == Type::Object
    }

    /// The value as a number, infinite or not; none if it is anything else.
    pub(crate) fn as_number(&self) -> Option<f64> {
        self.value.number()
    }

    /// The value as a whole number that is not negative; none if it is anything else.
    pub(crate) fn as_whole(&self) -> Option<u64> {
        self.value.whole()
    }

    /// The value as a text of a TOML document; none if it is anything else.
    pub(crate) fn as_text(&self) -> Option<&'a str> {
        match self.value {
            Value::Toml(value) => value.as_str(),
            Value::Json(_) => None,
        }
    }

    /// The value as a finite number.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn number(&self) -> Result<f64> {
        match self.value.type_of() {
            Type::Number => {}
            Type::Text => return Err(self.must_be("a number, without quotes")),
            _ => return Err(self.must_be("a number")),
        }
        let finite = self.as_number().filter(|value| value.is_finite());
        finite.ok_or_else(|| self.must_be("a finite number, below 1.8e308 in size"))
    }

    /// The value as a number of at most `most` in size.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn number_within(&self, most: f64) -> Result<f64> {
        let value = self.number()?;
        if value.abs() <= most {
            Ok(value)
        } else {
            Err(self.must_be(format_args!("at most {most:e} in size: rescale")))
        }
    }

    /// The value as a whole number between 1 and `most`; `3.0` is as good as `3`.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn whole(&self, most: u64) -> Result<u64> {
        self.number()?;
        let whole = self.as_whole().filter(|value| (1..=most).contains(value));
        whole.ok_or_else(|| self.must_be(format_args!("a whole number from 1 to {most}")))
    }

    /// The value as text.
    ///
    /// # Errors
    /// If it is anything else, or an escape in it is broken.
    pub fn text(&self) -> Result<String> {
        let broken = |_| self.refuse("holds a broken \\u escape: write the character itself");
        match self.value {
            Value::Json(raw) if self.value.type_of() == Type::Text => serde_json::from_str(raw.get()).map_err(broken),
            Value::Toml(toml::Value::String(text)) => Ok(text.clone()),
            _ => Err(self.must_be("text in quotes")),
        }
    }

    /// The values of a list; none if it is anything else.
    ///
    /// # Errors
    /// If the list is nested too deeply to be taken apart.
    pub(crate) fn as_list(&self) -> Result<Option<Vec<Value<'a>>>> {
        match self.value {
            Value::Json(raw) if self.value.type_of() == Type::List => {
                let entries = serde_json::from_str::<Vec<&'a RawValue>>(raw.get());
                let entries = entries.map_err(|e| self.refuse(syntax_message(raw.get(), &e)))?;
                Ok(Some(entries.into_iter().map(Value::Json).collect()))
            }
            Value::Toml(toml::Value::Array(items)) => Ok(Some(items.iter().map(Value::Toml).collect())),
            _ => Ok(None),
        }
    }

    fn entries(&self) -> Result<Vec<Value<'a>>> {
        self.as_list()?.ok_or_else(|| self.must_be("a list"))
    }

    /// The value as a list, every entry read by `read`.
    ///
    /// # Errors
    /// If it is no list, and what `read` refuses.
    pub fn list<T, E: From<Error>>(
        &self,
        read: impl FnMut(Node<'a, '_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<Vec<T>, E> {
        let nodes = self.entries()?.into_iter().enumerate();
        nodes.map(|(i, value)| Node { value, path: Path::Index(&self.path, i) }).map(read).collect()
    }

    /// The value as a list of `dimension` numbers of at most `most` in size, appended to `out`.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn vector(&self, dimension: usize, most: f64, out: &mut Vec<f64>) -> Result<()> {
        let entries = self.entries()?;
        if entries.len() != dimension {
            let got = entries.len();
            return Err(self.refuse(format_args!("has length {got}: it must be {dimension}, the dimension")));
        }
        for (i, value) in entries.into_iter().enumerate() {
            out.push(Node { value, path: Path::Index(&self.path, i) }.number_within(most)?);
        }
        Ok(())
    }

    /// The value as an object with no other keys than `known`, each at most once.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn object<'n>(&'n self, known: &Keys) -> Result<Object<'a, 'n>> {
        let object = Object::of(self)?;
        let object =
            object.ok_or_else(|| self.must_be(format_args!("an object with the keys {}", known.here.join(", "))))?;
        object.check_keys(known)?;
        Ok(object)
    }
}
