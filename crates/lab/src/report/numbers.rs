//! Numbers as people read them.

/// Three significant digits, with thousands separated; very large and very small ones as powers of ten, whole ones without
/// decimals.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() { "-".to_owned() } else { value.to_string() };
    }
    if (999.5..1e9).contains(&size) {
        let whole = count(size.round() as u64);
        return if value < 0.0 { format!("-{whole}") } else { whole };
    }
    if size != 0.0 && !(1e-3..1e9).contains(&size) {
        return format!("{value:.1e}");
    }
    let decimals = match size {
        _ if size >= 99.95 || (size - size.round()).abs() <= 1e-12 * size => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.9995 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// A whole number with thousands separated.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A fraction in percent.
pub fn percent(value: f64) -> String {
    format!("{}%", number(100.0 * value))
}

/// A time in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{} µs", number(1e6 * s)),
        s if s < 1.0 => format!("{} ms", number(1e3 * s)),
        s if s < 120.0 => format!("{} s", number(s)),
        s => format!("{} min", number(s / 60.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (0.01234, "0.012"),
            (1.2345, "1.23"),
            (-12.345, "-12.3"),
            (123.45, "123"),
            (999.7, "1,000"),
            (-1234.5, "-1,235"),
            (1234567.0, "1,234,567"),
            (1.5e9, "1.5e9"),
            (1e-5, "1.0e-5"),
            (f64::NAN, "-"),
            (f64::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text, "{value}");
        }
        assert_eq!((count(7), count(1000), count(1234567)), ("7".into(), "1,000".into(), "1,234,567".into()));
        assert_eq!((percent(0.05), duration(0.002)), ("5%".into(), "2 ms".into()));
    }
}
