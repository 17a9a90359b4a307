//! JSON lines: good, odd and broken.

use optimist_tables::{Cell, Format, Options};

use crate::written::{cells, names, open, table, text};

fn reasons(lines: &str) -> Vec<(u64, String)> {
    let mut table = open(lines, &Options { format: Some(Format::JsonLines), ..Options::default() }).unwrap();
    cells(&mut table);
    table.malformed().first.clone()
}

#[test]
fn values_become_cells() {
    for (json, cell) in [
        ("1", Cell::Number(1.0)),
        ("-1.5e2", Cell::Number(-150.0)),
        ("9007199254740993", text("9007199254740993")),
        ("18446744073709551615", text("18446744073709551615")),
        ("true", Cell::Bool(true)),
        ("null", Cell::Missing),
        ("\"\"", Cell::Missing),
        ("\"NA\"", Cell::Missing),
        ("\"5\"", text("5")),
        ("\" a\\u00e9\\n\"", text(" aé\n")),
        ("[1,2.5]", Cell::Vector(vec![1.0, 2.5])),
        ("[]", Cell::Vector(vec![])),
        ("[1,null]", text("[1,null]")),
        ("[9007199254740993]", text("[9007199254740993]")),
        ("[\"a\",{\"b\":[true]}]", text("[\"a\",{\"b\":[true]}]")),
    ] {
        assert_eq!(cells(&mut table(format!("{{\"x\":{json}}}\n"))), [[cell]], "{json}");
    }
}

#[test]
fn objects_are_flattened_and_columns_are_the_union_of_the_first_lines() {
    let mut table = table("{\"a\":{\"b\":1,\"c\":{\"d\":2}},\"e\":{}}\n\n{\"f\":3,\"a\":{\"b\":4}}\r\n");
    assert_eq!(table.format(), Format::JsonLines);
    assert_eq!(names(&table), ["a.b", "a.c.d", "f"]);
    let rows: Vec<_> = table.rows().map(Result::unwrap).collect();
    assert_eq!(rows[0].cells(), [Cell::Number(1.0), Cell::Number(2.0), Cell::Missing]);
    assert_eq!(rows[1].cells(), [Cell::Number(4.0), Cell::Missing, Cell::Number(3.0)]);
    assert_eq!((rows[0].line, rows[1].line), (1, 3));
}

#[test]
fn a_later_line_may_bring_columns() {
    let mut table =
        open("{\"a\":1}\n{\"b\":2}\n{\"a\":3}\n", &Options { look_ahead: 1, ..Options::default() }).unwrap();
    assert_eq!(names(&table), ["a"]);
    let rows: Vec<_> = table.rows().map(Result::unwrap).collect();
    assert_eq!((rows[0].get("a"), rows[0].get("b")), (Some(&Cell::Number(1.0)), None));
    assert_eq!((rows[1].get("a"), rows[1].get("b")), (Some(&Cell::Missing), Some(&Cell::Number(2.0))));
    assert_eq!((rows[2].get("a"), rows[2].get("b")), (Some(&Cell::Number(3.0)), Some(&Cell::Missing)));
    assert_eq!(names(&table), ["a", "b"]);
}

#[test]
fn what_is_wrong_with_a_line_is_said() {
    let deep = format!("{{\"x\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    for (line, reason) in [
        ("{\"x\":1", "is not JSON: EOF while parsing an object at column 6"),
        ("{\"x\":NaN}", "is not JSON"),
        ("{\"x\":1e400}", "number out of range"),
        ("{\"x\":1} {\"x\":2}", "trailing characters"),
        ("[1]", "is not an object"),
        ("5", "is not an object"),
        ("{\"x\":1,\"x\":2}", "has two values for `x`"),
        ("{\"x\":{\"y\":1},\"x.y\":2}", "has two values for `x.y`"),
        ("{\"x\":\"\0\"}", "control character"),
        (&*deep, "recursion limit"),
        (&*format!("{{\"{}\":1}}", "k".repeat(2000)), "more than 1000 bytes"),
    ] {
        let found = reasons(&format!("{{\"x\":1}}\n{line}\n{{\"x\":1}}\n"));
        assert_eq!((found.len(), found[0].0), (1, 2), "{line}");
        assert!(found[0].1.contains(reason), "{:?} for {line}", found[0].1);
    }
    let mut table = table(b"{\"x\":1}\n{\"x\":\"\xff\"}\n".to_vec());
    assert_eq!(cells(&mut table).len(), 1);
    assert!(table.malformed().first[0].1.contains("byte 7 is not UTF-8"), "{:?}", table.malformed());
}

#[test]
fn lines_and_columns_are_bounded() {
    let options = Options { max_row_bytes: 50, max_columns: 3, ..Options::default() };
    let long = "x".repeat(100);
    let mut table =
        open(format!("{{\"a\":\"{long}\"}}\n{{\"a\":1,\"b\":2,\"c\":3}}\n{{\"a\":1,\"d\":2}}\n{{\"c\":1}}"), &options)
            .unwrap();
    assert_eq!(cells(&mut table).len(), 2);
    let first = &table.malformed().first;
    assert!(first[0].0 == 1 && first[0].1.contains("more than 50 bytes"), "{first:?}");
    assert!(first[1].0 == 3 && first[1].1.contains("`d`, one more than max_columns = 3"), "{first:?}");
}

#[test]
fn ignored_objects_are_passed_over() {
    let options = Options { ignore: vec!["a".to_owned(), "b.c".to_owned()], ..Options::default() };
    let table = open("{\"a\":{\"x\":1,\"y\":2},\"b\":{\"c\":1,\"d\":2}}\n", &options).unwrap();
    assert_eq!(names(&table), ["b.d"]);
}

#[test]
fn strict_says_the_line_even_when_it_was_looked_at_before() {
    let mut table = open("{\"a\":1}\n{\n", &Options { strict: true, ..Options::default() }).unwrap();
    let mut rows = table.rows();
    assert!(rows.next().unwrap().is_ok());
    assert!(rows.next().unwrap().unwrap_err().to_string().starts_with("test, line 2: is not JSON"));
}
