//! Parquet: files written by the library's own writer, read back with what they mean, and files that are damaged.

use optimist_tables::{Cell, Error, Options, Row, Table};
use parquet::basic::{Compression as Codec, GzipLevel, ZstdLevel};

use crate::written::{Stored, StoredColumn, cells, names, parquet, save, text};

fn read(bytes: &[u8], options: &Options) -> Result<(Vec<String>, Vec<Vec<Cell>>), Error> {
    let (_directory, path) = save(bytes);
    let mut table = Table::open(&path, options)?;
    let rows = table.rows().map(|row| row.map(|row| row.cells().to_vec())).collect::<Result<_, _>>()?;
    Ok((names(&table).iter().map(|&name| name.to_owned()).collect(), rows))
}

/// One required column, its values as cells.
fn column(kind: &str, values: Stored) -> Vec<Cell> {
    let bytes = parquet(
        &format!("message m {{ required {kind}; }}"),
        &[vec![StoredColumn::required(values)]],
        Codec::UNCOMPRESSED,
    );
    read(&bytes, &Options::default()).unwrap().1.into_iter().flatten().collect()
}

#[test]
fn stored_values_are_read_as_what_they_mean() {
    let number = Cell::Number;
    assert_eq!(column("boolean x", Stored::Bool(vec![true, false])), [Cell::Bool(true), Cell::Bool(false)]);
    assert_eq!(column("int32 x", Stored::Int32(vec![-1, 2])), [number(-1.0), number(2.0)]);
    assert_eq!(column("int32 x (INTEGER(32,false))", Stored::Int32(vec![-1])), [number(4294967295.0)]);
    assert_eq!(column("int64 x (INTEGER(64,false))", Stored::Int64(vec![-1])), [text("18446744073709551615")]);
    assert_eq!(
        column("int64 x", Stored::Int64(vec![1 << 53, (1 << 53) + 1])),
        [number(9007199254740992.0), text("9007199254740993")]
    );
    assert_eq!(
        column("float x", Stored::Float(vec![0.1, -2.0, 3e30])),
        [number(0.1), number(-2.0), number(3e30f32.into())]
    );
    assert_eq!(
        column("double x", Stored::Double(vec![0.1, f64::NAN, f64::NEG_INFINITY])),
        [number(0.1), Cell::Missing, text("-inf")]
    );
    let words = ["a", "é", "", "NA", "5"].map(|word| word.as_bytes().to_vec()).to_vec();
    assert_eq!(
        column("binary x (UTF8)", Stored::Bytes(words)),
        [text("a"), text("é"), Cell::Missing, Cell::Missing, text("5")]
    );
    assert_eq!(column("int32 x (DECIMAL(5,2))", Stored::Int32(vec![12345, -5])), [number(123.45), number(-0.05)]);
    assert_eq!(column("int64 x (DECIMAL(18,1))", Stored::Int64(vec![15])), [number(1.5)]);
    assert_eq!(
        column("binary x (DECIMAL(20,3))", Stored::Bytes(vec![vec![0xff, 0x85], vec![0x01, 0, 0]])),
        [number(-0.123), number(65.536)]
    );
    assert_eq!(
        column("int32 x (DATE)", Stored::Int32(vec![0, 18_627, -1])),
        [text("1970-01-01"), text("2020-12-31"), text("1969-12-31")]
    );
    assert_eq!(column("int32 x (TIME(MILLIS,true))", Stored::Int32(vec![3_661_500])), [text("01:01:01.500")]);
    assert_eq!(
        column("int64 x (TIMESTAMP(MILLIS,true))", Stored::Int64(vec![1_612_456_289_246, -1])),
        [text("2021-02-04T16:31:29.246Z"), text("1969-12-31T23:59:59.999Z")]
    );
    assert_eq!(
        column("int64 x (TIMESTAMP(NANOS,false))", Stored::Int64(vec![1_000_000_000])),
        [text("1970-01-01T00:00:01")]
    );
    // Noon of the Julian day of 1970-01-02.
    let noon = 43_200_000_000_000_u64;
    assert_eq!(
        column("int96 x", Stored::Int96(vec![[noon as u32, (noon >> 32) as u32, 2_440_589]])),
        [text("1970-01-02T12:00:00Z")]
    );
    assert_eq!(column("fixed_len_byte_array(3) x", Stored::Bytes(vec![vec![0, 0xab, 0xff]])), [text("00abff")]);
    let uuid = (0..16).collect::<Vec<u8>>();
    assert_eq!(
        column("fixed_len_byte_array(16) x (UUID)", Stored::Bytes(vec![uuid])),
        [text("00010203-0405-0607-0809-0a0b0c0d0e0f")]
    );
    let halves = [0x3c00_u16, 0xc500, 0x0001, 0x7c00, 0x7e00].map(|half| half.to_le_bytes().to_vec()).to_vec();
    assert_eq!(
        column("fixed_len_byte_array(2) x (FLOAT16)", Stored::Bytes(halves)),
        [number(1.0), number(-5.0), number(2f64.powi(-24)), text("inf"), Cell::Missing]
    );
}

