//! Arms that are given: in the experiment file, or in a file of their own.

use std::path::Path;

use optimist::arms::normalise;

use super::csv::{Lines, lines_of};
use crate::error::{Error, Result};
use crate::experiment::file::keys::DIMENSION_MOST;
use crate::experiment::file::table::{Field, Table};
use crate::experiment::{List, Redraw, Sample};
use crate::input::{quoted, shown_text};

/// Reads a list, with rounded unit vectors on the unit ball.
pub(super) fn read(table: &Table<'_, '_>, directory: &Path) -> Result<List> {
    let (mut arms, rates) = match (table.get("list")?, table.get("file")?) {
        (Some(_), Some(file)) => Err(file.refuse("is given beside list: remove one of them")),
        (Some(list), None) => Ok((equal_rows(&list, list.rows()?)?, listed_rates(table)?)),
        (None, Some(file)) => from_file(table, &file, directory),
        (None, None) => Err(Error::input(
            "environment.arms.list is missing: give a list of lists of finite numbers, or file = \"...\", a CSV file",
        )),
    }?;
    arms.iter_mut().for_each(|x| normalise(x));
    check_rates(table, &rates, arms.len())?;
    let sample = read_sample(table, arms.len())?;
    Ok(List { name: read_name(table)?, arms: arms.into(), rates: rates.into(), sample })
}

/// A list is called by its file, without directory and ending.
fn read_name(table: &Table<'_, '_>) -> Result<Option<String>> {
    table.get("file")?.map(|field| Ok(super::stem(&field.text()?))).transpose()
}

/// How many arms are drawn of those there are.
fn read_sample(table: &Table<'_, '_>, most: usize) -> Result<Option<Sample>> {
    let redraw_field = table.need("redraw")?;
    let redraw = redraw_field.word()?;
    let Some(field) = table.get("count")? else {
        return match redraw {
            Redraw::Run => Ok(None),
            Redraw::Round => {
                let remedy = "give count, how many of the list are drawn every round, or remove redraw";
                Err(redraw_field.refuse_value(format_args!("all arms of the list are there all the time; {remedy}")))
            }
        };
    };
    match field.size()? {
        count if count > most => {
            let what = format!("the list has {most} arms, and no arm is drawn twice; give {most} at most");
            Err(field.refuse_value(what))
        }
        count => Ok(Some(Sample { count, redraw })),
    }
}

/// Success probabilities beside a list in the experiment file.
fn listed_rates(table: &Table<'_, '_>) -> Result<Vec<f64>> {
    match table.get("rates")? {
        None => Ok(Vec::new()),
        Some(field) if field.is_text() => {
            Err(field.refuse_value("a column is one of file; beside list, give a list of probabilities"))
        }
        Some(field) => field.vector(),
    }
}

/// Arms and success probabilities in a file.
fn from_file(table: &Table<'_, '_>, file: &Field<'_, '_>, directory: &Path) -> Result<(Vec<Vec<f64>>, Vec<f64>)> {
    let Lines { header, rows } = lines_of(&directory.join(file.text()?)).map_err(|what| file.refuse_value(what))?;
    let rows = equal_rows(file, rows)?;
    match table.get("rates")? {
        Some(field) if field.is_text() => {
            let (name, columns) = (field.text()?, header.iter().map(String::as_str).collect::<Vec<_>>());
            let place = columns.iter().position(|column| *column == name);
            let place = place.filter(|place| *place < rows[0].len() && rows[0].len() > 1);
            let Some(place) = place else {
                let what = format!("the header of {} has ", shown_text(&file.text()?));
                let has = if columns.is_empty() { "no names".to_owned() } else { quoted(&columns) };
                return Err(field.refuse_value(format_args!("{what}{has}; name one of several columns")));
            };
            Ok(rows
                .into_iter()
                .map(|mut row| {
                    let rate = row.remove(place);
                    (row, rate)
                })
                .unzip())
        }
        Some(field) => Ok((rows, field.vector()?)),
        None => Ok((rows, Vec::new())),
    }
}

fn check_rates(table: &Table<'_, '_>, rates: &[f64], arms: usize) -> Result<()> {
    let Some(field) = table.get("rates")? else { return Ok(()) };
    if rates.len() != arms {
        return Err(field.refuse(format_args!("has {} probabilities: there are {arms} arms", rates.len())));
    }
    match rates.iter().position(|rate| !(0.0..=1.0).contains(rate)) {
        Some(i) => Err(field.refuse(format_args!("has {} for arm {}: a probability is from 0 to 1", rates[i], i + 1))),
        None => Ok(()),
    }
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
