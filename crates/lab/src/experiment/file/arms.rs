//! Arms: what is drawn, what is a list, and lists in CSV files.

use std::fs::{self, File};
use std::path::Path;

use optimist::arms::normalise;

use super::keys::{DIMENSION_MOST, NUMBERS_MOST};
use super::table::{Field, Table};
use crate::error::{Error, Result};
use crate::experiment::{Arms, ArmsKind, Hybrid, Redraw};
use crate::input::{short, shown_text};

/// A CSV file that is longer holds more numbers than are allowed.
const BYTES_MOST: u64 = 30 * NUMBERS_MOST as u64;

/// Reads the arms; files are looked for in `directory`. Their length is checked when the dimension is known.
pub(super) fn read(table: &Table<'_, '_>, directory: &Path) -> Result<Arms> {
    let kind: ArmsKind = table.need("kind")?.word()?;
    if kind == ArmsKind::Hybrid {
        return hybrid(table).map(Arms::Hybrid);
    }
    refuse_hybrid(table, kind)?;
    match kind.shape() {
        Some(shape) => {
            let (redraw, count) = (table.need("redraw")?.word()?, table.need("count")?.size()?);
            refuse_list(table, kind)?;
            Ok(Arms::Drawn { shape, count, redraw })
        }
        None => {
            refuse_drawing(table, kind)?;
            given(table, kind, directory)
        }
    }
}

/// Arms with parameters of their own.
fn hybrid(table: &Table<'_, '_>) -> Result<Hybrid> {
    refuse_list(table, ArmsKind::Hybrid)?;
    let redraw = table.need("redraw")?;
    if table.has("redraw") && redraw.word::<Redraw>()? == Redraw::Run {
        return Err(redraw.refuse_value("hybrid arms are drawn every round; remove redraw"));
    }
    Ok(Hybrid {
        count: table.need("count")?.size()?,
        shared: table.need("shared")?.size()?,
        own: table.need("own")?.size()?,
        context: table.need("context")?.word()?,
        written_out: table.need("written_out")?.truth()?,
    })
}

/// Refuses what only arms with parameters of their own can have.
fn refuse_hybrid(table: &Table<'_, '_>, kind: ArmsKind) -> Result<()> {
    for name in ["shared", "own", "context", "written_out"] {
        if table.has(name) {
            let why = format!("it is for kind = \"hybrid\", and kind is \"{}\"; remove it", kind.name());
            return Err(table.need(name)?.refuse_value(why));
        }
    }
    Ok(())
}

/// Arms that are not drawn.
fn given(table: &Table<'_, '_>, kind: ArmsKind, directory: &Path) -> Result<Arms> {
    if kind == ArmsKind::List {
        return Ok(Arms::List { arms: read_list(table, directory)?, name: read_name(table)? });
    }
    refuse_list(table, kind)?;
    Ok(if kind == ArmsKind::Ball { Arms::Ball } else { Arms::Sphere })
}

/// Refuses what only arms that are drawn can have.
fn refuse_drawing(table: &Table<'_, '_>, kind: ArmsKind) -> Result<()> {
    let redraw = table.need("redraw")?;
    if redraw.word::<Redraw>()? == Redraw::Round {
        let remedy = "remove redraw, or choose a kind that ends in -sample";
        return Err(redraw.refuse_value(format_args!("arms of kind \"{}\" are not drawn; {remedy}", kind.name())));
    }
    match table.get("count")? {
        Some(field) => {
            Err(field.refuse_value(format_args!("arms of kind \"{}\" are not drawn; remove count", kind.name())))
        }
        None => Ok(()),
    }
}

/// Refuses what only a list can have.
fn refuse_list(table: &Table<'_, '_>, kind: ArmsKind) -> Result<()> {
    match table.get("list")?.or(table.get("file")?) {
        Some(field) => {
            Err(field.refuse(format_args!("is for kind = \"list\", and kind is \"{}\": remove it", kind.name())))
        }
        None => Ok(()),
    }
}

/// The list, in the file or in a file of its own, with rounded unit vectors on the unit ball.
fn read_list(table: &Table<'_, '_>, directory: &Path) -> Result<Vec<Vec<f64>>> {
    let mut arms = match (table.get("list")?, table.get("file")?) {
        (Some(_), Some(file)) => Err(file.refuse("is given beside list: remove one of them")),
        (Some(list), None) => equal_rows(&list, list.rows()?),
        (None, Some(file)) => equal_rows(&file, read_csv(&file, directory)?),
        (None, None) => Err(Error::input(
            "environment.arms.list is missing: give a list of lists of finite numbers, or file = \"...\", a CSV file",
        )),
    }?;
    arms.iter_mut().for_each(|x| normalise(x));
    Ok(arms)
}

