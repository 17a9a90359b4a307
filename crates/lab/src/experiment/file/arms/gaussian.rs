//! Arms with normal features.

use crate::error::Result;
use crate::experiment::file::table::Table;
use crate::experiment::{Form, Gaussian};

pub(super) fn read(table: &Table<'_, '_>) -> Result<Gaussian> {
    let (field, form) = (table.need("correlation")?, table.need("form")?.word()?);
    let correlation = field.number()?;
    if form == Form::Equal && correlation < 0.0 {
        let what = "more features than a few cannot all have a negative correlation; give 0 or more, or form = \"ar1\"";
        return Err(field.refuse_value(what));
    }
    Ok(Gaussian { count: table.need("count")?.size()?, redraw: table.need("redraw")?.word()?, correlation, form })
}
