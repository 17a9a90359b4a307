//! Lists of arms in CSV files.

use std::fs::{self, File};
use std::path::Path;

use optimist::arms::normalise;

use crate::error::{Error, Result};
use crate::experiment::file::keys::NUMBERS_MOST;
use crate::input::{short, shown_text};

/// A CSV file that is longer holds more numbers than are allowed.
const BYTES_MOST: u64 = 30 * NUMBERS_MOST as u64;

/// Reads arms from a CSV file: one arm per line, all of the same length; a first line without any number is a header.
/// Unit vectors that were rounded are put on the unit ball ([`normalise`]).
///
/// # Errors
/// If the file cannot be read, or holds anything else.
pub fn read_arms(path: &Path) -> Result<Vec<Vec<f64>>> {
    let name = path.display().to_string();
    // What the file system says begins with the name.
    let refuse = |what: String| Error::input(if what.starts_with(&name) { what } else { format!("{name}: {what}") });
    let mut rows = lines_of(path).map_err(refuse)?.rows;
    rows.iter_mut().for_each(|x| normalise(x));
    match rows.iter().position(|row| row.len() != rows[0].len()) {
        Some(i) => {
            let (first, number, other) = (rows[0].len(), i + 1, rows[i].len());
            Err(refuse(format!("arms have different lengths: arm 1 has {first}, arm {number} has {other}")))
        }
        None => Ok(rows),
    }
}

/// The rows of a file.
pub(super) struct Lines {
    /// The first line, if it has no numbers.
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<f64>>,
}

/// The rows of a file, or what is wrong with it.
pub(super) fn lines_of(path: &Path) -> std::result::Result<Lines, String> {
    let refuse = |e: &std::io::Error| Error::file(path, "read", e).to_string();
    let about = fs::metadata(path).map_err(|e| refuse(&e))?;
    if !about.is_file() || about.len() > BYTES_MOST {
        return Err(format!("it must be a file of at most {} bytes", short(BYTES_MOST as f64)));
    }
    let file = File::open(path).map_err(|e| refuse(&e))?;
    let mut lines = csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(file);
    let (mut header, mut rows) = (Vec::new(), Vec::new());
    for (i, record) in lines.records().enumerate() {
        let record = record.map_err(|_| "it is not text in UTF-8".to_owned())?;
        match record.iter().map(finite).collect::<std::result::Result<Vec<f64>, &str>>() {
            Ok(row) if (rows.len() + 1) * row.len() > NUMBERS_MOST => {
                return Err(format!("it has more than {} numbers", short(NUMBERS_MOST as f64)));
            }
            Ok(row) => rows.push(row),
            Err(_) if i == 0 && record.iter().all(is_word) => header = record.iter().map(str::to_owned).collect(),
            Err(cell) => {
                let line = record.position().map_or(0, csv::Position::line);
                let cell = shown_text(cell);
                return Err(format!(
                    "line {line} has {cell}, which is not a finite number (numbers are separated by commas)"
                ));
            }
        }
    }
    if rows.is_empty() { Err("it has no arms".to_owned()) } else { Ok(Lines { header, rows }) }
}

/// Whether it can be part of a header: no number, nor numbers separated by something else than commas.
fn is_word(cell: &str) -> bool {
    let mut parts = cell.split(|c: char| c == ';' || c.is_whitespace()).filter(|part| !part.is_empty());
    cell.is_empty() || !parts.all(|part| part.parse::<f64>().is_ok())
}

fn finite(cell: &str) -> std::result::Result<f64, &str> {
    cell.parse().ok().filter(|x: &f64| x.is_finite()).ok_or(cell)
}
