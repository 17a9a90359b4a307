//! Tables made for the tests, and short ways to read them.

use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use optimist_tables::{Cell, Error, Options, Table};
use parquet::basic::Compression as Codec;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

pub(crate) fn open(bytes: impl Into<Vec<u8>>, options: &Options) -> Result<Table, Error> {
    Table::from_reader("test", Cursor::new(bytes.into()), options)
}

pub(crate) fn table(bytes: impl Into<Vec<u8>>) -> Table {
    open(bytes, &Options::default()).unwrap()
}

/// Why a table cannot be opened, or not read to its end.
pub(crate) fn fault(bytes: impl Into<Vec<u8>>, options: &Options) -> String {
    let mut table = match open(bytes, options) {
        Ok(table) => table,
        Err(error) => return error.to_string(),
    };
    let fault = table.rows().find_map(Result::err);
    fault.expect("there should be an error").to_string()
}

pub(crate) fn cells(table: &mut Table) -> Vec<Vec<Cell>> {
    table.rows().map(|row| row.unwrap().cells().to_vec()).collect()
}

pub(crate) fn names(table: &Table) -> Vec<&str> {
    table.columns().iter().map(AsRef::as_ref).collect()
}

pub(crate) fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A file that is deleted with the directory.
pub(crate) fn save(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("table.dat");
    std::fs::write(&path, bytes).unwrap();
    (directory, path)
}

/// Values of one stored column with their levels.
#[derive(Clone)]
pub(crate) enum Stored {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Int96(Vec<[u32; 3]>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<Vec<u8>>),
}

pub(crate) struct StoredColumn {
    pub(crate) values: Stored,
    pub(crate) definitions: Option<Vec<i16>>,
    pub(crate) repetitions: Option<Vec<i16>>,
}

impl StoredColumn {
    pub(crate) fn required(values: Stored) -> Self {
        Self { values, definitions: None, repetitions: None }
    }

    pub(crate) fn with_levels(values: Stored, definitions: &[i16], repetitions: &[i16]) -> Self {
        let repetitions = (!repetitions.is_empty()).then(|| repetitions.to_vec());
        Self { values, definitions: Some(definitions.to_vec()), repetitions }
    }
}

/// A Parquet file with these row groups.
pub(crate) fn parquet(schema: &str, groups: &[Vec<StoredColumn>], codec: Codec) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    // Small pages, so that a row group has several.
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_data_page_row_count_limit(300)
        .set_write_batch_size(100)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for columns in groups {
        let mut group = writer.next_row_group().unwrap();
        for column in columns {
            let mut stored = group.next_column().unwrap().unwrap();
            let (d, r) = (column.definitions.as_deref(), column.repetitions.as_deref());
            match (stored.untyped(), &column.values) {
                (ColumnWriter::BoolColumnWriter(w), Stored::Bool(v)) => w.write_batch(v, d, r).unwrap(),
                (ColumnWriter::Int32ColumnWriter(w), Stored::Int32(v)) => w.write_batch(v, d, r).unwrap(),
                (ColumnWriter::Int64ColumnWriter(w), Stored::Int64(v)) => w.write_batch(v, d, r).unwrap(),
                (ColumnWriter::FloatColumnWriter(w), Stored::Float(v)) => w.write_batch(v, d, r).unwrap(),
                (ColumnWriter::DoubleColumnWriter(w), Stored::Double(v)) => w.write_batch(v, d, r).unwrap(),
                (ColumnWriter::Int96ColumnWriter(w), Stored::Int96(v)) => {
                    let v: Vec<_> = v.iter().map(|v| v.to_vec().into()).collect();
                    w.write_batch(&v, d, r).unwrap()
                }
                (ColumnWriter::ByteArrayColumnWriter(w), Stored::Bytes(v)) => {
                    let v: Vec<_> = v.iter().map(|v| ByteArray::from(v.clone())).collect();
                    w.write_batch(&v, d, r).unwrap()
                }
                (ColumnWriter::FixedLenByteArrayColumnWriter(w), Stored::Bytes(v)) => {
                    let v: Vec<_> = v.iter().map(|v| ByteArray::from(Bytes::from(v.clone())).into()).collect();
                    w.write_batch(&v, d, r).unwrap()
                }
                _ => panic!("the schema does not fit the values"),
            };
            stored.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}
