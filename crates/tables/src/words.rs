//! From the text of a field to a cell: what is missing, what is a number, what stays text.

use crate::{Cell, Options};

/// Which texts are not just text.
#[derive(Debug)]
pub(crate) struct Words {
    missing: Vec<String>,
    /// By first byte in small letters: whether a missing word starts with it. Most fields are cleared by this alone.
    starts: [bool; 256],
    empty: bool,
    decimal_comma: bool,
}

impl Words {
    pub(crate) fn new(options: &Options) -> Self {
        let missing: Vec<String> = options.missing.iter().map(|word| word.trim().to_owned()).collect();
        let mut starts = [false; 256];
        for byte in missing.iter().filter_map(|word| word.bytes().next()) {
            starts[usize::from(byte.to_ascii_lowercase())] = true;
        }
        let empty = missing.iter().any(String::is_empty);
        Self { missing, starts, empty, decimal_comma: options.decimal_comma }
    }

    /// Whether a trimmed text means "no value".
    pub(crate) fn is_missing(&self, text: &str) -> bool {
        let Some(first) = text.bytes().next() else { return self.empty };
        self.starts[usize::from(first.to_ascii_lowercase())]
            && self.missing.iter().any(|word| word.eq_ignore_ascii_case(text))
    }

    /// The text of a format that knows which values are text: missing, or text as it is.
    pub(crate) fn read_text(&self, text: &str, cell: &mut Cell) {
        if self.is_missing(text.trim()) {
            *cell = Cell::Missing;
        } else {
            cell.set_text(text);
        }
    }

    /// The text of a format that knows only text. White space around it is no part of it.
    pub(crate) fn read_field(&self, field: &str, cell: &mut Cell) {
        let field = field.trim();
        if self.is_missing(field) {
            *cell = Cell::Missing;
        } else if let Some(number) = self.number(field) {
            *cell = Cell::Number(number);
        } else if matches!(field, "true" | "True" | "TRUE") {
            *cell = Cell::Bool(true);
        } else if matches!(field, "false" | "False" | "FALSE") {
            *cell = Cell::Bool(false);
        } else {
            cell.set_text(field);
        }
    }

    fn number(&self, field: &str) -> Option<f64> {
        // This also refuses "inf" and "nan", which the parser of the standard library takes for numbers.
        let unsigned = field.strip_prefix(['-', '+']).unwrap_or(field);
        let bytes = unsigned.as_bytes();
        if !matches!(bytes.first(), Some(b'0'..=b'9' | b'.')) {
            return None;
        }
        // Codes are written with leading zeros, numbers are not: 02139 is a place in Massachusetts.
        if bytes[0] == b'0' && bytes.get(1).is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let number: f64 = match field.parse() {
            Ok(number) => number,
            Err(_) if self.decimal_comma && is_with_comma(field) => field.replacen(',', ".", 1).parse().ok()?,
            Err(_) => return None,
        };
        // Up to 15 digits are always exact.
        if bytes.len() > 15 && bytes.iter().all(u8::is_ascii_digit) {
            let exact = unsigned.parse::<i128>().is_ok_and(|whole| number.abs() as i128 == whole);
            return exact.then_some(number);
        }
        number.is_finite().then_some(number)
    }
}

/// Whether it could be a number whose decimal point is a comma.
pub(crate) fn is_with_comma(text: &str) -> bool {
    text.matches(',').count() == 1
        && !text.contains('.')
        && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'-' | b'+' | b'e' | b'E'))
        && text.replacen(',', ".", 1).parse::<f64>().is_ok()
}
