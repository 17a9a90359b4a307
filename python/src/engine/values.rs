//! What Python knows about a visitor, as a context: dicts, rows of frames, whole frames; numbers, texts, moments, vectors.

use optimist_engine::{Features, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString};

use crate::arrays;
use crate::errors::{Fault, Result};

/// Whole numbers up to which a double tells each from its neighbours.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What a NaN means.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Nan {
    /// Nothing is known: the sign that frames have for it.
    Missing,
    /// A mistake.
    Refused,
}

/// One context. None is one of which nothing is known.
pub(super) fn context(value: Option<&Bound<'_, PyAny>>) -> Result<Features> {
    let Some(value) = value else { return Ok(Features::new()) };
    if let Ok(mapping) = value.cast::<PyMapping>() {
        return mapping_of(mapping, Nan::Refused);
    }
    if value.hasattr("_asdict")? {
        return mapping_of(value.call_method0("_asdict")?.cast::<PyMapping>().map_err(PyErr::from)?, Nan::Refused);
    }
    let kind = value.get_type().name()?;
    if is_frame(value)? {
        let mut rows = frame(value, None)?;
        let count = rows.len();
        return rows.pop().filter(|_| count == 1).ok_or_else(|| {
            Fault::input(format!("context is a {kind} of {count} rows: it must be one, or ask with decide_many"))
        });
    }
    // A row of a frame of pandas: a Series whose index holds the names.
    if value.hasattr("to_dict")? && value.hasattr("index")? {
        return mapping_of(value.call_method0("to_dict")?.cast::<PyMapping>().map_err(PyErr::from)?, Nan::Missing);
    }
    Err(Fault::input(format!("context is a {kind}: give a dict of names and values, or a row of a frame")))
}

/// Several contexts: a frame, or a list of what `context` takes. A frame must have all `columns`.
pub(super) fn contexts(value: &Bound<'_, PyAny>, columns: Option<&[String]>) -> Result<Vec<Features>> {
    if is_frame(value)? {
        return frame(value, columns);
    }
    let kind = value.get_type().name()?;
    let single = value.is_instance_of::<PyString>() || value.cast::<PyMapping>().is_ok();
    let Some(items) = value.try_iter().ok().filter(|_| !single) else {
        return Err(Fault::input(format!("contexts is a {kind}: give a list of dicts, or a frame")));
    };
    items
        .enumerate()
        .map(|(i, item)| {
            let item = item?;
            context((!item.is_none()).then_some(&item)).map_err(|fault| fault.at(value.py(), &format!("contexts[{i}]")))
        })
        .collect()
}

fn is_frame(value: &Bound<'_, PyAny>) -> Result<bool> {
    if value.hasattr("collect_schema")? && value.hasattr("collect")? && !value.hasattr("rows")? {
        return Err(Fault::input("contexts is a lazy frame: collect() it first"));
    }
    Ok(value.cast::<PyMapping>().is_err() && value.hasattr("columns")? && value.hasattr("__getitem__")?)
}

/// The rows of a frame, read column by column.
fn frame(value: &Bound<'_, PyAny>, columns: Option<&[String]>) -> Result<Vec<Features>> {
    // What tables of Arrow call columns are the values.
    let is_arrow = value.hasattr("column_names")?;
    let names = names(&value.getattr(if is_arrow { "column_names" } else { "columns" })?)?;
    if let Some(absent) = columns.into_iter().flatten().find(|name| !names.contains(name)) {
        return Err(Fault::input(format!(
            "the frame has no column \"{absent}\": add it; if nothing is known of it, fill it with None"
        )));
    }
    let mut rows: Vec<Vec<(String, Value)>> = Vec::new();
    for (column, name) in names.into_iter().enumerate() {
        let cells = value.get_item(&name)?.call_method0(if is_arrow { "to_pylist" } else { "to_list" })?;
        let cells = cells.cast::<PyList>().map_err(PyErr::from)?;
        if column == 0 {
            rows.resize(cells.len(), Vec::new());
        }
        for (i, (row, cell)) in rows.iter_mut().zip(cells.iter()).enumerate() {
            let found =
                value_of(&cell, &name, Nan::Missing).map_err(|fault| fault.at(value.py(), &format!("row {i}")))?;
            row.push((name.clone(), found));
        }
    }
    Ok(rows.into_iter().map(|row| row.into_iter().collect()).collect())
}

