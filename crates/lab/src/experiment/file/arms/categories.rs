//! Arms that are categories.

use crate::error::Result;
use crate::experiment::Categories;
use crate::experiment::file::keys::DIMENSION_MOST;
use crate::experiment::file::table::Table;

pub(super) fn read(table: &Table<'_, '_>) -> Result<Categories> {
    let (count, redraw) = (table.need("count")?.size()?, table.need("redraw")?.word()?);
    let levels = read_levels(table)?;
    Ok(Categories { count, redraw, weights: read_weights(table, &levels)?, levels })
}

fn read_levels(table: &Table<'_, '_>) -> Result<Vec<usize>> {
    let field = table.need("levels")?;
    let levels = field.wholes()?;
    let sum = levels.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
    match sum {
        0 => Err(field.wrong()),
        sum if sum > DIMENSION_MOST => {
            Err(field.refuse(format_args!("makes {sum} features: at most {DIMENSION_MOST} are allowed")))
        }
        _ => Ok(levels.into_iter().map(|count| count as usize).collect()),
    }
}

/// As many weights as levels, none negative, and not all zero.
fn read_weights(table: &Table<'_, '_>, levels: &[usize]) -> Result<Vec<Vec<f64>>> {
    let Some(field) = table.get("weights")? else { return Ok(Vec::new()) };
    let weights = field.rows()?;
    if weights.len() != levels.len() {
        let (found, wanted) = (weights.len(), levels.len());
        return Err(
            field.refuse(format_args!("has {found} lists: levels has {wanted} variables, give a list for each"))
        );
    }
    for (i, (weights, levels)) in weights.iter().zip(levels).enumerate() {
        let (variable, found, sum) = (i + 1, weights.len(), weights.iter().sum::<f64>());
        if found != *levels {
            return Err(
                field.refuse(format_args!("has {found} weights for variable {variable}, which has {levels} levels"))
            );
        }
        if weights.iter().any(|weight| *weight < 0.0) || !(sum > 0.0 && sum.is_finite()) {
            let what = "must not be negative, nor all be zero";
            return Err(field.refuse(format_args!("has weights for variable {variable} that cannot be: they {what}")));
        }
    }
    Ok(weights)
}
