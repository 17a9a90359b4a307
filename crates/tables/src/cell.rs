//! One value of a table.

use std::borrow::Cow;

/// One value of a table.
///
/// A number is always finite, in a vector as well. What no `f64` holds stays text, so that nothing is rounded unseen:
/// infinities, `1e400`, and whole numbers that an `f64` would change, such as 9007199254740993.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// No value.
    #[default]
    Missing,
    /// True or false.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// Anything else.
    Text(String),
    /// Several finite numbers in one cell: an array in JSON, a list in Parquet.
    Vector(Vec<f64>),
}

impl Cell {
    /// Whether there is no value.
    pub fn is_missing(&self) -> bool {
        matches!(self, Cell::Missing)
    }

    /// The number, if it is one; true is 1 and false is 0. Text is never a number.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Cell::Number(number) => Some(number),
            Cell::Bool(bool) => Some(f64::from(u8::from(bool))),
            _ => None,
        }
    }

    /// The text, if it is text.
    pub fn text(&self) -> Option<&str> {
        if let Cell::Text(text) = self { Some(text) } else { None }
    }

    /// The numbers, if it is a vector.
    pub fn vector(&self) -> Option<&[f64]> {
        if let Cell::Vector(vector) = self { Some(vector) } else { None }
    }

    /// The value in words, for categories and messages: `5` and not `5.0`; a vector as `[1,2.5]`; nothing if missing.
    ///
    /// Two cells with the same value have the same label in every format.
    pub fn label(&self) -> Cow<'_, str> {
        match self {
            Cell::Missing => Cow::Borrowed(""),
            Cell::Bool(bool) => Cow::Borrowed(if *bool { "true" } else { "false" }),
            Cell::Number(number) => Cow::Owned(number_label(*number)),
            Cell::Text(text) => Cow::Borrowed(text),
            Cell::Vector(vector) => {
                Cow::Owned(format!("[{}]", vector.iter().map(|&v| number_label(v)).collect::<Vec<_>>().join(",")))
            }
        }
    }

    /// Makes it text, in the memory of the text it was.
    pub(crate) fn set_text(&mut self, text: &str) {
        if let Cell::Text(old) = self {
            old.clear();
            old.push_str(text);
        } else {
            *self = Cell::Text(text.to_owned());
        }
    }

    /// A number of a format that has infinities and NaN: the first are text, the second is missing.
    pub(crate) fn of_float(number: f64) -> Self {
        if number.is_finite() {
            Cell::Number(number)
        } else if number.is_nan() {
            Cell::Missing
        } else {
            Cell::Text(number.to_string())
        }
    }

    /// A whole number, as text if an `f64` would change it.
    pub(crate) fn of_whole(whole: i128) -> Self {
        let number = whole as f64;
        if number as i128 == whole { Cell::Number(number) } else { Cell::Text(whole.to_string()) }
    }
}

/// Without a sign for zero, and without hundreds of zeros where numbers are huge.
fn number_label(number: f64) -> String {
    if number == 0.0 {
        "0".to_owned()
    } else if (1e-5..1e17).contains(&number.abs()) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}