/// The names of a frame's columns, in their order.
fn names(labels: &Bound<'_, PyAny>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for label in labels.try_iter()? {
        let label = label?;
        let Ok(name) = label.extract::<String>() else {
            let text = label.repr()?;
            return Err(Fault::input(format!("the frame has a column called {text}: names of columns must be texts")));
        };
        if names.contains(&name) {
            return Err(Fault::input(format!("the frame has two columns \"{name}\": rename one")));
        }
        names.push(name);
    }
    Ok(names)
}

/// Names and values.
pub(super) fn mapping_of(mapping: &Bound<'_, PyMapping>, nan: Nan) -> Result<Features> {
    let mut pairs = Vec::new();
    let mut add = |key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>| -> Result<()> {
        let Ok(key) = key.cast::<PyString>() else {
            return Err(Fault::input(format!("context has the key {}: names of columns must be texts", key.repr()?)));
        };
        let name = key.to_cow()?;
        let value = value_of(value, &name, nan)?;
        pairs.push((name.into_owned(), value));
        Ok(())
    };
    match mapping.cast::<PyDict>() {
        Ok(dict) => dict.iter().try_for_each(|(key, value)| add(&key, &value))?,
        Err(_) => {
            for pair in mapping.items()?.iter() {
                let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
                add(&key, &value)?;
            }
        }
    }
    Ok(pairs.into_iter().collect())
}

/// One value of the column `name`.
fn value_of(value: &Bound<'_, PyAny>, name: &str, nan: Nan) -> Result<Value> {
    if value.is_none() {
        return Ok(Value::Missing);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::Text(text.to_cow()?.into_owned()));
    }
    if value.is_instance_of::<PyFloat>() {
        return number(value.extract()?, name, nan);
    }
    if value.is_instance_of::<PyInt>() {
        return integer(value, name);
    }
    other(value, name, nan)
}

fn number(number: f64, name: &str, nan: Nan) -> Result<Value> {
    match (number.is_nan(), nan) {
        (true, Nan::Missing) => Ok(Value::Missing),
        (true, Nan::Refused) => {
            Err(Fault::input(format!("column \"{name}\" is NaN: give None where nothing is known")))
        }
        (false, _) => Ok(Value::Number(number)),
    }
}

fn integer(value: &Bound<'_, PyAny>, name: &str) -> Result<Value> {
    match value.extract::<f64>() {
        Ok(number) if number.abs() <= EXACT => Ok(Value::Number(number)),
        _ => Err(Fault::input(format!(
            "column \"{name}\" is {value}: whole numbers beyond 2^53 are not told apart; give it as a text if it is a name"
        ))),
    }
}

/// What is no plain type of Python: moments, spans of time, numpy's numbers and arrays, and whatever is like a number.
fn other(value: &Bound<'_, PyAny>, name: &str, nan: Nan) -> Result<Value> {
    let kind = value.get_type().name()?.to_cow()?.into_owned();
    match kind.as_str() {
        "NaTType" | "NAType" => return Ok(Value::Missing),
        // Its plain form is a whole number if it counts nanoseconds: the text is always a moment.
        "datetime64" => {
            let text = value.str()?.to_cow()?.into_owned();
            return Ok(if text == "NaT" { Value::Missing } else { Value::Text(text) });
        }
        "timedelta64" => {
            let plain = value.call_method1("astype", ("timedelta64[us]",))?.call_method0("item")?;
            return value_of(&plain, name, nan);
        }
        _ => {}
    }
    if value.hasattr("total_seconds")? {
        return number(value.call_method0("total_seconds")?.extract()?, name, nan);
    }
    if value.hasattr("isoformat")? {
        return Ok(Value::Text(value.call_method0("isoformat")?.extract()?));
    }
    match value.getattr("ndim").and_then(|n| n.extract::<usize>()) {
        Ok(0) => return value_of(&value.call_method0("item")?, name, nan),
        Ok(_) => return vector(value, name),
        Err(_) => {}
    }
    if let Ok(found) = value.extract::<f64>() {
        return number(found, name, nan);
    }
    if value.hasattr("__getitem__")? && value.cast::<PyMapping>().is_err() {
        return vector(value, name);
    }
    Err(Fault::input(format!(
        "column \"{name}\" is a {kind}: give a number, a text, a boolean, a moment, numbers or None"
    )))
}

fn vector(value: &Bound<'_, PyAny>, name: &str) -> Result<Value> {
    let table = arrays::row(value, &format!("column \"{name}\""))?;
    Ok(Value::Vector(table.values().into_owned()))
}
