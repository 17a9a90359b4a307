//! One column of a Parquet row group, from levels and values to cells.

use chrono::{DateTime, NaiveDate, NaiveTime, SecondsFormat};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{DataType, Int96};
use parquet::errors::Result as ParquetResult;

use crate::Cell;
use crate::json::{Json, list_cell};
use crate::parquet_schema::{Leaf, Meaning};
use crate::words::Words;

pub(crate) struct ParquetColumn {
    reader: ColumnReader,
    meaning: Meaning,
    /// The rows that were decoded last: a cell, or why there is none.
    pub(crate) cells: Vec<Result<Cell, String>>,
}

impl ParquetColumn {
    pub(crate) fn new(leaf: &Leaf, reader: ColumnReader) -> Self {
        // A column that cannot be read is refused when the file is opened.
        let meaning = *leaf.readable.as_ref().unwrap_or(&Meaning::Plain);
        Self { reader, meaning, cells: Vec::new() }
    }

    /// Decodes the next rows; says how many there were.
    pub(crate) fn read(&mut self, leaf: &Leaf, rows: usize, words: &Words) -> ParquetResult<usize> {
        let meaning = self.meaning;
        self.cells.clear();
        let cells = &mut self.cells;
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => decode(reader, leaf, rows, cells, |&value| Ok(Cell::Bool(value))),
            ColumnReader::Int32ColumnReader(reader) => decode(reader, leaf, rows, cells, |&value| {
                whole(if meaning == Meaning::Unsigned { i64::from(value as u32) } else { i64::from(value) }, meaning)
            }),
            ColumnReader::Int64ColumnReader(reader) => {
                decode(reader, leaf, rows, cells, |&value| whole(value, meaning))
            }
            ColumnReader::Int96ColumnReader(reader) => decode(reader, leaf, rows, cells, int96),
            ColumnReader::FloatColumnReader(reader) => {
                // The shortest decimal of the single-precision number, as every other format would have it: 0.1 and not
                // 0.10000000149011612.
                decode(reader, leaf, rows, cells, |&value| Ok(Cell::of_float(shortest(value))))
            }
            ColumnReader::DoubleColumnReader(reader) => {
                decode(reader, leaf, rows, cells, |&value| Ok(Cell::of_float(value)))
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                decode(reader, leaf, rows, cells, |value| bytes(value.data(), meaning, words))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                decode(reader, leaf, rows, cells, |value| bytes(value.data(), meaning, words))
            }
        }
    }
}

