//! Files, readers, progress, and formats that are recognised only to be refused.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};

use optimist_tables::{Error, Format, Options, Row, Table};

use crate::written::{fault, gzip, open, save};

#[test]
fn files_that_are_not_there_or_are_directories_are_named() {
    let error = Table::open("/nonexistent/x.csv", &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "/nonexistent/x.csv cannot be read: it does not exist");
    let directory = tempfile::tempdir().unwrap();
    let error = Table::open(directory.path(), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("is a directory"), "{error}");
}

#[test]
fn progress_ends_at_the_length_of_the_file() {
    let csv = format!("a,b\n{}", "1,2\n".repeat(500_000));
    for bytes in [csv.clone().into_bytes(), gzip(csv.as_bytes())] {
        let (_directory, path) = save(&bytes);
        let mut table = Table::open(&path, &Options::default()).unwrap();
        let total = bytes.len() as u64;
        assert_eq!(table.progress().bytes_total, Some(total));
        let (mut row, mut last) = (Row::new(), 0);
        while table.read(&mut row).unwrap() {
            let read = table.progress().bytes_read;
            assert!(read >= last && read <= total);
            last = read;
        }
        assert_eq!(table.progress().bytes_read, total);
    }
    assert_eq!(open(csv, &Options::default()).unwrap().progress().bytes_total, None);
}

#[test]
fn other_formats_are_refused_with_a_remedy() {
    for (bytes, remedy) in [
        (&b"PK\x03\x04...."[..], "zip"),
        (b"\x28\xb5\x2f\xfd....", "zstd -d"),
        (b"BZh9....", "bunzip2"),
        (b"\xfd7zXZ\0....", "unxz"),
        (b"\xff\xfea\0,\0b\0", "iconv"),
        (b"[{\"a\":1}]", "jq -c"),
        (b"PAR1....", "give its path"),
        (b"SQLite format 3\0", "CSV"),
    ] {
        let text = fault(bytes, &Options::default());
        assert!(text.contains(remedy), "{text}");
    }
    let parquet = Options { format: Some(Format::Parquet), ..Options::default() };
    assert!(fault("a,b\n1,2\n", &parquet).contains("PAR1"));
}

#[test]
fn a_format_that_is_given_is_taken() {
    let options = Options { format: Some(Format::Csv), ..Options::default() };
    let table = open("[a],{b}\n1,2\n", &options).unwrap();
    assert_eq!(table.columns().len(), 2);
    let table = open("PAR1,b\n1,2\n", &options).unwrap();
    assert_eq!(&*table.columns()[0], "PAR1");
}

#[test]
fn a_reader_may_give_one_byte_at_a_time_and_fail() {
    struct Slow(&'static [u8], bool);
    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return if self.1 { Err(io::Error::other("the wire broke")) } else { Ok(0) };
            }
            buffer[0] = self.0[0];
            self.0 = &self.0[1..];
            Ok(1)
        }
    }
    let mut table = Table::from_reader("slow", Slow(b"a,b\n1,\"x\"\"y\"\n", false), &Options::default()).unwrap();
    assert_eq!(table.rows().next().unwrap().unwrap().get("b").unwrap().label(), "x\"y");
    let error = Table::from_reader("slow", Slow(b"a,b\n", true), &Options::default()).unwrap_err();
    assert!(matches!(error, Error::File { .. }));
    assert_eq!(error.to_string(), "slow cannot be read: the wire broke");
}

#[test]
fn options_are_read_from_text() {
    let options: Options = serde_json::from_str(r#"{"format": "json-lines", "strict": true}"#).unwrap();
    assert!(options.strict && options.format == Some(Format::JsonLines) && options.header);
    assert!(serde_json::from_str::<Options>(r#"{"strickt": true}"#).is_err());
}

/// What the child of the next test does; without its variable there is nothing on standard input to read.
#[test]
fn reads_standard_input_when_told() {
    if std::env::var_os("OPTIMIST_TABLES_READ").is_some() {
        let mut table = Table::open("-", &Options::default()).unwrap();
        let sum: f64 = table.rows().map(|row| row.unwrap().get("x").unwrap().number().unwrap()).sum();
        println!("{} rows sum to {sum}", table.format());
    }
}

#[test]
fn a_dash_is_standard_input() {
    let test = ["--exact", "sources::reads_standard_input_when_told", "--nocapture"];
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(test)
        .env("OPTIMIST_TABLES_READ", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let packed = gzip(b"x;y\n1;2\n3;4\n");
    child.stdin.take().unwrap().write_all(&packed).unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && printed.contains("CSV rows sum to 4"), "{printed}");
}
