//! The schema of contexts, in the short forms in which one writes it down.

use optimist_engine::Column;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping, PyString, PyTuple, PyType};
use serde_json::{Map, Value as Json, json};

use crate::errors::{Fault, Result};
use crate::json;

/// What other libraries call our kinds.
const SYNONYMS: [(&str, &str); 17] = [
    ("float", "number"),
    ("float64", "number"),
    ("int", "number"),
    ("int64", "number"),
    ("integer", "number"),
    ("numeric", "number"),
    ("real", "number"),
    ("bool", "boolean"),
    ("flag", "boolean"),
    ("str", "category"),
    ("string", "category"),
    ("categorical", "category"),
    ("factor", "category"),
    ("hash", "hashed"),
    ("datetime", "time"),
    ("date", "time"),
    ("timestamp", "time"),
];

/// Columns: a dict from names to kinds, or a list of dicts.
pub(super) fn columns(value: &Bound<'_, PyAny>, field: &str) -> Result<Vec<Column>> {
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let pair = |pair: Bound<'_, PyAny>| {
            let (name, kind): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            named(&name, &kind, field)
        };
        return mapping.items()?.iter().map(pair).collect();
    }
    let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    let Some(items) = value.try_iter().ok().filter(|_| is_list) else {
        let kind = value.get_type().name()?;
        return Err(Fault::option(format!(
            "{field} is a {kind}: give a dict such as {{\"age\": \"number\"}}, a list, or None"
        )));
    };
    items.enumerate().map(|(i, item)| column(&item?, &format!("{field}[{i}]"))).collect()
}

/// A column that says its name itself.
pub(super) fn column(value: &Bound<'_, PyAny>, field: &str) -> Result<Column> {
    if let Ok((name, kind)) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
        return named(&name, &kind, field);
    }
    let mapping = value.cast::<PyMapping>().ok();
    let Some(name) = mapping.and_then(|mapping| mapping.get_item("name").ok()) else {
        let text = value.repr()?;
        return Err(Fault::option(format!(
            "{field} is {text}: say its name and its kind, such as {{\"name\": \"age\", \"kind\": \"number\"}}"
        )));
    };
    named(&name, value, field)
}

fn named(name: &Bound<'_, PyAny>, kind: &Bound<'_, PyAny>, field: &str) -> Result<Column> {
    let Ok(name) = name.cast::<PyString>() else {
        return Err(Fault::option(format!("{field} has a column called {}: names must be texts", name.repr()?)));
    };
    let name = name.to_cow()?;
    let mut written = fields(kind, &format!("{field}.{name}"))?;
    written.insert("name".into(), json!(name));
    serde_json::from_value(Json::Object(written))
        .map_err(|error| Fault::option(format!("{field}: {}", plain(&error, &name))))
}

/// The words of an error, which names the column in any case.
fn plain(error: &serde_json::Error, name: &str) -> String {
    let text = error.to_string();
    if text.contains(&format!("\"{name}\"")) { text } else { format!("column \"{name}\": {text}") }
}

/// What stands beside the name.
fn fields(kind: &Bound<'_, PyAny>, field: &str) -> Result<Map<String, Json>> {
    let of_kind = |kind: &str| Map::from_iter([("kind".to_owned(), json!(known(kind)))]);
    if let Ok(name) = kind.extract::<String>() {
        return Ok(of_kind(&name));
    }
    if let Ok(class) = kind.cast::<PyType>() {
        return Ok(of_kind(&class.name()?.to_cow()?));
    }
    if kind.cast::<PyMapping>().is_ok() {
        let Json::Object(mut map) = json::read(kind, field)? else { return Ok(Map::new()) };
        if let Some(Json::String(kind)) = map.get_mut("kind") {
            *kind = known(kind);
        }
        return Ok(map);
    }
    match json::read(kind, field)? {
        Json::Array(levels) if levels.iter().all(Json::is_string) => {
            Ok(Map::from_iter([("kind".to_owned(), json!("category")), ("levels".to_owned(), json!(levels))]))
        }
        other => Err(Fault::option(format!(
            "{field} is {other}: give a kind such as \"number\", a list of levels, or a dict with a kind"
        ))),
    }
}

fn known(kind: &str) -> String {
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == kind).map(|(_, kind)| *kind);
    synonym.unwrap_or(kind).to_owned()
}
