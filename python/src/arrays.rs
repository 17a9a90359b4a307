//! Arrays of numbers, however they are stored, as rows one after the other.
//!
//! An array of doubles in C order is read where it lies. Everything else that numpy can read as numbers is converted: other
//! orders, other widths, lists, frames. What is read is copied before the interpreter is let go, so that nobody can change it
//! under our hands.

use std::borrow::Cow;

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::errors::{Fault, Result};

/// Four gigabytes.
const MOST_NUMBERS: usize = 1 << 29;

/// Numbers in rows; lent as long as the interpreter is held.
pub(crate) struct Table<'py> {
    array: Numbers<'py>,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

enum Numbers<'py> {
    Rows(PyReadonlyArray2<'py, f64>),
    Row(PyReadonlyArray1<'py, f64>),
}

impl Table<'_> {
    /// All numbers, row by row.
    pub(crate) fn values(&self) -> Cow<'_, [f64]> {
        match &self.array {
            // A slice of an array in Fortran order would be its columns.
            Numbers::Rows(array) => match array.as_slice() {
                Ok(values) if array.is_c_contiguous() => Cow::Borrowed(values),
                _ => Cow::Owned(array.as_array().iter().copied().collect()),
            },
            Numbers::Row(array) => match array.as_slice() {
                Ok(values) => Cow::Borrowed(values),
                Err(_) => Cow::Owned(array.as_array().iter().copied().collect()),
            },
        }
    }

    /// A view may claim any size; what is read is copied.
    fn of_bounded_size(self, field: &str) -> Result<Self> {
        if self.rows.saturating_mul(self.columns) <= MOST_NUMBERS {
            return Ok(self);
        }
        let (rows, columns) = (self.rows, self.columns);
        Err(Fault::input(format!(
            "{field} has the shape ({rows}, {columns}): at most {MOST_NUMBERS} numbers are taken at a time"
        )))
    }

    /// Whether there was one row without a dimension of its own.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.array, Numbers::Row(_))
    }
}

/// A list of arms: one row each.
pub(crate) fn rows<'py>(value: &Bound<'py, PyAny>, field: &str) -> Result<Table<'py>> {
    let table = rows_or_row(value, field)?;
    if table.is_single() {
        let d = table.columns;
        return Err(Fault::input(format!(
            "{field} has the shape ({d},): give one row per arm, such as {field}.reshape(1, -1)"
        )));
    }
    Ok(table)
}

/// Rows, or one row alone.
pub(crate) fn rows_or_row<'py>(value: &Bound<'py, PyAny>, field: &str) -> Result<Table<'py>> {
    read(value, field, "it must have two dimensions, one row per arm")
}

fn read<'py>(value: &Bound<'py, PyAny>, field: &str, wanted: &str) -> Result<Table<'py>> {
    if let Some(table) = plain(value) {
        return table.of_bounded_size(field);
    }
    let array = converted(value, field)?;
    let table = plain(&array).ok_or_else(|| {
        let shape = array.getattr("shape").map_or_else(|_| "no shape".into(), |shape| shape.to_string());
        Fault::input(format!("{field} has the shape {shape}: {wanted}"))
    })?;
    table.of_bounded_size(field)
}

/// One row of numbers.
pub(crate) fn row<'py>(value: &Bound<'py, PyAny>, field: &str) -> Result<Table<'py>> {
    let table = read(value, field, "it must be one row of numbers, such as [1.0, 0.0]")?;
    if table.is_single() || table.rows == 1 {
        return Ok(table);
    }
    Err(Fault::input(format!("{field} has the shape ({}, {}): it must be one row", table.rows, table.columns)))
}

/// An array of doubles as it is, if Rust can read it so: parts of records may stand at odd addresses.
fn plain<'py>(value: &Bound<'py, PyAny>) -> Option<Table<'py>> {
    if let Ok(array) = value.cast::<PyArray2<f64>>() {
        if !is_aligned(array.data(), array.strides()) {
            return None;
        }
        let (rows, columns) = (array.shape()[0], array.shape()[1]);
        return Some(Table { array: Numbers::Rows(array.try_readonly().ok()?), rows, columns });
    }
    let array = value.cast::<PyArray1<f64>>().ok()?;
    if !is_aligned(array.data(), array.strides()) {
        return None;
    }
    let columns = array.shape()[0];
    Some(Table { array: Numbers::Row(array.try_readonly().ok()?), rows: 1, columns })
}

fn is_aligned(data: *const f64, strides: &[isize]) -> bool {
    data.is_aligned() && strides.iter().all(|stride| stride % align_of::<f64>() as isize == 0)
}

/// What numpy makes of it, as doubles.
fn converted<'py>(value: &Bound<'py, PyAny>, field: &str) -> Result<Bound<'py, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let py = value.py();
    let numpy = NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py);
    if value.is_none() {
        return Err(Fault::input(format!("{field} is None: it must be an array of numbers")));
    }
    let words = |error: &PyErr| format!("{field} is not an array of numbers: {}", error.value(py));
    let array = numpy.call_method1("asarray", (value,)).map_err(|error| Fault::unreadable(py, error, words))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "f" | "i" | "u" | "b") {
        let dtype = array.getattr("dtype")?;
        return Err(Fault::input(format!(
            "{field} has the dtype {dtype}: it must be real numbers; convert it, for instance with {field}.astype(float)"
        )));
    }
    // A copy, aligned and in the byte order of the machine.
    Ok(numpy.call_method1("array", (array, "f8"))?)
}
