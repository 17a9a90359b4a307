//! Moments: seconds since 1970, or a text that says so in the form of RFC 3339.

/// Seconds since 1970 (UTC) of a text such as `2026-03-01`, `2026-03-01T12:30:00Z` or `2026-03-01 12:30:00.5+02:00`; a time without a zone
/// is one of UTC.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let (date, clock) = match text.trim().split_once(['T', 't', ' ']) {
        Some((date, clock)) => (date, clock),
        None => (text.trim(), "00:00:00Z"),
    };
    let mut parts = date.split('-');
    let (year, month, day) = (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || day < 1 || day > days_of(year, month) {
        return None;
    }
    let (clock, offset) = zone(clock)?;
    let mut parts = clock.split(':');
    let (hour, minute) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0.0), fraction)?;
    if parts.next().is_some() || hour > 23 || minute > 59 || !(0.0..61.0).contains(&second) {
        return None;
    }
    let minutes = (days_before(year, month, day) * 24 + hour) * 60 + minute - offset;
    Some(minutes as f64 * 60.0 + second)
}

/// Exactly so many digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn fraction(text: &str) -> Option<f64> {
    let plain = text.len() >= 2 && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    plain.then(|| text.parse().ok())?
}

/// A clock time without its zone, and the minutes that the zone is ahead of UTC.
fn zone(clock: &str) -> Option<(&str, i64)> {
    if let Some(clock) = clock.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = clock.rfind(['+', '-']) else { return Some((clock, 0)) };
    let (hours, minutes) = clock[at + 1..].split_once(':')?;
    let ahead = number(hours, 2)? * 60 + number(minutes, 2)?;
    Some((&clock[..at], if clock[at..].starts_with('-') { -ahead } else { ahead }))
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date. Years are counted from March, so that a leap day ends one.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// A point on the circle of a period: sine and cosine.
pub(super) fn on_circle(seconds: f64, period: f64) -> (f64, f64) {
    let turn = std::f64::consts::TAU * (seconds.rem_euclid(period) / period);
    // Not those of the system, which differ between machines.
    (libm::sin(turn), libm::cos(turn))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        // Found with `date -u -d TEXT +%s`.
        let known = [
            ("1970-01-01", 0.0),
            ("2000-02-29T12:00:00Z", 951_825_600.0),
            ("2026-03-01T12:30:00Z", 1_772_368_200.0),
            ("2026-03-01 14:30:00+02:00", 1_772_368_200.0),
            ("2026-03-01T12:30:00.5z", 1_772_368_200.5),
            ("1969-12-31T23:59:59-00:00", -1.0),
            ("2100-12-31T00:00", 4_133_894_400.0),
        ];
        for (text, expected) in known {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2026-02-29",
            "2026-13-01",
            "2026-1-1",
            "2026-01-01T25:00",
            "2026-01-01T10:00+2",
            "2026-01-01-01",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_circle_has_norm_one_and_repeats() {
        for s in [0.0, 1.0, 86_399.0, -5.0, 1.7e9] {
            let (sine, cosine) = on_circle(s, 86_400.0);
            assert!((sine * sine + cosine * cosine - 1.0).abs() < 1e-12);
            let (next, _) = on_circle(s + 86_400.0, 86_400.0);
            assert!((sine - next).abs() < 1e-9, "{s}");
        }
    }
}
