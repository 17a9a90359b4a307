//! Results as comma-separated values.

use std::io::{self, Write};

use super::cannot_write;
use super::rows::{Frame, Read, Row};
use crate::error::{Error, Result};
use crate::store::Outcome;

/// Writes the results as comma-separated values with a header: one row per environment, policy, run and checkpoint.
///
/// Numbers have as many digits as it takes to read the same double back. `in_set` is `true`, `false`, or empty if nobody
/// looked; what a run lacks is empty. Fields are quoted where they must be.
///
/// # Errors
/// [`Error::File`] if `out` fails, or a record lacks figures for a checkpoint.
pub fn write_csv(outcome: &Outcome, out: impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let frame = Frame::of(outcome);
    let columns = frame.columns();
    writer.write_record(columns.iter().map(|column| column.name)).map_err(failed)?;
    let mut field = Vec::new();
    for row in frame.rows(outcome, &outcome.experiment.checkpoints) {
        let row = row?;
        for column in &columns {
            field.clear();
            write_cell(&mut field, &column.read, &row).map_err(|e| cannot_write(&e))?;
            writer.write_field(&field).map_err(failed)?;
        }
        writer.write_record(None::<&[u8]>).map_err(failed)?;
    }
    writer.flush().map_err(|e| cannot_write(&e))
}

fn write_cell<'a>(out: &mut Vec<u8>, read: &Read<'a>, row: &Row<'a>) -> io::Result<()> {
    match read {
        Read::Text(text) => out.write_all(text(row).as_bytes()),
        Read::Whole(count) => write!(out, "{}", count(row)),
        Read::Number(figure) => write!(out, "{}", figure(row)),
        Read::Maybe(figure) => figure(row).map_or(Ok(()), |figure| write!(out, "{figure}")),
        Read::MaybeWhole(count) => count(row).map_or(Ok(()), |count| write!(out, "{count}")),
        Read::Truth(truth) => truth(row).map_or(Ok(()), |truth| write!(out, "{truth}")),
    }
}

fn failed(error: csv::Error) -> Error {
    cannot_write(&io::Error::from(error))
}
