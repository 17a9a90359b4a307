//! Counts in sentences.

use crate::report::count;

/// "1 row", "2 rows".
pub(super) fn counted(number: usize, what: &str) -> String {
    format!("{} {what}{}", count(number as u64), if number == 1 { "" } else { "s" })
}

/// "1 row without a label is left out", "2 rows without a label are left out".
pub(super) fn left_out(number: usize, what: &str, rest: &str) -> String {
    format!("{} {rest} {} left out", counted(number, what), if number == 1 { "is" } else { "are" })
}

/// A number of mistakes: whole, or with one decimal where that says something.
pub fn tidy(value: f64) -> String {
    let tenths = (10.0 * value).round() as u64;
    match tenths % 10 {
        0 => count(tenths / 10),
        _ if value >= 1000.0 => count(value.round() as u64),
        tenth => format!("{}.{tenth}", count(tenths / 10)),
    }
}
