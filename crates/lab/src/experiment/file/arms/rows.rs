//! Arms and contexts that are rows of a table.

use std::path::Path;

use super::stem;
use crate::error::Result;
use crate::experiment::file::columns::Columns;
use crate::experiment::file::encoder::Encoder;
use crate::experiment::file::table::Table;
use crate::experiment::{self, Redraw, Rows};

/// Reads the rows of a table, and says how features were made of its columns.
pub(super) fn read(table: &Table<'_, '_>, directory: &Path) -> Result<(experiment::Table, Encoder)> {
    let redraw = table.need("redraw")?;
    if table.has("redraw") && redraw.word::<Redraw>()? == Redraw::Run {
        return Err(redraw.refuse_value("every round has other rows of a table; remove redraw"));
    }
    let (file, count) = (table.need("file")?, table.need("count")?.size()?);
    let name = file.text()?;
    let chosen = table.get("columns")?.map(|field| field.texts()).transpose()?;
    let columns =
        Columns::read(&directory.join(&name), chosen.as_deref(), &[]).map_err(|what| file.refuse_value(what))?;
    let scale = table.need("scale")?.word()?;
    let encoder = Encoder::of(&columns, scale).map_err(|what| file.refuse_value(what))?;
    let width = encoder.width();
    let features = encoder.encode(&columns).map_err(|what| file.refuse_value(what))?;
    let rows = table.need("rows")?.word()?;
    let written_out = table.need("written_out")?;
    if table.has("written_out") && rows == Rows::Arms {
        return Err(written_out.refuse_value("it is for rows = \"context\"; remove it"));
    }
    let read = experiment::Table {
        name: stem(&name),
        digest: digest(&features, width),
        columns: columns.names(),
        order: table.need("order")?.word()?,
        scale,
        rows,
        count,
        written_out: written_out.truth()?,
        width,
        features: features.into(),
    };
    Ok((read, encoder))
}

/// A digest of the features, by which a file that has changed is noticed.
fn digest(features: &[f64], width: usize) -> String {
    let bytes: Vec<u8> = features.iter().flat_map(|v| v.to_le_bytes()).chain(width.to_le_bytes()).collect();
    format!("{:016x}", optimist::hash::bytes(&bytes))
}
