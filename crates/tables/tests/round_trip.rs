//! One table in every format reads back the same.

use optimist_tables::{Cell, Format, Options, Table};
use parquet::basic::Compression as Codec;
use proptest::prelude::*;

use crate::written::{Stored, StoredColumn, cells, gzip, names, open, parquet, save, text};

/// Rows of a number, a boolean and a text, each of which may be missing. Texts are such that no format takes them for
/// something else, and are otherwise as nasty as they come.
type Rows = Vec<(Option<f64>, Option<bool>, Option<String>)>;

fn rows() -> impl Strategy<Value = Rows> {
    let number = prop::option::of(prop_oneof![
        (-1e9..1e9).prop_map(|v: f64| v),
        (-1_000_000i32..1_000_000).prop_map(f64::from),
        Just(5e-324),
        Just(f64::MAX),
    ]);
    let word = prop::option::of("x[ -~éß\"',;|{}\\\\\n]{0,8}x");
    prop::collection::vec((number, any::<Option<bool>>(), word), 1..40)
}

fn expected(rows: &Rows) -> Vec<Vec<Cell>> {
    rows.iter()
        .map(|(number, bool, word)| {
            vec![
                number.map_or(Cell::Missing, Cell::Number),
                bool.map_or(Cell::Missing, Cell::Bool),
                word.as_deref().map_or(Cell::Missing, text),
            ]
        })
        .collect()
}

fn csv(rows: &Rows) -> String {
    let mut csv = "n,b,t\n".to_owned();
    for (number, bool, word) in rows {
        let number = number.map_or(String::new(), |v| format!("{v:e}"));
        let bool = bool.map_or(String::new(), |v| v.to_string());
        let word = word.as_deref().map_or(String::new(), |v| format!("\"{}\"", v.replace('"', "\"\"")));
        csv += &format!("{number},{bool},{word}\n");
    }
    csv
}

fn json(rows: &Rows) -> String {
    let line = |(n, b, t): &(Option<f64>, Option<bool>, Option<String>)| {
        format!("{{\"n\":{},\"b\":{},\"t\":{}}}\n", serde_json::json!(n), serde_json::json!(b), serde_json::json!(t))
    };
    rows.iter().map(line).collect()
}

fn as_parquet(rows: &Rows) -> Vec<u8> {
    let schema = "message m { optional double n; optional boolean b; optional binary t (UTF8); }";
    let levels = |is_there: &dyn Fn(usize) -> bool| (0..rows.len()).map(|i| i16::from(is_there(i))).collect::<Vec<_>>();
    let columns = vec![
        StoredColumn::with_levels(
            Stored::Double(rows.iter().filter_map(|row| row.0).collect()),
            &levels(&|i| rows[i].0.is_some()),
            &[],
        ),
        StoredColumn::with_levels(
            Stored::Bool(rows.iter().filter_map(|row| row.1).collect()),
            &levels(&|i| rows[i].1.is_some()),
            &[],
        ),
        StoredColumn::with_levels(
            Stored::Bytes(rows.iter().filter_map(|row| row.2.clone().map(String::into_bytes)).collect()),
            &levels(&|i| rows[i].2.is_some()),
            &[],
        ),
    ];
    parquet(schema, &[columns], Codec::SNAPPY)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_format_reads_back_the_same_cells(rows in rows()) {
        let (csv, json) = (csv(&rows), json(&rows));
        let options = Options { delimiter: Some(','), strict: true, ..Options::default() };
        let (_directory, path) = save(&as_parquet(&rows));
        let tables = [
            (Format::Csv, open(&*csv, &options)),
            (Format::Csv, open(gzip(csv.as_bytes()), &options)),
            (Format::JsonLines, open(&*json, &options)),
            (Format::JsonLines, open(gzip(json.as_bytes()), &options)),
            (Format::Parquet, Table::open(&path, &options)),
        ];
        for (format, table) in tables {
            let mut table = table.unwrap();
            prop_assert_eq!(table.format(), format);
            prop_assert_eq!(names(&table), ["n", "b", "t"]);
            prop_assert_eq!(cells(&mut table), expected(&rows));
            prop_assert_eq!(table.malformed().count, 0);
        }
    }
}
