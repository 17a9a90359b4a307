//! Python's values as JSON and back: options, settings, experiments and reports.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PySequence, PyString};
use serde::Serialize;
use serde_json::{Map, Number, Value};

use crate::errors::{Fault, Result};

/// Deeper values are taken for ones that contain themselves.
const DEEPEST: usize = 64;

/// A value as JSON. `path` says where it stands, for errors.
pub(crate) fn read(value: &Bound<'_, PyAny>, path: &str) -> Result<Value> {
    read_at(value, path, 0)
}

fn read_at(value: &Bound<'_, PyAny>, path: &str, depth: usize) -> Result<Value> {
    if depth > DEEPEST {
        return Err(Fault::option(format!("{path} is nested more than {DEEPEST} deep")));
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().into());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_cow()?.into_owned().into());
    }
    if value.is_instance_of::<PyInt>() {
        return integer(value, path);
    }
    if value.is_instance_of::<PyFloat>() {
        return float(value.extract()?, path);
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        return object(mapping, path, depth);
    }
    if let Ok(sequence) = value.cast::<PySequence>() {
        let items = sequence.try_iter()?.enumerate();
        return items.map(|(i, item)| read_at(&item?, &format!("{path}[{i}]"), depth + 1)).collect();
    }
    // Arrays and scalars of numpy, and whatever else knows its plain form.
    for method in ["tolist", "item"] {
        if let Ok(plain) = value.call_method0(method)
            && !plain.is(value)
        {
            return read_at(&plain, path, depth + 1);
        }
    }
    let kind = value.get_type().name()?;
    Err(Fault::option(format!("{path} is a {kind}: give a number, a text, a list, a dict or None")))
}

fn integer(value: &Bound<'_, PyAny>, path: &str) -> Result<Value> {
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    match value.extract::<u64>() {
        Ok(number) => Ok(number.into()),
        Err(_) => Err(Fault::option(format!("{path} is {value}: whole numbers must fit into 64 bits"))),
    }
}

fn float(number: f64, path: &str) -> Result<Value> {
    match Number::from_f64(number) {
        Some(number) => Ok(Value::Number(number)),
        None => Err(Fault::option(format!("{path} is {number}: it must be a finite number"))),
    }
}

fn object(mapping: &Bound<'_, PyMapping>, path: &str, depth: usize) -> Result<Value> {
    let mut map = Map::new();
    for pair in mapping.items()?.iter() {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let Ok(key) = key.cast::<PyString>() else {
            return Err(Fault::option(format!("{path} has the key {key}: keys must be texts")));
        };
        let key = key.to_cow()?.into_owned();
        let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        map.insert(key, read_at(&value, &place, depth + 1)?);
    }
    Ok(Value::Object(map))
}

/// Keyword arguments as an object.
pub(crate) fn options(options: Option<&Bound<'_, PyDict>>) -> Result<Map<String, Value>> {
    let Some(options) = options else { return Ok(Map::new()) };
    match read(options.as_any(), "")? {
        Value::Object(map) => Ok(map),
        _ => Ok(Map::new()),
    }
}

/// Whatever serialises, as dicts, lists and numbers.
pub(crate) fn write<'py>(py: Python<'py>, value: &impl Serialize) -> Result<Bound<'py, PyAny>> {
    let value =
        serde_json::to_value(value).map_err(|e| Fault::input(format!("cannot be told in Python's terms: {e}")))?;
    Ok(to_python(py, &value)?)
}

/// JSON as dicts, lists and numbers.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::String(text) => text.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (_, Some(number)) => number.into_bound_py_any(py),
            _ => number.as_f64().into_bound_py_any(py),
        },
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| to_python(py, item)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_bound_py_any(py)
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            for (key, item) in map {
                dict.set_item(key, to_python(py, item)?)?;
            }
            dict.into_bound_py_any(py)
        }
    }
}
