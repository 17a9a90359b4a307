//! Arms: what may be played. Every kind that has keys of its own is a file.

mod categories;
mod csv;
mod gaussian;
mod hybrid;
mod list;
mod rows;

use std::path::Path;

pub use self::csv::read_arms;
use super::encoder::Encoder;
use super::keys::NUMBERS_MOST;
use super::table::Table;
use crate::error::Result;
use crate::experiment::{Arms, ArmsKind, Redraw};
use crate::input::short;

/// Keys that only some kinds of arms have.
const KINDS_OF: &[(&str, &[ArmsKind])] = &[
    ("shared", &[ArmsKind::Hybrid]),
    ("own", &[ArmsKind::Hybrid]),
    ("context", &[ArmsKind::Hybrid]),
    ("written_out", &[ArmsKind::Hybrid, ArmsKind::Table]),
    ("list", &[ArmsKind::List]),
    ("file", &[ArmsKind::List, ArmsKind::Table]),
    ("rates", &[ArmsKind::List]),
    ("correlation", &[ArmsKind::Gaussian]),
    ("form", &[ArmsKind::Gaussian]),
    ("levels", &[ArmsKind::Categories]),
    ("weights", &[ArmsKind::Categories]),
    ("columns", &[ArmsKind::Table]),
    ("rows", &[ArmsKind::Table]),
    ("order", &[ArmsKind::Table]),
    ("scale", &[ArmsKind::Table]),
];

/// Reads the arms; files are looked for in `directory`. Beside those that are rows of a table, what made features of its
/// columns. Their length is checked when the dimension is known.
pub(super) fn read(table: &Table<'_, '_>, directory: &Path) -> Result<(Arms, Option<Encoder>)> {
    let kind: ArmsKind = table.need("kind")?.word()?;
    refuse_others(table, kind)?;
    let arms = match kind {
        ArmsKind::Hybrid => Arms::Hybrid(hybrid::read(table)?),
        ArmsKind::List => Arms::List(list::read(table, directory)?),
        ArmsKind::Gaussian => Arms::Gaussian(gaussian::read(table)?),
        ArmsKind::Categories => Arms::Categories(categories::read(table)?),
        ArmsKind::Table => {
            let (rows, encoder) = rows::read(table, directory)?;
            return Ok((Arms::Table(rows), Some(encoder)));
        }
        _ => match kind.shape() {
            Some(shape) => {
                let (redraw, count) = (table.need("redraw")?.word()?, table.need("count")?.size()?);
                Arms::Drawn { shape, count, redraw }
            }
            None => {
                refuse_drawing(table, kind)?;
                if kind == ArmsKind::Ball { Arms::Ball } else { Arms::Sphere }
            }
        },
    };
    Ok((arms, None))
}

/// Refuses what only other kinds of arms can have.
fn refuse_others(table: &Table<'_, '_>, kind: ArmsKind) -> Result<()> {
    for (name, kinds) in KINDS_OF {
        if !table.has(name) || kinds.contains(&kind) {
            continue;
        }
        let (field, is) = (table.need(name)?, kind.name());
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
        let kinds = kinds.join(" or ");
        return Err(match *name {
            "list" => field.refuse(format_args!("is for kind = {kinds}, and kind is \"{is}\": remove it")),
            _ => field.refuse_value(format_args!("it is for kind = {kinds}, and kind is \"{is}\"; remove it")),
        });
    }
    Ok(())
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

/// The name of a file without directory and ending, by which reports call what is in it.
pub(super) fn stem(path: &str) -> String {
    Path::new(path).file_stem().map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Checks sizes, now that the dimension is known.
pub(super) fn check(table: &Table<'_, '_>, arms: &Arms, dimension: usize) -> Result<()> {
    if let Some(width) = arms.width().filter(|width| *width != dimension) {
        let field =
            table.need(["file", "list", "levels"].into_iter().find(|name| table.has(name)).unwrap_or("kind"))?;
        return Err(field.refuse(format_args!("has arms with {width} features: the dimension is {dimension}")));
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
