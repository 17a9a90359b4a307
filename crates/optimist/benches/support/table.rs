#![allow(dead_code, unreachable_pub)]
//! A table of comma-separated text without a header whose last column is a class.
//!
//! Nothing is guessed that could be wrong without a trace: a column holds numbers or levels, and one that mixes the two is
//! refused with the line that does not fit.

use std::collections::BTreeSet;

/// What stands for a value that is not known.
const MISSING: &str = "?";

/// The columns and the class of every row.
#[derive(Debug, PartialEq)]
pub struct Table {
    pub columns: Vec<Column>,
    /// The names of the classes, in order.
    pub classes: Vec<String>,
    /// The class of every row, by its place among the names.
    pub class_of: Vec<usize>,
}

/// A column, in the order of the rows.
#[derive(Debug, PartialEq)]
pub enum Column {
    /// Numbers; none where one is missing.
    Numbers(Vec<Option<f64>>),
    /// Names of the levels in order, of which a missing value is one, and the level of every row.
    Levels { names: Vec<String>, of: Vec<usize> },
}

impl Table {
    /// Reads a table; an error says what is wrong, and in which line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines = fields(text)?;
        let width = lines[0].1.len();
        let columns = (0..width - 1).map(|column| Column::parse(&lines, column)).collect::<Result<_, _>>()?;
        if let Some((line, _)) = lines.iter().find(|(_, fields)| is_missing(fields[width - 1])) {
            return Err(format!("line {line} has no class in its last column"));
        }
        let (classes, class_of) = levels(&lines, width - 1);
        if classes.len() < 2 {
            return Err(format!("all rows have the class \"{}\" in their last column", classes[0]));
        }
        Ok(Self { columns, classes, class_of })
    }

    pub fn rows(&self) -> usize {
        self.class_of.len()
    }
}

/// A line that is not empty: its number from one, and its fields.
type Line<'a> = (usize, Vec<&'a str>);

fn fields(text: &str) -> Result<Vec<Line<'_>>, String> {
    let lines: Vec<Line<'_>> = (text.lines().enumerate())
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| (number + 1, line.split(',').map(str::trim).collect()))
        .collect();
    let Some((first, fields)) = lines.first() else { return Err("there are no rows".into()) };
    if fields.len() < 2 {
        return Err(format!("line {first} has one field: features and a class are needed, with commas between them"));
    }
    if let Some((line, other)) = lines.iter().find(|(_, other)| other.len() != fields.len()) {
        return Err(format!("line {line} has {} fields, but line {first} has {}", other.len(), fields.len()));
    }
    Ok(lines)
}

impl Column {
    fn parse(lines: &[Line<'_>], column: usize) -> Result<Self, String> {
        let known = lines.iter().filter(|(_, fields)| !is_missing(fields[column]));
        let is_number = |fields: &[&str]| number(fields[column]).is_some();
        let Some((first, fields)) = known.clone().next() else {
            return Err(format!("column {} has no value in any row", column + 1));
        };
        let numeric = is_number(fields);
        let other = known.clone().find(|(_, fields)| is_number(fields) != numeric);
        if let Some((line, odd)) = other {
            let (is, is_not) = if numeric { ("a number", "none") } else { ("no number", "one") };
            return Err(format!(
                "column {} has \"{}\" in line {first}, which is {is}, and \"{}\" in line {line}, which is {is_not}",
                column + 1,
                fields[column],
                odd[column]
            ));
        }
        if numeric {
            return Ok(Column::Numbers(lines.iter().map(|(_, fields)| number(fields[column])).collect()));
        }
        let (names, of) = levels(lines, column);
        Ok(Column::Levels { names, of })
    }
}

/// The names that stand in a column, in order, and the place of that of every row.
fn levels(lines: &[Line<'_>], column: usize) -> (Vec<String>, Vec<usize>) {
    let name =
        |fields: &[&str]| if is_missing(fields[column]) { MISSING.to_owned() } else { fields[column].to_owned() };
    let names: BTreeSet<String> = lines.iter().map(|(_, fields)| name(fields)).collect();
    let names: Vec<String> = names.into_iter().collect();
    // Every name was just put there.
    let of = lines.iter().map(|(_, fields)| names.binary_search(&name(fields)).unwrap_or(0)).collect();
    (names, of)
}

fn is_missing(field: &str) -> bool {
    field.is_empty() || field == MISSING
}

/// A finite number. "inf" and "nan" are words here.
fn number(field: &str) -> Option<f64> {
    field.parse().ok().filter(|value: &f64| value.is_finite())
}