#[test]
fn what_is_optional_nested_or_a_list_keeps_its_shape() {
    let schema = "message m {
        optional group u { optional double age; }
        optional group v (LIST) { repeated group list { optional float element; } }
        repeated int32 old;
        optional group t (LIST) { repeated group list { optional binary element (UTF8); } }
        optional group m (MAP) { repeated group key_value { required binary key (UTF8); optional int32 value; } }
    }";
    let words = |words: &[&str]| Stored::Bytes(words.iter().map(|word| word.as_bytes().to_vec()).collect());
    let columns = vec![
        StoredColumn::with_levels(Stored::Double(vec![7.0]), &[2, 1, 0, 1], &[]),
        // [1.5, 2], [], null, [null, 3]
        StoredColumn::with_levels(Stored::Float(vec![1.5, 2.0, 3.0]), &[3, 3, 1, 0, 2, 3], &[0, 1, 0, 0, 0, 1]),
        StoredColumn::with_levels(Stored::Int32(vec![1, 2, 3]), &[1, 0, 1, 1, 0], &[0, 0, 0, 1, 0]),
        StoredColumn::with_levels(words(&["a", "b"]), &[3, 3, 1, 0, 0], &[0, 1, 0, 0, 0]),
        StoredColumn::with_levels(words(&["k", "l"]), &[2, 2, 1, 0, 0], &[0, 1, 0, 0, 0]),
        StoredColumn::with_levels(Stored::Int32(vec![8, 9]), &[3, 3, 1, 0, 0], &[0, 1, 0, 0, 0]),
    ];
    let (names, rows) = read(&parquet(schema, &[columns], Codec::SNAPPY), &Options::default()).unwrap();
    assert_eq!(names, ["u.age", "v", "old", "t", "m.key", "m.value"]);
    let vector = |numbers: &[f64]| Cell::Vector(numbers.to_vec());
    assert_eq!(
        rows[0],
        [
            Cell::Number(7.0),
            vector(&[1.5, 2.0]),
            vector(&[1.0]),
            text("[\"a\",\"b\"]"),
            text("[\"k\",\"l\"]"),
            vector(&[8.0, 9.0])
        ]
    );
    assert_eq!(rows[1], [Cell::Missing, vector(&[]), vector(&[]), text("[]"), text("[]"), vector(&[])]);
    assert_eq!(
        rows[2],
        [Cell::Missing, Cell::Missing, vector(&[2.0, 3.0]), Cell::Missing, Cell::Missing, Cell::Missing]
    );
    assert_eq!(rows[3][1..3], [text("[null,3.0]"), vector(&[])]);
    assert_eq!(rows.len(), 4);
}

fn numbers(codec: Codec) -> Vec<u8> {
    // Row groups and batches of sizes that do not divide each other.
    let group = |start: i64, count: i64| {
        let ids: Vec<i64> = (start..start + count).collect();
        let present: Vec<i16> = ids.iter().map(|id| i16::from(id % 3 != 0)).collect();
        let values = ids.iter().filter(|&id| id % 3 != 0).map(|&id| (id as f64).sqrt()).collect();
        vec![
            StoredColumn::required(Stored::Int64(ids)),
            StoredColumn::with_levels(Stored::Double(values), &present, &[]),
        ]
    };
    let schema = "message m { required int64 id; optional double root; }";
    parquet(schema, &[group(0, 2500), group(2500, 1), group(2501, 0), group(2501, 3000)], codec)
}

