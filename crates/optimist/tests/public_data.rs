//! Tables of public data, and their rows as numbers: what `--bench classification` plays.

#[path = "../benches/support/encoding.rs"]
mod encoding;
#[path = "../benches/support/table.rs"]
mod table;

use encoding::Encoded;
use table::{Column, Table};

/// A number, a word that may be missing, and the class.
const MIXED: &str = "1.5, red, yes\n-2, ?, no\n\n?, blue, yes\n";

#[test]
fn a_table_is_read_by_columns() {
    let table = Table::parse(MIXED).unwrap();
    assert_eq!(table.columns[0], Column::Numbers(vec![Some(1.5), Some(-2.0), None]));
    let names = ["?", "blue", "red"].map(String::from).to_vec();
    assert_eq!(table.columns[1], Column::Levels { names, of: vec![2, 0, 1] });
    assert_eq!((table.classes, table.class_of), (vec!["no".into(), "yes".into()], vec![1, 0, 1]));
}

#[test]
fn a_table_that_cannot_be_read_says_why() {
    for (text, what) in [
        ("", "there are no rows"),
        ("\n \n", "there are no rows"),
        ("1;2;a\n", "line 1 has one field"),
        ("1,2,a\n\n1,2,3,b\n", "line 3 has 4 fields, but line 1 has 3"),
        ("1,a\n2,?\n", "line 2 has no class"),
        ("1,a\n2,\n", "line 2 has no class"),
        ("1,a\n2,a\n", "all rows have the class \"a\""),
        ("?,a\n,b\n", "column 1 has no value in any row"),
        ("?,a\n1,a\nx,b\n", "column 1 has \"1\" in line 2, which is a number, and \"x\" in line 3, which is none"),
        ("x,a\n1e3,b\n", "column 1 has \"x\" in line 1, which is no number, and \"1e3\" in line 2, which is one"),
        ("1,a\nnan,b\n", "\"nan\" in line 2"),
    ] {
        let said = Table::parse(text).unwrap_err();
        assert!(said.contains(what), "{text:?}: {said}");
    }
}

#[test]
fn numbers_are_standardised_and_levels_are_zero_or_one() {
    let data = Encoded::of(&Table::parse(MIXED).unwrap());
    assert_eq!((data.rows(), data.dimension, data.classes), (3, 5, 2));
    // Before the scale: deviations, of which the missing one is the mean; a number per level; and a constant that is as large
    // as the largest norm of the rest, the square root of two.
    let constant = 2f64.sqrt();
    let expected = [[1.0, 0.0, 0.0, 1.0, constant], [-1.0, 1.0, 0.0, 0.0, constant], [0.0, 0.0, 1.0, 0.0, constant]];
    assert!((data.scale - 2.0).abs() < 1e-15);
    for (row, expected) in expected.iter().enumerate() {
        for (value, expected) in data.row(row).iter().zip(expected) {
            assert!((data.scale * value - expected).abs() < 1e-12, "row {row}: {:?}", data.row(row));
        }
    }
}

#[test]
fn no_row_is_longer_than_one_and_one_is_that_long() {
    let text: String = (0..200).map(|i| format!("{},{},{}\n", i * i % 37, 1e9 / f64::from(i + 1), i % 3)).collect();
    let data = Encoded::of(&Table::parse(&text).unwrap());
    let norm = |row: usize| data.row(row).iter().map(|v| v * v).sum::<f64>().sqrt();
    let longest = (0..data.rows()).map(norm).fold(0.0, f64::max);
    assert!((longest - 1.0).abs() < 1e-12, "{longest}");
    // What lies far out is cut at three deviations.
    let most = (0..data.rows()).map(|row| data.row(row)[1]).fold(0.0, f64::max);
    assert!((most * data.scale - 3.0).abs() < 1e-12, "{most}");
}

#[test]
fn what_is_the_same_in_all_rows_is_left_out() {
    let data = Encoded::of(&Table::parse("0.1,x,1,a\n0.1,x,?,b\n0.1,x,2,a\n").unwrap());
    assert_eq!(data.dimension, 2);
    // Nothing is left but the constant.
    let data = Encoded::of(&Table::parse("7,a\n7,b\n").unwrap());
    assert_eq!((data.dimension, data.row(0), data.row(1)), (1, &[1.0][..], &[1.0][..]));
}
