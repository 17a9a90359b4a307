//! Columns that are in memory.

use optimist_tables::{Cell, Options, Row, Table};

fn column(name: &str, cells: Vec<Cell>) -> (String, Vec<Cell>) {
    (name.to_owned(), cells)
}

#[test]
fn columns_are_read_as_rows() {
    let columns = vec![
        column("age", vec![Cell::Number(31.0), Cell::Number(f64::NAN)]),
        column("city", vec![Cell::Text("Kiel".into()), Cell::Text(" na ".into())]),
        column("id", vec![Cell::Number(1.0), Cell::Number(2.0)]),
    ];
    let options = Options { ignore: vec!["id".into()], ..Options::default() };
    let mut table = Table::from_columns("the frame", columns, &options).unwrap();
    assert_eq!(table.columns().iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["age", "city"]);
    let mut row = Row::new();
    assert!(table.read(&mut row).unwrap());
    assert_eq!((row.line, row.cells()), (1, &[Cell::Number(31.0), Cell::Text("Kiel".into())][..]));
    assert!(table.read(&mut row).unwrap());
    assert_eq!(row.cells(), [Cell::Missing, Cell::Missing]);
    assert!(!table.read(&mut row).unwrap());
    assert_eq!(table.progress().bytes_read, 2);
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let one = || vec![Cell::Bool(true)];
    let refused =
        |columns, options: &Options| Table::from_columns("the frame", columns, options).unwrap_err().to_string();
    let plain = Options::default();
    assert!(refused(vec![column("a", one()), column("a", one())], &plain).contains("two columns `a`"));
    assert!(refused(vec![column("a", one()), column("b", vec![])], &plain).contains("`b` has 0 rows"));
    let ignoring = Options { ignore: vec!["c".into()], ..plain };
    assert!(refused(vec![column("a", one())], &ignoring).contains('c'));
}
