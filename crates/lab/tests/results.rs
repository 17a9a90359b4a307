//! Tables of results against the outcome they were made of.

use std::io::{self, Write};

use optimist_lab::experiment::{
    Arms, Coverage, Drift, Environment, Feedback, NormBound, PolicySpec, Redraw, Rewards, Shape, Truth,
};
use optimist_lab::results::write_csv;
use optimist_lab::simulation::Record;
use optimist_lab::store::{EnvironmentRuns, PolicyRuns};
use optimist_lab::{Build, Error, Experiment, Outcome};

/// The last column is what varies among the environments below.
const HEADER: [&str; 19] = [
    "environment",
    "policy",
    "run",
    "t",
    "regret",
    "reward",
    "R1",
    "R2",
    "in_set",
    "bad_arm_plays",
    "R2_bad",
    "R2_good",
    "R1_optimistic",
    "slope_sum",
    "slope_bound",
    "elliptical",
    "transitory_end",
    "build",
    "kappa",
];

/// Labels that need quoting, or must not be mistaken.
const LABELS: [&str; 3] = ["plain", "with \"quotes\", commas,\nand a line", "größer"];

fn environment(kappa: f64) -> Environment {
    Environment {
        label: None,
        dimension: 2,
        arms: Arms::Drawn { shape: Shape::Ball, count: 7, redraw: Redraw::Run },
        truth: Truth::Kappa(kappa),
        norm_bound: NormBound::Exact,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    }
}

/// Figures with digits to lose: multiples of irrational numbers, the extremes of doubles, minus zero.
fn record(marks: &[usize], salt: f64, left_set: Option<u64>) -> Record {
    let figures = |scale: f64| marks.iter().map(|t| (scale + salt) * (*t as f64).sqrt()).collect::<Vec<_>>();
    let mut r2 = figures(-0.1);
    r2[0] = -0.0;
    r2[1] = 5e-324;
    Record {
        t: marks.to_vec(),
        regret: figures(0.3),
        reward: marks.iter().map(|t| *t as f64 / 3.0).collect(),
        r1: figures(1e17),
        r2,
        r2_bad: figures(-0.7),
        r1_optimistic: left_set.map(|_| figures(0.9)),
        slopes: figures(0.2),
        best_slopes: figures(0.1),
        elliptical: figures(0.01),
        bad_plays: marks.iter().map(|t| *t as u64 / 2).collect(),
        left_set,
        ..Record::default()
    }
}

/// Two environments, three policies, these runs of each. Of every three runs theta* stays in the set of the first, leaves
/// that of the second in round 40, and nobody looks in the third.
fn outcome(checkpoints: &[usize], runs: &[usize]) -> Outcome {
    let horizon = *checkpoints.last().unwrap();
    let experiment = Experiment {
        name: "test".into(),
        seed: 1,
        runs: 6,
        horizon,
        delta: 0.05,
        checkpoints: checkpoints.to_vec(),
        coverage: Coverage::Rounds,
        environments: [10.0, 50.5].map(environment).to_vec(),
        policies: LABELS.map(|label| PolicySpec::plain("greedy").labelled(label)).to_vec(),
    };
    let marks = experiment.marks();
    let policy_runs = |spec: &PolicySpec, salt: f64| {
        let finished = runs.iter().map(|&run| {
            let left = [Some(0), Some(40), None][run % 3];
            // One run in five is of an earlier version, which did not write down its build.
            let build = (run % 5 != 1).then(|| Build::identified_by(format!("code {}", run % 2)));
            (run, Record { build, ..record(&marks, salt + run as f64 / 7.0, left) })
        });
        PolicyRuns { spec: spec.clone(), runs: finished.collect() }
    };
    let environments = experiment.environments.iter().enumerate().map(|(i, environment)| {
        let policies = experiment.policies.iter().enumerate().map(|(j, c)| policy_runs(c, (3 * i + j) as f64 / 11.0));
        EnvironmentRuns { environment: environment.clone(), policies: policies.collect() }
    });
    Outcome { environments: environments.collect(), experiment }
}

