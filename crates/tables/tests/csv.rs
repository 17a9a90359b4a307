//! CSV: good, odd and broken.

use optimist_tables::{Cell, Error, Format, Options, Row};
use proptest::prelude::*;

use crate::written::{cells, fault, names, open, table, text};

fn malformed(csv: &[u8]) -> (usize, Vec<(u64, String)>) {
    let mut table = table(csv);
    let rows = cells(&mut table).len();
    assert_eq!(table.malformed().count as usize, table.malformed().first.len());
    (rows, table.malformed().first.clone())
}

#[test]
fn cells_have_the_types_of_the_documentation() {
    for (field, cell) in [
        ("5", Cell::Number(5.0)),
        ("-0.5", Cell::Number(-0.5)),
        ("+5", Cell::Number(5.0)),
        (".5", Cell::Number(0.5)),
        ("1e-3", Cell::Number(1e-3)),
        ("\"5\"", Cell::Number(5.0)),
        ("  7\t", Cell::Number(7.0)),
        ("0", Cell::Number(0.0)),
        ("0.25", Cell::Number(0.25)),
        ("9007199254740992", Cell::Number(9007199254740992.0)),
        ("9007199254740993", text("9007199254740993")),
        ("123456789012345678901234567890", text("123456789012345678901234567890")),
        ("007", text("007")),
        ("-01", text("-01")),
        ("1e400", text("1e400")),
        ("inf", text("inf")),
        ("-Infinity", text("-Infinity")),
        ("0x10", text("0x10")),
        ("1_000", text("1_000")),
        ("\"1,5\"", text("1,5")),
        ("--5", text("--5")),
        ("-", text("-")),
        (".", text(".")),
        ("true", Cell::Bool(true)),
        ("False", Cell::Bool(false)),
        ("tRUE", text("tRUE")),
        ("", Cell::Missing),
        ("  ", Cell::Missing),
        ("NaN", Cell::Missing),
        ("na", Cell::Missing),
        ("?", Cell::Missing),
        ("NULL", Cell::Missing),
        ("nanna", text("nanna")),
        ("\"a \"\"b\"\", c\nd\"", text("a \"b\", c\nd")),
        ("5\" disk", text("5\" disk")),
        ("Kräuter", text("Kräuter")),
    ] {
        let mut table = table(format!("x,y\n{field},1\n"));
        assert_eq!(cells(&mut table), [[cell, Cell::Number(1.0)]], "{field}");
    }
}

#[test]
fn options_change_what_is_missing_and_what_is_a_number() {
    let options =
        Options { missing: vec!["-999".to_owned(), "none".to_owned()], decimal_comma: true, ..Options::default() };
    let mut table = open("x;y;z\n-999;None;\n1,5;1.5;1,5,2\n-2,5e-1;,5;a,5\n", &options).unwrap();
    assert_eq!(
        cells(&mut table),
        [
            [Cell::Missing, Cell::Missing, text("")],
            [Cell::Number(1.5), Cell::Number(1.5), text("1,5,2")],
            [Cell::Number(-0.25), text(",5"), text("a,5")],
        ]
    );
}

#[test]
fn the_delimiter_is_found() {
    for (csv, columns) in [
        ("a,b\n1,2\n", 2),
        ("a;b\n1,5;2,5\n", 2),
        ("a\tb, or c\n1\t2, 3\n", 2),
        ("a|b|c\n1|2|3\n", 3),
        ("a, b;c\n1, 2;3\n4, 5;6\n7;8\n", 2),
        ("one column\nof words\n", 1),
        ("\"a;b\",c\n1,2\n", 2),
        ("a,b", 2),
        ("a,b;c\n1;2\n3;4\n", 2),
    ] {
        assert_eq!(table(csv).columns().len(), columns, "{csv}");
    }
    let options = Options { delimiter: Some(':'), ..Options::default() };
    assert_eq!(names(&open("a:b,c\n1:2\n", &options).unwrap()), ["a", "b,c"]);
}

#[test]
fn ends_of_lines_marks_and_blank_lines_do_not_matter() {
    let plain = cells(&mut table("a,b\n1,x\n2,y\n"));
    for csv in [
        "\u{feff}a,b\n1,x\n2,y\n",
        "a,b\r\n1,x\r\n2,y\r\n",
        "a,b\n1,x\n2,y",
        "\n\na,b\n\n1,x\r\n\r\n\n2,y\n\n",
        "a,b\r1,x\r2,y",
    ] {
        let mut table = table(csv);
        assert_eq!(names(&table), ["a", "b"], "{csv:?}");
        assert_eq!(cells(&mut table), plain, "{csv:?}");
    }
}

