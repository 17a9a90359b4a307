//! Whether a text is a point in time.

use chrono::{DateTime, NaiveDate, NaiveDateTime};

use super::TimeForm;

pub(super) fn form(text: &str) -> Option<TimeForm> {
    // Nearly every text that is no time is cleared by its first bytes, and parsing takes longer.
    let bytes = text.as_bytes();
    if bytes.len() < 10 || bytes.len() > 40 || bytes[4] != b'-' || !bytes[0].is_ascii_digit() {
        return None;
    }
    if NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok() {
        return Some(TimeForm::Date);
    }
    let without_offset = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    let is_time = DateTime::parse_from_rfc3339(text).is_ok()
        || without_offset.iter().any(|form| NaiveDateTime::parse_from_str(text, form).is_ok());
    is_time.then_some(TimeForm::Rfc3339)
}
