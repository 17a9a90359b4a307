//! A value of a document, whatever its format.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::names::{shorten, shown_text};

/// A value. JSON stays raw text until it is asked for: so numbers are rounded correctly, one that overflows is refused
/// with its path and not as a syntax error, and no depth of nesting can exhaust the stack.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    /// Of a JSON document.
    Json(&'a RawValue),
    /// Of a TOML document.
    Toml(&'a toml::Value),
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Truth,
    Number,
    Text,
    List,
    Object,
    Time,
}

impl<'a> Value<'a> {
    pub(super) fn type_of(self) -> Type {
        match self {
            Value::Json(raw) => match raw.get().as_bytes()[0] {
                b'n' => Type::Null,
                b't' | b'f' => Type::Truth,
                b'"' => Type::Text,
                b'[' => Type::List,
                b'{' => Type::Object,
                _ => Type::Number,
            },
            Value::Toml(value) => match value {
                toml::Value::String(_) => Type::Text,
                toml::Value::Integer(_) | toml::Value::Float(_) => Type::Number,
                toml::Value::Boolean(_) => Type::Truth,
                toml::Value::Datetime(_) => Type::Time,
                toml::Value::Array(_) => Type::List,
                toml::Value::Table(_) => Type::Object,
            },
        }
    }

    /// A number, infinite or not a number if that is what is written; none for anything else.
    pub(super) fn number(self) -> Option<f64> {
        match self {
            Value::Json(raw) if self.type_of() == Type::Number => raw.get().parse().ok(),
            Value::Toml(toml::Value::Integer(n)) => Some(*n as f64),
            Value::Toml(toml::Value::Float(x)) => Some(*x),
            _ => None,
        }
    }

    /// A whole number that is not negative, also if it is written with a point or an exponent.
    pub(super) fn whole(self) -> Option<u64> {
        if let Value::Toml(toml::Value::Integer(n)) = self {
            return u64::try_from(*n).ok();
        }
        // Above 2^53 not every whole number has its own float.
        self.number().filter(|x| x.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(x)).map(|x| x as u64)
    }

    /// The value as a message shows it.
    pub(crate) fn shown(self) -> Cow<'a, str> {
        match self {
            Value::Json(raw) => match self.type_of() {
                Type::List => Cow::Borrowed("a list"),
                Type::Object => Cow::Borrowed("an object"),
                _ => shorten(raw.get()),
            },
            Value::Toml(value) => match value {
                toml::Value::String(text) => Cow::Owned(shown_text(text)),
                toml::Value::Array(items) if items.is_empty() => Cow::Borrowed("an empty list"),
                toml::Value::Array(_) => Cow::Borrowed("a list"),
                toml::Value::Table(_) => Cow::Borrowed("a table"),
                toml::Value::Float(number) => Cow::Owned(short(*number)),
                scalar => Cow::Owned(scalar.to_string()),
            },
        }
    }
}

/// A number without a tail of zeros.
pub(crate) fn short(value: f64) -> String {
    if value.abs() >= 1e5 && value.is_finite() { format!("{value:e}") } else { value.to_string() }
}