fn decode<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    leaf: &Leaf,
    rows: usize,
    cells: &mut Vec<Result<Cell, String>>,
    convert: impl Fn(&T::T) -> Result<Cell, String>,
) -> ParquetResult<usize> {
    let (mut definitions, mut repetitions, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut decoded = 0;
    // One call stops at the end of a page.
    while decoded < rows {
        let wanted = rows - decoded;
        let (records, ..) = reader.read_records(wanted, Some(&mut definitions), Some(&mut repetitions), &mut values)?;
        if records == 0 {
            break;
        }
        decoded += records;
    }
    let mut values = values.iter();
    // Fewer values than levels promise is damage, and shows as an early end of the column.
    let mut next = || values.next().map(&convert);
    let Some(list_definition) = leaf.list_definition else {
        for row in 0..decoded {
            let is_there = leaf.max_definition == 0 || definitions.get(row) == Some(&leaf.max_definition);
            let cell = if is_there { next() } else { Some(Ok(Cell::Missing)) };
            let Some(cell) = cell else { break };
            cells.push(cell);
        }
        return Ok(cells.len());
    };
    let mut levels = definitions.iter().zip(&repetitions).peekable();
    while let Some((&definition, _)) = levels.next() {
        if definition < list_definition {
            // One level below an element there is a list without any, and further below no list.
            cells.push(Ok(if definition + 1 == list_definition { empty_list::<T>() } else { Cell::Missing }));
            continue;
        }
        let mut list = Vec::new();
        let mut fault = None;
        let mut element = definition;
        loop {
            let cell = if element == leaf.max_definition { next() } else { Some(Ok(Cell::Missing)) };
            match cell {
                Some(Ok(cell)) => list.push(as_json(cell)),
                Some(Err(reason)) => fault = Some(reason),
                None => return Ok(cells.len()),
            }
            match levels.next_if(|(_, repetition)| **repetition > 0) {
                Some((&definition, _)) => element = definition,
                None => break,
            }
        }
        cells.push(fault.map_or_else(|| Ok(list_cell(&list)), Err));
    }
    Ok(cells.len())
}

/// A list without elements is a vector where elements would be numbers.
fn empty_list<T: DataType>() -> Cell {
    use parquet::basic::Type::{BOOLEAN, BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY, INT96};
    match T::get_physical_type() {
        BOOLEAN | BYTE_ARRAY | FIXED_LEN_BYTE_ARRAY | INT96 => Cell::Text("[]".to_owned()),
        _ => Cell::Vector(Vec::new()),
    }
}

fn as_json(cell: Cell) -> Json {
    match cell {
        Cell::Bool(bool) => Json::Bool(bool),
        Cell::Number(number) => Json::Float(number),
        Cell::Text(text) => Json::Text(text),
        Cell::Missing | Cell::Vector(_) => Json::Null,
    }
}

fn shortest(value: f32) -> f64 {
    if value.fract() == 0.0 { f64::from(value) } else { value.to_string().parse().unwrap_or(f64::from(value)) }
}

fn whole(value: i64, meaning: Meaning) -> Result<Cell, String> {
    Ok(match meaning {
        Meaning::Unsigned => Cell::of_whole(i128::from(value as u64)),
        Meaning::Decimal(scale) => decimal(i128::from(value), scale),
        Meaning::Date => {
            let date = i32::try_from(value).ok().and_then(NaiveDate::from_epoch_days);
            Cell::Text(date.ok_or_else(|| format!("has the impossible date {value}"))?.to_string())
        }
        Meaning::Time(per_second) => {
            let (seconds, nanos) = split(value, per_second);
            let time =
                u32::try_from(seconds).ok().and_then(|s| NaiveTime::from_num_seconds_from_midnight_opt(s, nanos));
            Cell::Text(time.ok_or_else(|| format!("has the impossible time {value}"))?.to_string())
        }
        Meaning::Timestamp(per_second, is_utc) => {
            let (seconds, nanos) = split(value, per_second);
            timestamp(seconds, nanos, is_utc)?
        }
        _ => Cell::of_whole(i128::from(value)),
    })
}

/// Whole seconds, and nanoseconds beyond them.
fn split(value: i64, per_second: i64) -> (i64, u32) {
    (value.div_euclid(per_second), (value.rem_euclid(per_second) * (1_000_000_000 / per_second)) as u32)
}

/// As RFC 3339, because that says its unit; without the Z if the file does not say that it is UTC.
fn timestamp(seconds: i64, nanos: u32, is_utc: bool) -> Result<Cell, String> {
    let time = DateTime::from_timestamp(seconds, nanos);
    let time = time.ok_or_else(|| format!("has the impossible time of {seconds} seconds since 1970"))?;
    let mut text = time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    if !is_utc {
        text.pop();
    }
    Ok(Cell::Text(text))
}

/// Time as Spark used to write it: nanoseconds of the day, then the Julian day.
fn int96(value: &Int96) -> Result<Cell, String> {
    const JULIAN_DAY_OF_1970: i64 = 2_440_588;
    let data = value.data();
    let nanos = i64::from(data[0]) | (i64::from(data[1]) << 32);
    let (seconds, nanos) = split(nanos, 1_000_000_000);
    timestamp((i64::from(data[2]) - JULIAN_DAY_OF_1970) * 86_400 + seconds, nanos, true)
}

/// By way of its digits, which rounds once.
fn decimal(unscaled: i128, scale: i32) -> Cell {
    format!("{unscaled}e{}", -i64::from(scale)).parse().map_or(Cell::Missing, Cell::of_float)
}

fn bytes(data: &[u8], meaning: Meaning, words: &Words) -> Result<Cell, String> {
    let hexadecimal = || data.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Ok(match (meaning, data) {
        (Meaning::Decimal(scale), _) => {
            if data.len() > 16 {
                return Err(format!("has a decimal of {} bytes, more than 16", data.len()));
            }
            // Two's complement, the highest byte first.
            let start = if data.first().is_some_and(|byte| byte & 0x80 != 0) { -1 } else { 0 };
            decimal(data.iter().fold(start, |unscaled, &byte| (unscaled << 8) | i128::from(byte)), scale)
        }
        (Meaning::Float16, &[low, high]) => Cell::of_float(half(u16::from_le_bytes([low, high]))),
        (Meaning::Uuid, data) if data.len() == 16 => {
            let hex = hexadecimal();
            Cell::Text([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
        }
        (Meaning::Plain, _) => {
            let text = str::from_utf8(data).map_err(|_| "has text that is not UTF-8".to_owned())?;
            let mut cell = Cell::Missing;
            words.read_text(text, &mut cell);
            cell
        }
        _ => Cell::Text(hexadecimal()),
    })
}

/// A number of half precision: one bit sign, five bits exponent, ten bits fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from((bits >> 10) & 31);
    let fraction = f64::from(bits & 1023) / 1024.0;
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}
