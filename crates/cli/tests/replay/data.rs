//! Tables and logs made for the tests, in all formats.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Output;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;
use tempfile::TempDir;

use crate::command::{optimist, refusal};

/// A directory with data.
pub(crate) struct Desk(TempDir);

impl Desk {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room for a directory"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("files can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = optimist(&[&["replay"], arguments].concat());
        command.current_dir(self.0.path()).output().expect("the command starts")
    }

    /// Standard output and standard error of a replay that must succeed.
    pub(crate) fn told(&self, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
        (out, err)
    }

    /// The JSON of a replay, without times.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let (text, _) = self.told(&[arguments, &["--json"]].concat());
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        for entry in value["entries"].as_array_mut().expect("a list") {
            let seconds = entry.as_object_mut().expect("an object").remove("seconds");
            assert!(seconds.and_then(|s| s.as_f64()).is_some_and(|s| s > 0.0), "{entry}");
        }
        value
    }

    /// The message of a replay that must be refused.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        refusal(&self.run(arguments))
    }
}

/// Numbers that look random, the same everywhere.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new() -> Self {
        Self(7)
    }

    pub(crate) fn uniform(&mut self) -> f64 {
        // Knuth's generator; its upper bits will do.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        ((self.uniform() * most as f64) as usize).min(most - 1)
    }
}

pub(crate) const DEVICES: [&str; 3] = ["phone", "desktop", "tablet"];

/// A visitor: number of the row, age, device, and the class, which is that of the device in nine of ten rows.
pub(crate) type Visit = (usize, f64, usize, usize);

pub(crate) fn visits(rows: usize) -> Vec<Visit> {
    let mut chance = Chance::new();
    let mut visit = |row: usize| {
        let (age, device) = (18.0 + (50.0 * chance.uniform()).round(), chance.below(3));
        let class = if chance.uniform() < 0.9 { device } else { chance.below(3) };
        (row + 1, age, device, class)
    };
    (0..rows).map(&mut visit).collect()
}

pub(crate) const CLASSES: [&str; 3] = ["green", "red", "blue"];

pub(crate) fn csv(visits: &[Visit]) -> String {
    let line = |(row, age, device, class): &Visit| format!("{row},{age},{},{}\n", DEVICES[*device], CLASSES[*class]);
    visits.iter().fold("row,age,device,bought\n".to_owned(), |text, visit| text + &line(visit))
}

pub(crate) fn json_lines(visits: &[Visit]) -> String {
    let line = |(row, age, device, class): &Visit| {
        let (device, class) = (DEVICES[*device], CLASSES[*class]);
        format!("{{\"row\": {row}, \"age\": {age}, \"device\": \"{device}\", \"bought\": \"{class}\"}}\n")
    };
    visits.iter().map(line).collect()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

pub(crate) fn parquet(visits: &[Visit]) -> Vec<u8> {
    let message = "message visits { required int64 row; required double age; required binary device (UTF8);
                   required binary bought (UTF8); }";
    let schema = Arc::new(parse_message_type(message).expect("a schema"));
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).expect("a writer");
    let mut group = file.next_row_group().expect("a group");
    let texts = |text: &dyn Fn(&Visit) -> &'static str| visits.iter().map(|v| ByteArray::from(text(v))).collect();
    let (devices, classes): (Vec<ByteArray>, Vec<ByteArray>) =
        (texts(&|visit| DEVICES[visit.2]), texts(&|visit| CLASSES[visit.3]));
    for number in 0..4 {
        let mut column = group.next_column().expect("a column").expect("four columns");
        let written = match column.untyped() {
            ColumnWriter::Int64ColumnWriter(writer) => {
                writer.write_batch(&visits.iter().map(|v| v.0 as i64).collect::<Vec<_>>(), None, None)
            }
            ColumnWriter::DoubleColumnWriter(writer) => {
                writer.write_batch(&visits.iter().map(|v| v.1).collect::<Vec<_>>(), None, None)
            }
            ColumnWriter::ByteArrayColumnWriter(writer) => {
                writer.write_batch(if number == 2 { &devices } else { &classes }, None, None)
            }
            _ => panic!("no such column"),
        };
        written.expect("memory takes it");
        column.close().expect("memory takes it");
    }
    group.close().expect("memory takes it");
    file.into_inner().expect("memory takes it")
}

/// Probabilities of the three actions in [`log`].
pub(crate) const PROPENSITIES: [f64; 3] = [0.6, 0.2, 0.2];

/// One logged decision: age, device, action, reward.
pub(crate) type Logged = (f64, usize, usize, usize);

/// A log: phones like green, desktops red, tablets blue, each with probability 0.8 instead of 0.2.
pub(crate) fn log(rows: usize, propensities: [f64; 3]) -> Vec<Logged> {
    let mut chance = Chance::new();
    let mut decision = |_| {
        let (age, device, u) = (18.0 + (50.0 * chance.uniform()).round(), chance.below(3), chance.uniform());
        let action = usize::from(u >= propensities[0]) + usize::from(u >= propensities[0] + propensities[1]);
        let reward = chance.uniform() < if device == action { 0.8 } else { 0.2 };
        (age, device, action, usize::from(reward))
    };
    (0..rows).map(&mut decision).collect()
}

pub(crate) fn log_csv(log: &[Logged]) -> String {
    let line = |(age, device, action, reward): &Logged| {
        format!("{age},{},{},{},{reward}\n", DEVICES[*device], CLASSES[*action], PROPENSITIES[*action])
    };
    log.iter().fold("age,device,banner,p,clicked\n".to_owned(), |text, row| text + &line(row))
}

pub(crate) fn dsjson(log: &[Logged]) -> String {
    let [a, b, c] = PROPENSITIES;
    let line = |(age, device, action, reward): &Logged| {
        let (device, cost, number) = (DEVICES[*device], -(*reward as i64), action + 1);
        format!(
            "{{\"_label_cost\":{cost},\"_label_probability\":{},\"_label_Action\":{number},\"_labelIndex\":{action},\
             \"a\":[1,2,3],\"p\":[{a},{b},{c}],\"c\":{{\"User\":{{\"age\":{age},\"device\":\"{device}\"}},\
             \"_multi\":[{{\"id\":\"green\"}},{{\"id\":\"red\"}},{{\"id\":\"blue\"}}]}}}}\n",
            PROPENSITIES[*action]
        )
    };
    log.iter().map(line).collect()
}
