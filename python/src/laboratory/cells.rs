//! Columns of data frames as cells of a table.

use numpy::{PyArray1, PyArrayMethods};
use optimist_tables::Cell;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::{Fault, Result};

/// The cells of a column: an array of numbers in which NaN is missing, or any values.
pub(super) fn of_column(name: &str, values: &Bound<'_, PyAny>) -> Result<Vec<Cell>> {
    if let Ok(array) = values.cast::<PyArray1<f64>>() {
        let numbers = array.readonly();
        return Ok(numbers.as_array().iter().map(|number| Cell::Number(*number)).collect());
    }
    let values = values
        .try_iter()
        .map_err(|_| Fault::input(format!("the column {name:?} is no list of values: give one value per row")))?;
    values.map(|value| Ok(cell(&value?)?)).collect()
}

fn cell(value: &Bound<'_, PyAny>) -> PyResult<Cell> {
    if value.is_none() {
        return Ok(Cell::Missing);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Cell::Text(text.to_cow()?.into_owned()));
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Cell::Bool(truth.is_true()));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Cell::Number(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        return whole(value);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return Ok(value.extract().map_or_else(|_| Cell::Text(value.to_string()), Cell::Vector));
    }
    other(value)
}

/// A whole number, as text if a double would change it.
fn whole(value: &Bound<'_, PyAny>) -> PyResult<Cell> {
    let Ok(whole) = value.extract::<i64>() else { return Ok(Cell::Text(value.to_string())) };
    let number = whole as f64;
    Ok(if number as i128 == i128::from(whole) { Cell::Number(number) } else { Cell::Text(whole.to_string()) })
}

/// Values of other libraries, each by what it can do.
fn other(value: &Bound<'_, PyAny>) -> PyResult<Cell> {
    // NaT, NA and whatever else is missing in somebody's eyes: nothing of that kind equals itself.
    if value.eq(value).is_ok_and(|same| !same) || matches!(value.get_type().name()?.to_str(), Ok("NAType" | "NaTType"))
    {
        return Ok(Cell::Missing);
    }
    if let Ok(moment) = value.call_method0("isoformat") {
        return Ok(Cell::Text(moment.to_string()));
    }
    for method in ["tolist", "to_list", "item"] {
        if let Ok(plain) = value.call_method0(method)
            && !plain.get_type().is(value.get_type())
        {
            return cell(&plain);
        }
    }
    Ok(value.extract::<f64>().map_or_else(|_| Cell::Text(value.to_string()), Cell::Number))
}