#[test]
fn row_groups_and_pages_make_no_difference_in_any_codec() {
    for codec in [
        Codec::UNCOMPRESSED,
        Codec::SNAPPY,
        Codec::GZIP(GzipLevel::default()),
        Codec::ZSTD(ZstdLevel::default()),
        Codec::LZ4_RAW,
    ] {
        let (_, rows) = read(&numbers(codec), &Options::default()).unwrap();
        assert_eq!(rows.len(), 5501);
        for (id, row) in rows.iter().enumerate() {
            let root = if id % 3 == 0 { Cell::Missing } else { Cell::Number((id as f64).sqrt()) };
            assert_eq!(*row, [Cell::Number(id as f64), root], "{codec:?}");
        }
    }
}

#[test]
fn rows_are_numbered_and_progress_ends_at_the_length_of_the_file() {
    let bytes = numbers(Codec::SNAPPY);
    let (_directory, path) = save(&bytes);
    let mut table = Table::open(&path, &Options::default()).unwrap();
    assert_eq!(table.progress().bytes_read, 0);
    let mut row = Row::new();
    let mut count = 0;
    while table.read(&mut row).unwrap() {
        count += 1;
        assert_eq!(row.line, count);
    }
    assert_eq!(table.progress().bytes_read, bytes.len() as u64);
    assert_eq!(table.progress().bytes_total, Some(bytes.len() as u64));
}

#[test]
fn text_that_is_not_utf8_makes_a_malformed_row() {
    let schema = "message m { required binary x (UTF8); }";
    let values = Stored::Bytes(vec![b"a".to_vec(), vec![0xff], b"b".to_vec()]);
    let bytes = parquet(schema, &[vec![StoredColumn::required(values)]], Codec::UNCOMPRESSED);
    let (_directory, path) = save(&bytes);
    let mut table = Table::open(&path, &Options::default()).unwrap();
    assert_eq!(cells(&mut table), [[text("a")], [text("b")]]);
    assert_eq!(table.malformed().first, [(2, "the column `x` has text that is not UTF-8".to_owned())]);
    let mut strict = Table::open(&path, &Options { strict: true, ..Options::default() }).unwrap();
    assert!(strict.rows().any(|row| row.is_err_and(|error| matches!(error, Error::Row { line: 2, .. }))));
}

#[test]
fn a_file_that_is_cut_off_is_one_clear_error() {
    let bytes = numbers(Codec::SNAPPY);
    for length in [4, 8, 11, 100, bytes.len() / 2, bytes.len() - 8, bytes.len() - 1] {
        let error = read(&bytes[..length], &Options::default()).unwrap_err();
        assert!(matches!(error, Error::Content { .. }));
        assert!(error.to_string().contains("cut off or damaged"), "{length}: {error}");
    }
}

#[test]
fn columns_that_cannot_be_read_can_be_left_out() {
    let schema = "message m {
        required int32 x;
        required group deep (LIST) { repeated group list { required group element (LIST) {
            repeated group list { required int32 element; } } } }
        required group g { required int32 a; required int32 b; }
    }";
    let columns = vec![
        StoredColumn::required(Stored::Int32(vec![1])),
        StoredColumn::with_levels(Stored::Int32(vec![5, 6]), &[2, 2], &[0, 2]),
        StoredColumn::required(Stored::Int32(vec![2])),
        StoredColumn::required(Stored::Int32(vec![3])),
    ];
    let bytes = parquet(schema, &[columns], Codec::UNCOMPRESSED);
    let error = read(&bytes, &Options::default()).unwrap_err().to_string();
    assert!(error.contains("the column `deep` cannot be read: it has lists in lists"), "{error}");
    assert!(error.ends_with("leave it out with ignore = [\"deep\"]"), "{error}");
    let options = Options { ignore: vec!["deep".to_owned(), "g".to_owned()], ..Options::default() };
    assert_eq!(read(&bytes, &options).unwrap(), (vec!["x".to_owned()], vec![vec![Cell::Number(1.0)]]));
    let options = Options { ignore: vec!["deep".to_owned(), "h".to_owned()], ..Options::default() };
    assert!(read(&bytes, &options).unwrap_err().to_string().starts_with("ignore = \"h\""));
}

#[test]
fn a_table_without_rows_has_columns() {
    let bytes = parquet("message m { required int32 x; }", &[], Codec::UNCOMPRESSED);
    assert_eq!(read(&bytes, &Options::default()).unwrap(), (vec!["x".to_owned()], vec![]));
}