fn csv_of(outcome: &Outcome) -> String {
    let mut bytes = Vec::new();
    write_csv(outcome, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The cells of a text, header first.
fn cells(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn csv_holds_every_figure_exactly() {
    let outcome = outcome(&[3, 30, 100], &[0, 1, 5]);
    let mut table = cells(&csv_of(&outcome)).into_iter();
    assert_eq!(table.next().unwrap(), HEADER);
    let bits = |text: &str| text.parse::<f64>().unwrap().to_bits();
    for environment_runs in &outcome.environments {
        for policy_runs in &environment_runs.policies {
            for (run, record) in &policy_runs.runs {
                for t in [3, 30, 100] {
                    let row = table.next().unwrap();
                    let mark = record.t.iter().position(|mark| *mark == t).unwrap();
                    assert_eq!(row[..2], [environment_runs.environment.to_string(), policy_runs.spec.label.clone()]);
                    assert_eq!(row[2..4], [run.to_string(), t.to_string()]);
                    assert_eq!(bits(&row[4]), record.regret[mark].to_bits());
                    assert_eq!(bits(&row[5]), record.reward[mark].to_bits());
                    assert_eq!(bits(&row[6]), record.r1[mark].to_bits());
                    assert_eq!(bits(&row[7]), record.r2[mark].to_bits());
                    let in_set = [Some(true), Some(t < 40), None][run % 3];
                    assert_eq!(row[8], in_set.map_or(String::new(), |truth| truth.to_string()));
                    assert_eq!(row[9], (t / 2).to_string());
                    assert_eq!(row[17], record.build.as_ref().map_or("", |build| &build.digest()[..8]));
                    assert_eq!(bits(&row[10]), record.r2_bad[mark].to_bits());
                    assert_eq!(bits(&row[11]), (record.r2[mark] - record.r2_bad[mark]).to_bits());
                    match &record.r1_optimistic {
                        Some(column) => assert_eq!(bits(&row[12]), column[mark].to_bits()),
                        None => assert_eq!(row[12], ""),
                    }
                    assert_eq!(bits(&row[13]), record.slopes[mark].to_bits());
                    assert_eq!(bits(&row[14]), (record.best_slopes[mark] + record.regret[mark]).to_bits());
                    assert_eq!(bits(&row[15]), record.elliptical[mark].to_bits());
                    let kappa = if let Truth::Kappa(kappa) = environment_runs.environment.truth { kappa } else { 0.0 };
                    assert_eq!(row[18], kappa.to_string());
                    // Half of all plays are detrimental to the end.
                    assert_eq!(row[16], "");
                }
            }
        }
    }
    assert!(table.next().is_none(), "rows too many");
}

#[test]
fn csv_looks_as_it_should() {
    let mut small = outcome(&[4], &[1]);
    small.environments.truncate(1);
    small.environments[0].policies[0].runs[0].1.regret[3] = 0.25;
    let lines: Vec<String> = csv_of(&small).lines().take(3).map(str::to_owned).collect();
    assert_eq!(lines[0], HEADER.join(","));
    assert!(lines[1].starts_with("d=2 ball-sample=7 kappa=10,plain,1,4,0.25,1.3333333333333333,"), "{}", lines[1]);
    assert!(lines[1].contains(",true,2,"), "{}", lines[1]);
    assert!(lines[2].starts_with("d=2 ball-sample=7 kappa=10,\"with \"\"quotes\"\", commas,"), "{}", lines[2]);
}

#[test]
fn without_runs_there_is_a_header() {
    assert_eq!(csv_of(&outcome(&[10], &[])), HEADER.join(",") + "\n");
}

#[test]
fn a_record_without_figures_is_named() {
    let mut broken = outcome(&[3, 30], &[2]);
    broken.environments[1].policies[0].runs[0].1.r1.truncate(5);
    let error = write_csv(&broken, Vec::new()).unwrap_err();
    assert!(matches!(error, Error::File(_)));
    let place = "run 2 of \"plain\" in d=2 ball-sample=7 kappa=50.5 has no figures after round 3:";
    assert!(error.to_string().starts_with(place), "{error}");
    broken.environments[1].policies[0].runs[0].1 = record(&[1, 2, 30], 0.0, None);
    let error = write_csv(&broken, Vec::new()).unwrap_err();
    assert!(error.to_string().contains("after round 3:"), "{error}");
}

/// A disk with room for so many bytes.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.0);
        self.0 -= fits;
        if fits == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(fits) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn complain_of_room(error: &Error) {
    assert!(matches!(error, Error::File(_)));
    let text = error.to_string();
    assert!(text.starts_with("the table of results cannot be written: the disk is full"), "{text}");
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn a_full_disk_is_an_error() {
    let outcome = outcome(&[3, 30], &[0, 1]);
    let whole = csv_of(&outcome).len();
    write_csv(&outcome, Disk(whole)).unwrap();
    for room in [0, 1, whole / 2, whole - 1] {
        complain_of_room(&write_csv(&outcome, Disk(room)).unwrap_err());
    }
}

#[cfg(feature = "parquet")]
mod parquet {
    use std::fs::File;

    use ::parquet::basic::{LogicalType, Repetition, Type};
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;
    use optimist_lab::results::write_parquet;

    use super::*;

    type Reader = SerializedFileReader<File>;

    fn bytes_of(outcome: &Outcome) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_parquet(outcome, &mut bytes).unwrap();
        bytes
    }

    fn reader(outcome: &Outcome) -> Reader {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes_of(outcome)).unwrap();
        SerializedFileReader::new(file).unwrap()
    }

    /// A environment_runs in the words of the text format.
    fn in_words(field: &Field) -> String {
        match field {
            Field::Str(text) => text.clone(),
            Field::Long(count) => count.to_string(),
            Field::Double(figure) => figure.to_string(),
            Field::Bool(truth) => truth.to_string(),
            Field::Null => String::new(),
            other => panic!("unexpected type: {other:?}"),
        }
    }

    fn table(reader: &Reader) -> Vec<Vec<String>> {
        let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
        rows.map(|row| row.get_column_iter().map(|(_, field)| in_words(field)).collect()).collect()
    }

    #[test]
    fn parquet_equals_csv_cell_by_cell() {
        let outcome = outcome(&[3, 30, 100], &[0, 1, 5]);
        let text = cells(&csv_of(&outcome));
        let reader = reader(&outcome);
        let names: Vec<String> =
            reader.metadata().file_metadata().schema().get_fields().iter().map(|f| f.name().to_owned()).collect();
        assert_eq!(names, text[0]);
        assert_eq!(table(&reader), text[1..]);
    }

    #[test]
    fn columns_have_types() {
        let reader = reader(&outcome(&[10], &[]));
        let schema = reader.metadata().file_metadata().schema_descr();
        for column in schema.columns() {
            let optional = column.self_type().get_basic_info().repetition() == Repetition::OPTIONAL;
            let (physical, text) = (column.physical_type(), column.logical_type_ref() == Some(&LogicalType::String));
            let expected = match column.name() {
                "environment" | "policy" | "build" => (Type::BYTE_ARRAY, true, false),
                "run" | "t" | "bad_arm_plays" => (Type::INT64, false, false),
                "R1_optimistic" | "kappa" => (Type::DOUBLE, false, true),
                "transitory_end" => (Type::INT64, false, true),
                "in_set" => (Type::BOOLEAN, false, true),
                _ => (Type::DOUBLE, false, false),
            };
            assert_eq!((physical, text, optional), expected, "{}", column.name());
        }
    }

    #[test]
    fn without_runs_there_is_a_valid_file() {
        let reader = reader(&outcome(&[10], &[]));
        assert_eq!((reader.metadata().file_metadata().num_rows(), reader.num_row_groups()), (0, 0));
        assert!(table(&reader).is_empty());
    }

    #[test]
    fn long_tables_come_in_groups() {
        let checkpoints: Vec<usize> = (1..=100).collect();
        let runs: Vec<usize> = (0..120).collect();
        let outcome = outcome(&checkpoints, &runs);
        let reader = reader(&outcome);
        let sizes: Vec<i64> = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        assert_eq!(sizes, [65_536, 72_000 - 65_536]);
        assert_eq!(table(&reader), cells(&csv_of(&outcome))[1..]);
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let outcome = outcome(&[3, 30], &[0, 1]);
        let whole = bytes_of(&outcome).len();
        write_parquet(&outcome, Disk(whole)).unwrap();
        for room in [0, 1, whole / 2, whole - 1] {
            complain_of_room(&write_parquet(&outcome, Disk(room)).unwrap_err());
        }
    }
}