#[test]
fn lines_are_those_of_an_editor() {
    let mut table = table("\na\n\n1\n\"2\n3\"\n\r\n4\r\n5\n");
    let lines: Vec<u64> = table.rows().map(|row| row.unwrap().line).collect();
    assert_eq!(lines, [4, 5, 8, 9]);
}

#[test]
fn rows_that_do_not_fit_are_counted_with_line_and_reason() {
    assert_eq!(
        malformed(b"a,b\n1,2\n1\n\n1,2,3\n3,4\n"),
        (2, vec![(3, "1 field where there are 2 columns".into()), (5, "3 fields where there are 2 columns".into())])
    );
    let (rows, faults) = malformed(b"a,b\n1,\xff\n1,\0\n\xc3,\xa9\n\xc3\xa9,2\n");
    assert_eq!(rows, 1);
    assert_eq!(faults.iter().map(|fault| fault.0).collect::<Vec<_>>(), [2, 3, 4]);
    assert!(faults[0].1.contains("field 2 is not UTF-8"), "{faults:?}");
    assert!(faults[1].1.contains("field 2 has a NUL byte"), "{faults:?}");
}

#[test]
fn a_quote_that_is_never_closed_is_said() {
    for csv in ["a,b\n1,2\n3,\"4\n5,6\n", "a,b\n1,2\n3,\"4\n5,6"] {
        let (rows, faults) = malformed(csv.as_bytes());
        assert_eq!((rows, faults.len(), faults[0].0), (1, 1, 3));
        assert!(faults[0].1.contains("never closed"), "{faults:?}");
    }
    // Here the next quote closes it, and the row is too wide.
    let (rows, faults) = malformed(b"a,b\n1,\"2\n3,4\n5,\",6\n7,8\n");
    assert_eq!(rows, 1);
    assert!(faults[0].1.contains("lines 2 to 4"), "{faults:?}");
    // The last line without an end is no fault, even with quotes in it.
    assert_eq!(malformed(b"a,b\n1,\"2\"").0, 1);
    assert_eq!(malformed(b"a,b\n1,5\" disk").0, 1);
}

#[test]
fn rows_are_bounded_and_reading_goes_on_behind_a_long_one() {
    let options = Options { max_row_bytes: 10_000, ..Options::default() };
    for (long, why) in [(vec![b'x'; 100_000], "max_row_bytes"), (vec![b','; 100_000], "100001 fields")] {
        let csv = [b"a,b\n1,2\n", &*long, b"\n3,4\n"].concat();
        let mut table = open(csv, &options).unwrap();
        assert_eq!(cells(&mut table).len(), 2);
        assert_eq!(table.malformed().first[0].0, 3);
        let reason = &table.malformed().first[0].1;
        assert!(reason.contains(why), "{reason}");
    }
    // A long row within the limit is read.
    let csv = format!("a,b\n{},2\n", "x".repeat(9_000));
    assert_eq!(cells(&mut open(csv, &options).unwrap())[0][0].text().unwrap().len(), 9_000);
}

#[test]
fn strict_makes_the_first_malformed_row_an_error() {
    let options = Options { strict: true, ..Options::default() };
    let mut table = open("a,b\n1,2\n1\n3,4\n", &options).unwrap();
    let mut row = Row::new();
    assert!(table.read(&mut row).unwrap());
    let error = table.read(&mut row).unwrap_err();
    assert!(matches!(error, Error::Row { line: 3, .. }));
    assert_eq!(error.to_string(), "test, line 3: 1 field where there are 2 columns");
    assert!(!table.read(&mut row).unwrap(), "after an error there is nothing more");
}

#[test]
fn only_the_first_five_are_kept() {
    let mut table = table(format!("a,b\n{}", "1\n".repeat(8)));
    assert!(cells(&mut table).is_empty());
    assert_eq!((table.malformed().count, table.malformed().first.len()), (8, 5));
    let printed = table.malformed().to_string();
    assert!(printed.starts_with("8 malformed rows were left out\n  line 2: 1 field"), "{printed}");
    assert!(printed.ends_with("and 3 more"), "{printed}");
}

