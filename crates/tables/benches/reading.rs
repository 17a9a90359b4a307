//! How long reading takes: a million rows of ten numbers in every format, and guessing their columns.
//! `cargo bench -p optimist-tables --bench reading`, with another number of rows behind `--`.
//!
//! Exits with a failure if CSV misses its aim at a million rows. One thread; times of a shared machine vary.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use optimist_tables::{GuessOptions, Options, Row, Table, guess};
use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const COLUMNS: usize = 10;
/// Seconds that a million rows of CSV may take.
const AIM: f64 = 2.0;

/// Numbers as they are in the wild: some whole, some short, most with many digits.
fn value(row: usize, column: usize) -> f64 {
    let hash = ((row * COLUMNS + column) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
    let unit = hash as f64 / (1_u64 << 53) as f64;
    match column % 4 {
        0 => (100.0 * unit).floor(),
        1 => (10_000.0 * unit).round() / 100.0,
        _ => unit - 0.5,
    }
}

fn write_text(rows: usize, directory: &Path) -> Result<(), Box<dyn Error>> {
    let mut csv = (0..COLUMNS).map(|column| format!("x{column}")).collect::<Vec<_>>().join(",") + "\n";
    let mut json = String::new();
    for row in 0..rows {
        for column in 0..COLUMNS {
            let value = value(row, column);
            let end = if column + 1 < COLUMNS { "," } else { "\n" };
            write!(csv, "{value}{end}")?;
            let (start, end) = (if column == 0 { "{" } else { "," }, if column + 1 < COLUMNS { "" } else { "}\n" });
            write!(json, "{start}\"x{column}\":{value}{end}")?;
        }
    }
    std::fs::write(directory.join("numbers.csv"), &csv)?;
    std::fs::write(directory.join("numbers.jsonl"), &json)?;
    let mut packed = GzEncoder::new(std::fs::File::create(directory.join("numbers.csv.gz"))?, Compression::default());
    packed.write_all(csv.as_bytes())?;
    packed.finish()?;
    Ok(())
}

fn write_parquet(rows: usize, directory: &Path) -> Result<(), Box<dyn Error>> {
    let fields: String = (0..COLUMNS).map(|column| format!("required double x{column};")).collect();
    let schema = Arc::new(parse_message_type(&format!("message numbers {{ {fields} }}"))?);
    let file = std::fs::File::create(directory.join("numbers.parquet"))?;
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(WriterProperties::builder().build()))?;
    for start in (0..rows).step_by(100_000) {
        let mut group = writer.next_row_group()?;
        let mut column = 0;
        while let Some(mut stored) = group.next_column()? {
            let values: Vec<f64> = (start..rows.min(start + 100_000)).map(|row| value(row, column)).collect();
            stored.typed::<DoubleType>().write_batch(&values, None, None)?;
            stored.close()?;
            column += 1;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// Reads a file to its end; seconds, and the sum of its numbers.
fn read(path: &Path) -> Result<(f64, f64), Box<dyn Error>> {
    let start = Instant::now();
    let mut table = Table::open(path, &Options { strict: true, ..Options::default() })?;
    let mut row = Row::new();
    let mut sum = 0.0;
    while table.read(&mut row)? {
        for cell in row.cells() {
            sum += cell.number().ok_or("a cell that is no number")?;
        }
    }
    Ok((start.elapsed().as_secs_f64(), sum))
}

fn run(rows: usize) -> Result<bool, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    write_text(rows, directory.path())?;
    write_parquet(rows, directory.path())?;
    let expected: f64 = (0..rows).map(|row| (0..COLUMNS).map(|column| value(row, column)).sum::<f64>()).sum();
    let mut is_met = true;
    for name in ["numbers.csv", "numbers.csv.gz", "numbers.jsonl", "numbers.parquet"] {
        let path = directory.path().join(name);
        let megabytes = std::fs::metadata(&path)?.len() as f64 / 1e6;
        let (seconds, sum) = read(&path)?;
        let rate = rows as f64 / seconds / 1e6;
        println!("{name:16} {rows} rows, {megabytes:6.1} MB: {seconds:.2} s, {rate:.2} million rows/s");
        // The order of summation differs, the numbers do not.
        if (sum - expected).abs() > 1e-6 * expected.abs() {
            return Err(format!("{name}: the numbers sum to {sum} and not to {expected}").into());
        }
        if name == "numbers.csv" && rows == 1_000_000 && seconds > AIM {
            println!("  missed its aim of {AIM} s");
            is_met = false;
        }
    }
    let start = Instant::now();
    let mut table = Table::open(directory.path().join("numbers.csv"), &Options::default())?;
    guess(&mut table, &GuessOptions::default())?;
    println!("guessing from 10,000 rows: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    Ok(is_met)
}

fn main() -> ExitCode {
    let rows = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000);
    match run(rows) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
