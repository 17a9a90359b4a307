//! Gzip of the text formats.

use optimist_tables::{Error, Format, Options, Row};

use crate::written::{cells, fault, gzip, open, table};

fn long_csv() -> String {
    let rows: String = (0..50_000).map(|i| format!("{i},{}\n", i * 7919 % 10_007)).collect();
    format!("a,b\n{rows}")
}

#[test]
fn it_is_found_by_its_bytes_and_reads_like_the_plain_file() {
    let csv = long_csv();
    let mut packed = table(gzip(csv.as_bytes()));
    assert!(packed.is_gzip() && packed.format() == Format::Csv);
    let rows = cells(&mut packed);
    assert_eq!(rows.len(), 50_000);
    assert_eq!(rows, cells(&mut table(csv)));
}

#[test]
fn members_one_behind_the_other_are_one_file() {
    let packed = [gzip(b"a\n1\n"), gzip(b"2\n3\n")].concat();
    assert_eq!(cells(&mut table(packed)).len(), 3);
}

#[test]
fn a_file_that_is_cut_off_is_one_clear_error_after_the_whole_rows() {
    let packed = gzip(long_csv().as_bytes());
    let mut table = table(&packed[..packed.len() * 9 / 10]);
    let mut row = Row::new();
    let mut count = 0;
    let error = loop {
        match table.read(&mut row) {
            Ok(true) => count += 1,
            Ok(false) => panic!("the end of a file that is cut off"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Content { .. }));
    assert_eq!(error.to_string(), "test: the gzip data ends too early: the file is cut off, fetch it again");
    assert!((30_000..50_000).contains(&count), "{count}");
    assert_eq!(table.malformed().count, 0);
    for short in [2, 5, 12, 30] {
        assert!(fault(&packed[..short], &Options::default()).contains("gzip data"), "{short}");
    }
}

#[test]
fn damage_is_one_clear_error() {
    let mut packed = gzip(long_csv().as_bytes());
    let end = packed.len() - 6;
    packed[end] ^= 1; // The check sum.
    assert!(fault(packed, &Options::default()).contains("damaged"));
}

#[test]
fn what_is_inside_may_be_json_lines_but_not_gzip_or_parquet() {
    assert_eq!(table(gzip(b"{\"x\":1}\n")).format(), Format::JsonLines);
    assert!(fault(gzip(&gzip(b"a\n1\n")), &Options::default()).contains("gunzip"));
    assert!(fault(gzip(b"PAR1...."), &Options::default()).contains("gunzip"));
    assert!(open(gzip(b""), &Options::default()).unwrap_err().to_string().contains("empty"));
}