#[test]
fn headers() {
    let options = Options::default();
    assert!(fault("", &options).contains("empty"));
    assert!(fault(" \n\n", &options).contains("empty"));
    assert!(fault("\u{feff}", &options).contains("empty"));
    assert!(fault("a,b,a\n1,2,3\n", &options).contains("two columns `a`, the fields 1 and 3"));
    let rename = Options { rename_duplicates: true, ..Options::default() };
    assert_eq!(names(&open("a,a.2,a,b,a,\n1,2,3,4,5,6\n", &rename).unwrap()), ["a", "a.2", "a.3", "b", "a.4", "c6"]);
    assert!(fault("a,\0\n1,2\n", &options).contains("NUL"));
    assert!(fault("a,\u{e4}\n".chars().map(|c| c as u8).collect::<Vec<_>>(), &options).contains("UTF-8"));
    let few = Options { max_columns: 2, ..Options::default() };
    assert!(fault("a,b,c\n", &few).contains("3 columns: raise max_columns = 2"));
    let mut only_header = table("a,b\n");
    assert_eq!(names(&only_header), ["a", "b"]);
    assert!(cells(&mut only_header).is_empty() && only_header.malformed().count == 0);
    assert_eq!(names(&table(",a, b \n0,1,2\n")), ["c1", "a", "b"]);
    let without = Options { header: false, ..Options::default() };
    let mut without = open("1,2\n3,4\n", &without).unwrap();
    assert_eq!(names(&without), ["c1", "c2"]);
    assert_eq!(cells(&mut without).len(), 2);
    assert_eq!(without.format(), Format::Csv);
}

#[test]
fn ignored_columns_are_not_read() {
    let options = Options { ignore: vec!["b".to_owned()], ..Options::default() };
    let mut table = open("a,b,c\n1,2,3\n1,2\n", &options).unwrap();
    assert_eq!(names(&table), ["a", "c"]);
    assert_eq!(cells(&mut table), [[Cell::Number(1.0), Cell::Number(3.0)]]);
    assert_eq!(table.malformed().count, 1);
    let options = Options { ignore: vec!["d".to_owned()], ..Options::default() };
    assert_eq!(fault("a,b\n", &options), "ignore = \"d\": there is no such column; there are a, b");
}

#[test]
fn options_are_checked() {
    for (options, field) in [
        (Options { delimiter: Some('"'), ..Options::default() }, "delimiter = '\"'"),
        (Options { delimiter: Some('é'), ..Options::default() }, "delimiter = 'é'"),
        (Options { max_row_bytes: 0, ..Options::default() }, "max_row_bytes = 0"),
        (Options { max_columns: 0, ..Options::default() }, "max_columns = 0"),
    ] {
        assert!(fault("a\n1\n", &options).starts_with(field));
    }
}

#[test]
fn a_row_is_asked_by_name() {
    let mut table = table("a,b\n1,x\n");
    let row = table.rows().next().unwrap().unwrap();
    assert_eq!((row.get("b"), row.get("c"), row.line), (Some(&text("x")), None, 2));
}

/// Splits as the standard says, one character after the other, without looking at how the reader does it.
fn split_naively(csv: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut chars = csv.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        let row = rows.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => row.last_mut().unwrap().push(chars.next().unwrap()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().unwrap().push(c),
        }
    }
    rows.pop();
    rows
}

proptest! {
    #[test]
    fn fields_are_those_of_an_independent_parser(
        rows in prop::collection::vec(prop::collection::vec("[a-z\",;\n|é ]{0,6}", 3), 1..20),
    ) {
        let quote = |field: &String| format!("\"_{}_\"", field.replace('"', "\"\""));
        let lines: Vec<String> = rows.iter().map(|row| row.iter().map(quote).collect::<Vec<_>>().join(",") + "\n").collect();
        let csv = format!("a,b,c\n{}", lines.concat());
        let expected: Vec<Vec<Cell>> = split_naively(&csv)[1..]
            .iter().map(|row| row.iter().map(|field| text(field)).collect()).collect();
        let options = Options { delimiter: Some(','), ..Options::default() };
        prop_assert_eq!(cells(&mut open(csv, &options).unwrap()), expected);
    }

    #[test]
    fn sums_are_those_of_the_numbers_written(numbers in prop::collection::vec(any::<f64>().prop_filter("finite", |v| v.is_finite()), 1..50)) {
        let csv = format!("x\n{}", numbers.iter().map(|v| format!("{v}\n")).collect::<String>());
        let mut table = open(csv, &Options { delimiter: Some(','), ..Options::default() }).unwrap();
        for (row, number) in table.rows().zip(&numbers) {
            let cell = row.unwrap().cells()[0].clone();
            // Display writes huge numbers with all their digits: those that are exact are read back, others stay text.
            prop_assert!(cell.number().is_some_and(|v| v == *number) || cell.text() == Some(&number.to_string()));
        }
    }
}