/// A list is called by its file, without directory and ending.
fn read_name(table: &Table<'_, '_>) -> Result<Option<String>> {
    let Some(field) = table.get("file")? else { return Ok(None) };
    Ok(Path::new(&field.text()?).file_stem().map(|stem| stem.to_string_lossy().into_owned()))
}

/// Rows of the same length, or an error that names the first that differs.
fn equal_rows(field: &Field<'_, '_>, rows: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>> {
    let length = rows.first().map_or(0, Vec::len);
    match rows.iter().position(|row| row.len() != length) {
        Some(i) => {
            let (number, got) = (i + 1, rows[i].len());
            Err(field.refuse(format_args!("has arms of different lengths: arm 1 has {length}, arm {number} has {got}")))
        }
        None if length as u64 > DIMENSION_MOST => {
            Err(field.refuse(format_args!("has arms with {length} features: at most {DIMENSION_MOST} are allowed")))
        }
        None => Ok(rows),
    }
}

fn read_csv(field: &Field<'_, '_>, directory: &Path) -> Result<Vec<Vec<f64>>> {
    rows_of(&directory.join(field.text()?)).map_err(|what| field.refuse_value(what))
}

/// Reads arms from a CSV file: one arm per line, all of the same length; a first line without any number is a header.
/// Unit vectors that were rounded are put on the unit ball ([`normalise`]).
///
/// # Errors
/// If the file cannot be read, or holds anything else.
pub fn read_arms(path: &Path) -> Result<Vec<Vec<f64>>> {
    let name = path.display().to_string();
    // What the file system says begins with the name.
    let refuse = |what: String| Error::input(if what.starts_with(&name) { what } else { format!("{name}: {what}") });
    let mut rows = rows_of(path).map_err(refuse)?;
    rows.iter_mut().for_each(|x| normalise(x));
    match rows.iter().position(|row| row.len() != rows[0].len()) {
        Some(i) => {
            let (first, number, other) = (rows[0].len(), i + 1, rows[i].len());
            Err(refuse(format!("arms have different lengths: arm 1 has {first}, arm {number} has {other}")))
        }
        None => Ok(rows),
    }
}

/// The rows of a file, or what is wrong with it.
fn rows_of(path: &Path) -> std::result::Result<Vec<Vec<f64>>, String> {
    let refuse = |e: &std::io::Error| Error::file(path, "read", e).to_string();
    let about = fs::metadata(path).map_err(|e| refuse(&e))?;
    if !about.is_file() || about.len() > BYTES_MOST {
        return Err(format!("it must be a file of at most {} bytes", short(BYTES_MOST as f64)));
    }
    let file = File::open(path).map_err(|e| refuse(&e))?;
    let mut lines = csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(file);
    let mut rows = Vec::new();
    for (i, record) in lines.records().enumerate() {
        let record = record.map_err(|_| "it is not text in UTF-8".to_owned())?;
        match record.iter().map(finite).collect::<std::result::Result<Vec<f64>, &str>>() {
            Ok(row) if (rows.len() + 1) * row.len() > NUMBERS_MOST => {
                return Err(format!("it has more than {} numbers", short(NUMBERS_MOST as f64)));
            }
            Ok(row) => rows.push(row),
            Err(_) if i == 0 && record.iter().all(is_word) => {}
            Err(cell) => {
                let line = record.position().map_or(0, csv::Position::line);
                let cell = shown_text(cell);
                return Err(format!(
                    "line {line} has {cell}, which is not a finite number (numbers are separated by commas)"
                ));
            }
        }
    }
    if rows.is_empty() { Err("it has no arms".to_owned()) } else { Ok(rows) }
}

/// Whether it can be part of a header: no number, nor numbers separated by something else than commas.
fn is_word(cell: &str) -> bool {
    let mut parts = cell.split(|c: char| c == ';' || c.is_whitespace()).filter(|part| !part.is_empty());
    cell.is_empty() || !parts.all(|part| part.parse::<f64>().is_ok())
}

fn finite(cell: &str) -> std::result::Result<f64, &str> {
    cell.parse().ok().filter(|x: &f64| x.is_finite()).ok_or(cell)
}

/// Checks sizes, now that the dimension is known.
pub(super) fn check(table: &Table<'_, '_>, arms: &Arms, dimension: usize) -> Result<()> {
    if let Some(row) = arms.list().first().filter(|row| row.len() != dimension) {
        let field = table.need(if table.has("file") { "file" } else { "list" })?;
        return Err(field.refuse(format_args!("has arms with {} features: the dimension is {dimension}", row.len())));
    }
    let numbers = arms.count().unwrap_or(0).saturating_mul(dimension);
    if numbers > NUMBERS_MOST {
        let most = short(NUMBERS_MOST as f64);
        return Err(table.need("count")?.refuse_value(format_args!(
            "times the dimension {dimension} that makes {} numbers; at most {most} are allowed",
            short(numbers as f64)
        )));
    }
    Ok(())
}
