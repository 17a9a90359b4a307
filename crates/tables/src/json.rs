//! One JSON value with its keys in order, and its way into cells.
//!
//! `serde_json::Value` keeps of two equal keys the last without a word, and the order of keys depends on which features
//! others ask of it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::Cell;
use crate::words::Words;

/// Longest name of a column. Names grow with the depth of objects, and unbounded ones with the square of a line's length.
const MAX_NAME_BYTES: usize = 1000;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Whole(i128),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses one line; the reason in words if it is not one object.
    pub(crate) fn parse_object(line: &[u8]) -> Result<Vec<(String, Json)>, String> {
        let text = str::from_utf8(line).map_err(|error| {
            format!("byte {} is not UTF-8: convert the file with `iconv -t UTF-8`", error.valid_up_to() + 1)
        })?;
        match serde_json::from_str(text) {
            Ok(Json::Object(members)) => Ok(members),
            Ok(_) => Err("is not an object: each line must be one, such as {\"x\": 1}".to_owned()),
            Err(error) => {
                // The line that the parser counts is always the first.
                let reason = error.to_string();
                let reason = reason.rsplit_once(" at line").map_or(&*reason, |(reason, _)| reason);
                Err(format!("is not JSON: {reason} at column {}", error.column()))
            }
        }
    }

    /// The number, if it is one and an `f64` holds it.
    pub(crate) fn number(&self) -> Option<f64> {
        match *self {
            Json::Whole(whole) => Cell::of_whole(whole).number(),
            Json::Float(number) => Some(number),
            _ => None,
        }
    }

    /// A value that is no object. Lists of numbers are vectors, other lists are their JSON as text.
    pub(crate) fn into_cell(self, words: &Words, cell: &mut Cell) {
        match self {
            Json::Null => *cell = Cell::Missing,
            Json::Bool(bool) => *cell = Cell::Bool(bool),
            Json::Whole(whole) => *cell = Cell::of_whole(whole),
            Json::Float(number) => *cell = Cell::of_float(number),
            Json::Text(text) => words.read_text(&text, cell),
            Json::List(list) => *cell = list_cell(&list),
            Json::Object(_) => *cell = Cell::Text(self.to_text()),
        }
    }

    fn to_text(&self) -> String {
        // Keys are text and numbers finite: there is nothing that could fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The cell of a list: a vector if all of it is numbers that an `f64` holds, otherwise its JSON as text.
pub(crate) fn list_cell(list: &[Json]) -> Cell {
    match list.iter().map(Json::number).collect::<Option<Vec<f64>>>() {
        Some(numbers) if numbers.iter().all(|number| number.is_finite()) => Cell::Vector(numbers),
        _ => Cell::Text(serde_json::to_string(list).unwrap_or_default()),
    }
}

/// Puts a key behind the names of the objects that it stands in; says how long the path was before.
pub(crate) fn push_name(path: &mut String, key: &str) -> Result<usize, String> {
    let length = path.len();
    if length + key.len() >= MAX_NAME_BYTES {
        return Err(format!("a name, with those of the objects around it, has more than {MAX_NAME_BYTES} bytes"));
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(key);
    Ok(length)
}

/// Gives every value that is no object to `sink`, with its name: keys from outside in, joined by dots. `sink` may refuse
/// an object by its name before it is looked into.
pub(crate) fn flatten(
    members: Vec<(String, Json)>,
    path: &mut String,
    is_wanted: &impl Fn(&str) -> bool,
    sink: &mut impl FnMut(&str, Json) -> Result<(), String>,
) -> Result<(), String> {
    for (key, value) in members {
        let length = push_name(path, &key)?;
        if is_wanted(path) {
            match value {
                Json::Object(members) => flatten(members, path, is_wanted, sink)?,
                value => sink(path, value)?,
            }
        }
        path.truncate(length);
    }
    Ok(())
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Whole(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Whole(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json, E> {
        if value.is_finite() { Ok(Json::Float(value)) } else { Err(E::custom("number out of range")) }
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Json::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry::<String, Json>()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Whole(value) => match i64::try_from(*value) {
                Ok(value) => serializer.serialize_i64(value),
                Err(_) => serializer.serialize_u64(u64::try_from(*value).unwrap_or(u64::MAX)),
            },
            Json::Float(value) => serializer.serialize_f64(*value),
            Json::Text(value) => serializer.serialize_str(value),
            Json::List(values) => serializer.collect_seq(values),
            Json::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}
