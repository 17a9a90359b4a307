//! Tables for the terminal.

use optimist_lab::report::cost_table;
use optimist_lab::results::PolicyCost;

/// Rows as lines of text, two spaces between columns: the first column flush left, the others flush right.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let first = format!("  {:1$}", row[0], widths[0]);
        let rest = row.iter().zip(&widths).skip(1).map(|(cell, width)| format!("  {cell:>width$}"));
        format!("{}\n", rest.fold(first, |line, cell| line + &cell).trim_end())
    };
    rows.iter().filter(|row| !row.is_empty()).map(line).collect()
}

/// What policies cost, the dearest by name.
pub(crate) fn costs(costs: &[PolicyCost]) -> String {
    let table = cost_table(costs, NAMED);
    aligned(&[vec![table.columns], table.rows].concat())
}

/// How many policies are named where it is said what they cost.
const NAMED: usize = 8;

/// A row of words.
pub(crate) fn words(row: &[&str]) -> Vec<String> {
    row.iter().map(|cell| (*cell).to_owned()).collect()
}
