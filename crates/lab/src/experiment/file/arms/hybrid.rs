//! Arms with parameters of their own.

use crate::error::Result;
use crate::experiment::file::table::Table;
use crate::experiment::{Hybrid, Redraw};

pub(super) fn read(table: &Table<'_, '_>) -> Result<Hybrid> {
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
