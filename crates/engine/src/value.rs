//! Named values: a context, or the features of an action.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Nothing is known: null.
    Missing,
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A level of a category, a text, or a moment.
    Text(String),
    /// Several numbers that belong together.
    Vector(Vec<f64>),
}

impl Value {
    /// What it is, in a word.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Missing => "missing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::Vector(_) => "a vector",
        }
    }
}

macro_rules! into_value {
    ($($from:ty => $variant:ident($convert:expr)),+ $(,)?) => {
        $(impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Value::$variant($convert(value))
            }
        })+
    };
}

into_value! {
    bool => Bool(|v| v),
    f64 => Number(|v| v),
    f32 => Number(f64::from),
    i32 => Number(f64::from),
    u32 => Number(f64::from),
    i64 => Number(|v| v as f64),
    &str => Text(String::from),
    String => Text(|v| v),
    Vec<f64> => Vector(|v| v),
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Missing, Into::into)
    }
}

/// Values with their names, in the order in which they were given. As JSON an object. A name that is there twice is refused where
/// the values are used.
///
/// ```
/// use optimist_engine::Features;
/// let visitor = Features::from([("device", "phone".into()), ("age", 31.0.into()), ("member", true.into())]);
/// let same: Features = serde_json::from_str(r#"{"device": "phone", "age": 31, "member": true}"#)?;
/// assert_eq!(visitor, same);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Features(Vec<(String, Value)>);

impl Features {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value; one of the same name is replaced.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, place)) => *place = value,
            None => self.0.push((name, value)),
        }
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The same, looked for at place `near` first: contexts of one source have their names in one order.
    pub(crate) fn get_near(&self, near: usize, name: &str) -> Option<&Value> {
        match self.0.get(near) {
            Some((known, value)) if known == name => Some(value),
            _ => self.get(name),
        }
    }

    /// All names with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> + Clone {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>> FromIterator<(N, Value)> for Features {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(values: I) -> Self {
        Self(values.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

impl<N: Into<String>, const M: usize> From<[(N, Value); M]> for Features {
    fn from(values: [(N, Value); M]) -> Self {
        values.into_iter().collect()
    }
}

impl Serialize for Features {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Features {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Pairs)
    }
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Features;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of names and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Features, A::Error> {
        let mut pairs = Vec::with_capacity(map.size_hint().unwrap_or(0).min(4096));
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Features(pairs))
    }
}
