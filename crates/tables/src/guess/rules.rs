//! The rules, in the order of the documentation of [`guess`](super::guess).

use super::column::Column;
use super::{Guess, Kind, TimeForm, names};

/// From 2001-09-09, when seconds got their tenth digit, to 2100.
const SECONDS: (f64, f64) = (1e9, 4_102_444_800.0);
/// Pairs that mean no and yes.
const PAIRS: [[&str; 2]; 5] = [["false", "true"], ["0", "1"], ["no", "yes"], ["n", "y"], ["f", "t"]];

type Verdict = (Kind, String, Option<&'static str>);

pub(super) fn decide(column: &Column, rows: u64) -> Guess {
    let (kind, why, otherwise) = verdict(column, rows);
    Guess {
        column: column.name.clone(),
        kind,
        why,
        otherwise,
        distinct: column.distinct(),
        missing: column.missing,
        rows,
        example: column.example.clone(),
    }
}

fn verdict(column: &Column, rows: u64) -> Verdict {
    constant(column, rows)
        .or_else(|| vector(column))
        .or_else(|| boolean(column))
        .or_else(|| time(column))
        .or_else(|| number(column))
        .unwrap_or_else(|| words(column))
}

fn constant(column: &Column, rows: u64) -> Option<Verdict> {
    let why = match (column.distinct_count(), &column.example) {
        (0, _) if rows == 0 => "has no rows".to_owned(),
        (0, _) => format!("has no value in {}", counted(rows, "row")),
        (1, Some(example)) => format!("is always `{example}`"),
        _ => return None,
    };
    Some((Kind::Constant, why, None))
}

fn vector(column: &Column) -> Option<Verdict> {
    let length = column.length().filter(|_| column.vectors == column.values())?;
    Some((Kind::Vector(length), format!("has {} in each cell", counted(length as u64, "number")), None))
}

fn boolean(column: &Column) -> Option<Verdict> {
    let mut two = column.two.clone();
    two.sort();
    let pair = PAIRS.iter().find(|pair| two == **pair)?;
    let otherwise = (pair[0] == "0").then_some("number");
    Some((Kind::Boolean, format!("is either {} or {}", pair[0], pair[1]), otherwise))
}

fn time(column: &Column) -> Option<Verdict> {
    if column.texts == column.values() {
        let form = column.time()?;
        let what = if form == TimeForm::Date { "dates" } else { "dates with times" };
        return Some((Kind::Time(form), format!("has {what}"), None));
    }
    if column.wholes != column.values() || names::is_identifier(&column.name) {
        return None;
    }
    let range = column.range?;
    let is_within = |scale: f64| range.0 >= SECONDS.0 * scale && range.1 <= SECONDS.1 * scale;
    let (form, unit) = if is_within(1.0) {
        (TimeForm::UnixSeconds, "seconds")
    } else if is_within(1000.0) {
        (TimeForm::UnixMilliseconds, "milliseconds")
    } else {
        return None;
    };
    let why = format!("has whole numbers that are {unit} since 1970 of the years 2001 to 2100");
    Some((Kind::Time(form), why, Some("number")))
}

fn number(column: &Column) -> Option<Verdict> {
    if column.numbers != column.values() {
        return None;
    }
    let levels = column.distinct_count();
    let category = Kind::Category { levels };
    let seen =
        format!("has {} different {}", column.distinct(), if is_whole(column) { "whole numbers" } else { "numbers" });
    if !is_whole(column) {
        return Some((Kind::Number, seen, None));
    }
    Some(if column.is_counting && levels >= 20 {
        (Kind::Identifier, "counts the rows".to_owned(), Some("number"))
    } else if names::is_identifier(&column.name) {
        if column.is_nearly_all_different() {
            let why = "is a whole number that is different in nearly every row, and is named like an identifier";
            (Kind::Identifier, why.to_owned(), Some("number"))
        } else {
            (category, format!("{seen} and is named like an identifier"), Some("number"))
        }
    } else if names::is_code(&column.name) {
        (category, format!("{seen} and is named like a code"), Some("number"))
    } else if levels == 2 {
        (category, format!("has only the numbers {}", column.two.join(" and ")), Some("number"))
    } else {
        // With few values it may be either. A number loses less if it was a category than the other way round.
        let otherwise = if levels <= 20 { Some("category") } else { None };
        (Kind::Number, seen, otherwise)
    })
}

fn is_whole(column: &Column) -> bool {
    column.wholes == column.numbers
}

fn words(column: &Column) -> Verdict {
    let levels = column.distinct_count();
    let mut seen = format!("has {} different values", column.distinct());
    if column.vectors > 0 {
        seen = format!("has lists that are not numbers of one length, {} different ones", column.distinct());
    } else if column.numbers > 0 && column.texts > 0 {
        let text = column.first_text.as_deref().unwrap_or_default();
        seen = format!(
            "has {}, but also {} such as `{text}`",
            counted(column.numbers, "number"),
            counted(column.texts, "text")
        );
        if column.numbers > 9 * column.texts {
            seen += " (put it among the missing words if it means that there is no value)";
        }
    }
    if column.commas > 0 && column.commas + column.numbers == column.values() {
        seen += ", which are numbers if the comma is a decimal point (decimal_comma)";
    }
    if column.vectors > 0 || (column.words >= 3 * column.texts.max(1) && levels > 20) {
        let per_cell = column.words as f64 / column.texts.max(1) as f64;
        let why = if column.vectors > 0 { seen } else { format!("{seen} of {per_cell:.0} words on average") };
        return (Kind::Text, why, None);
    }
    if column.is_nearly_all_different() {
        let why = if column.numbers + column.commas > 0 {
            format!("{seen}, different in nearly every row")
        } else {
            "is different in nearly every row".to_owned()
        };
        return (Kind::Identifier, why, Some("category"));
    }
    let otherwise = (names::is_identifier(&column.name)).then_some("identifier");
    (Kind::Category { levels }, seen, otherwise)
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
