//! Input that nobody meant to be a table: errors and counts, never a panic, and never a row that vanishes.

use optimist_tables::{Decision, DecisionLog, Format, GuessOptions, Options, Table, guess};
use parquet::basic::Compression as Codec;
use proptest::prelude::*;

use crate::written::{Stored, StoredColumn, gzip, open, parquet, save};

/// Reads everything in every way; only that it comes back matters.
fn read(bytes: &[u8], options: &Options) {
    if let Ok(mut table) = open(bytes, options) {
        for row in table.rows().map_while(Result::ok) {
            assert!(row.cells().len() <= row.columns().len());
        }
    }
    if let Ok(mut table) = open(bytes, options) {
        for guess in guess(&mut table, &GuessOptions { rows: 50, max_distinct: 5 }).unwrap_or_default() {
            assert!(!guess.to_string().is_empty());
        }
    }
    if let Ok(mut log) = DecisionLog::from_reader("test", std::io::Cursor::new(bytes.to_vec()), options) {
        let mut decision = Decision::default();
        while log.read(&mut decision).is_ok_and(|more| more) {
            assert!(decision.chosen < decision.actions.len());
        }
    }
}

fn small(format: Option<Format>) -> Options {
    Options { format, max_row_bytes: 64, max_columns: 8, look_ahead: 3, ..Options::default() }
}

/// Pieces of which tables and faults are made.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        ",",
        ";",
        "\"",
        "\n",
        "\r\n",
        "{",
        "}",
        "[",
        "]",
        ":",
        "\"a\"",
        "\"c\":",
        "1",
        "-1",
        "1e999",
        "null",
        "\0",
        "\u{feff}",
        "é",
        ".",
        "\"_multi\":[{}]",
        "\"a\":[1]",
        "\"p\":[1]",
        "{\"_label_cost\":0,",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for format in [None, Some(Format::Csv), Some(Format::JsonLines), Some(Format::Dsjson), Some(Format::Parquet)] {
            read(&bytes, &small(format));
        }
        read(&[&[0x1f, 0x8b, 8][..], &bytes].concat(), &small(None));
    }

    #[test]
    fn any_pieces_are_survived(bytes in pieces()) {
        for format in [None, Some(Format::Csv), Some(Format::JsonLines), Some(Format::Dsjson)] {
            read(&bytes, &small(format));
            read(&gzip(&bytes), &small(format));
        }
    }

    #[test]
    fn every_line_of_json_is_a_row_or_counted(lines in prop::collection::vec("[{}\"a:1,]{1,8}", 1..30)) {
        let mut table = open(lines.join("\n"), &Options { format: Some(Format::JsonLines), ..Options::default() }).unwrap();
        let rows = table.rows().map(Result::unwrap).count();
        prop_assert_eq!(rows + table.malformed().count as usize, lines.len());
    }

    #[test]
    fn every_line_of_csv_is_a_row_or_counted(lines in prop::collection::vec("[a1,;é\u{0}]{1,8}", 1..30)) {
        let csv = format!("a,b\n{}", lines.join("\n"));
        let mut table = open(csv, &Options { delimiter: Some(','), ..Options::default() }).unwrap();
        let rows = table.rows().map(Result::unwrap).count();
        prop_assert_eq!(rows + table.malformed().count as usize, lines.len());
    }
}

/// A file with all that a decoder has: dictionaries, levels, compressed pages.
fn sound() -> Vec<u8> {
    let schema = "message m { required double x; optional binary t (UTF8);
        optional group v (LIST) { repeated group list { optional int32 element; } } }";
    let count = 100;
    let words = (0..count).map(|i| format!("word {}", i % 7).into_bytes()).collect();
    let columns = vec![
        StoredColumn::required(Stored::Double((0..count).map(f64::from).collect())),
        StoredColumn::with_levels(Stored::Bytes(words), &vec![1; count as usize], &[]),
        StoredColumn::with_levels(
            Stored::Int32((0..count).collect()),
            &vec![3; count as usize],
            &vec![0; count as usize],
        ),
    ];
    parquet(schema, &[columns], Codec::SNAPPY)
}

#[test]
fn parquet_with_any_byte_changed_is_survived() {
    let sound = sound();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("damaged.parquet");
    let (mut errors, mut read) = (0, 0);
    // Every place, with a change that differs from place to place.
    for place in 0..sound.len() {
        let mut damaged = sound.clone();
        damaged[place] ^= 1 << (place % 8) | 1 << (place / 8 % 8);
        std::fs::write(&path, &damaged).unwrap();
        match Table::open(&path, &Options::default()) {
            Err(_) => errors += 1,
            Ok(mut table) => match table.rows().collect::<Result<Vec<_>, _>>() {
                Err(_) => errors += 1,
                Ok(rows) => read += usize::from(rows.len() as u64 + table.malformed().count <= 100),
            },
        }
    }
    assert!(errors > 50 && errors + read == sound.len(), "{errors} errors, {read} read, {} bytes", sound.len());
}

#[test]
fn parquet_cut_off_anywhere_is_an_error() {
    let sound = sound();
    for length in (0..sound.len()).step_by(7) {
        let (_directory, path) = save(&sound[..length]);
        let is_error = match Table::open(&path, &Options::default()) {
            Err(_) => true,
            Ok(mut table) => table.rows().any(|row| row.is_err()),
        };
        // With fewer than the four letters it is a very small CSV.
        assert!(is_error || (1..4).contains(&length), "{length}");
    }
}

#[test]
fn a_hundred_megabytes_in_one_line_take_no_such_memory() {
    struct Endless(usize, bool);
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = buffer.len().min(self.0);
            buffer[..count].fill(b'x');
            if self.1 && count > 8 {
                buffer[..8].copy_from_slice(b"{\"a\":1}\n");
                self.1 = false;
            }
            self.0 -= count;
            Ok(count)
        }
    }
    for (json, format) in [(true, Format::JsonLines), (false, Format::Csv)] {
        let options = Options { format: Some(format), header: false, max_row_bytes: 1 << 20, ..Options::default() };
        match Table::from_reader("endless", Endless(100 << 20, json), &options) {
            Ok(mut table) => {
                assert_eq!(table.rows().filter(Result::is_ok).count(), 1);
                assert_eq!(table.malformed().count, 1);
            }
            // Of CSV it is the first row, from which the columns come.
            Err(error) => assert!(error.to_string().contains("max_row_bytes"), "{error}"),
        }
    }
}
