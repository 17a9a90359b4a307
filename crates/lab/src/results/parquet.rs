//! Results as Apache Parquet, for tools that read columns.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::cannot_write;
use super::rows::{Column, Frame, Read, Row};
use crate::error::{Error, Result};
use crate::store::Outcome;

/// Rows a group: what is in memory at a time, a few megabytes.
const GROUP: usize = 1 << 16;

/// Writes the table of [`write_csv`](super::write_csv) as Parquet: words as UTF-8 strings, counts as 64-bit integers,
/// figures as doubles, `in_set` as a boolean that is null if nobody looked; what a run lacks is null.
///
/// # Errors
/// [`Error::File`] if `out` fails, or a record lacks figures for a checkpoint.
pub fn write_parquet(outcome: &Outcome, out: impl Write + Send) -> Result<()> {
    let frame = Frame::of(outcome);
    let columns = frame.columns();
    let schema = schema(&columns).map_err(failed)?;
    let mut writer = SerializedFileWriter::new(out, schema, Arc::default()).map_err(failed)?;
    let mut all = frame.rows(outcome, &outcome.experiment.checkpoints);
    loop {
        let group: Vec<Row<'_>> = all.by_ref().take(GROUP).collect::<Result<_>>()?;
        if group.is_empty() {
            break;
        }
        write_group(&mut writer, &columns, &group).map_err(failed)?;
    }
    writer.close().map(drop).map_err(failed)
}

/// The columns as Parquet knows them.
fn schema(columns: &[Column<'_>]) -> ParquetResult<TypePtr> {
    let fields: ParquetResult<Vec<TypePtr>> = columns.iter().map(|column| field(column).map(Arc::new)).collect();
    Ok(Arc::new(Type::group_type_builder("results").with_fields(fields?).build()?))
}

fn field(column: &Column<'_>) -> ParquetResult<Type> {
    let (physical, logical, repetition) = match column.read {
        Read::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
        Read::Whole(_) => (Physical::INT64, None, Repetition::REQUIRED),
        Read::Number(_) => (Physical::DOUBLE, None, Repetition::REQUIRED),
        Read::Maybe(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
        Read::MaybeWhole(_) => (Physical::INT64, None, Repetition::OPTIONAL),
        Read::Truth(_) => (Physical::BOOLEAN, None, Repetition::OPTIONAL),
    };
    let builder = Type::primitive_type_builder(column.name, physical);
    builder.with_repetition(repetition).with_logical_type(logical).build()
}

fn write_group<'a, W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    columns: &[Column<'a>],
    rows: &[Row<'a>],
) -> ParquetResult<()> {
    let mut group = writer.next_row_group()?;
    for column in columns {
        let Some(mut chunk) = group.next_column()? else { break };
        write_chunk(&mut chunk, &column.read, rows)?;
        chunk.close()?;
    }
    group.close().map(drop)
}

/// Writes a column of a group.
fn write_chunk<'a>(chunk: &mut SerializedColumnWriter<'_>, read: &Read<'a>, rows: &[Row<'a>]) -> ParquetResult<()> {
    let rows = rows.iter();
    let written = match read {
        Read::Text(text) => {
            let texts: Vec<ByteArray> = rows.map(|row| ByteArray::from(text(row))).collect();
            chunk.typed::<ByteArrayType>().write_batch(&texts, None, None)
        }
        Read::Whole(count) => {
            // No program counts to 2^63.
            let counts: Vec<i64> = rows.map(|row| count(row) as i64).collect();
            chunk.typed::<Int64Type>().write_batch(&counts, None, None)
        }
        Read::Number(figure) => {
            let figures: Vec<f64> = rows.map(figure).collect();
            chunk.typed::<DoubleType>().write_batch(&figures, None, None)
        }
        Read::Maybe(figure) => {
            let (known, levels) = optional(rows.map(figure));
            chunk.typed::<DoubleType>().write_batch(&known, Some(&levels), None)
        }
        Read::MaybeWhole(count) => {
            let (known, levels) = optional(rows.map(|row| count(row).map(|count| count as i64)));
            chunk.typed::<Int64Type>().write_batch(&known, Some(&levels), None)
        }
        Read::Truth(truth) => {
            let (known, levels) = optional(rows.map(truth));
            chunk.typed::<BoolType>().write_batch(&known, Some(&levels), None)
        }
    };
    written.map(drop)
}

/// The values there are, and for every row level 1 if there is a value, level 0 if there is none.
fn optional<T>(values: impl Iterator<Item = Option<T>>) -> (Vec<T>, Vec<i16>) {
    let values: Vec<Option<T>> = values.collect();
    let levels = values.iter().map(|value| i16::from(value.is_some())).collect();
    (values.into_iter().flatten().collect(), levels)
}

fn failed(error: ParquetError) -> Error {
    let cause = match error {
        ParquetError::External(cause) => cause,
        other => Box::new(other),
    };
    match cause.downcast::<io::Error>() {
        Ok(error) => cannot_write(&error),
        Err(other) => cannot_write(&io::Error::other(other)),
    }
}
