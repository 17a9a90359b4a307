//! Differences between policies, and the tables that are made of them, against slow computations.

use optimist_lab::experiment::{
    Arms, Coverage, Drift, Environment, Feedback, NormBound, PolicySpec, Redraw, Rewards, Shape, Truth,
};
use optimist_lab::results::{
    Comparison, FinalTable, Summary, TableRequest, difference_rounds, differences, holm, write_differences,
};
use optimist_lab::simulation::Record;
use optimist_lab::store::{EnvironmentRuns, PolicyRuns};
use optimist_lab::{Experiment, Outcome};

const LABELS: [&str; 3] = ["plain", "50% of_{all} & more", "[odd] | *one*"];

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

/// Regret of a policy in a run of an environment after the last of `t` rounds, which grows linearly: a part that all
/// policies share, their own, and some noise.
fn regret(place: usize, policy: usize, run: usize) -> f64 {
    let luck = (run * 7919 % 13) as f64;
    let noise = ((run + 1) * (policy + 3) * 31 % 11) as f64 / 10.0;
    let own = [[0.0, 3.0, 0.1], [4.0, 0.0, 4.0]][place][policy];
    20.0 + luck + own + noise
}

/// Two environments, three policies; the last policy lacks the runs that `missing` names.
fn outcome(runs: usize, missing: &[usize], checkpoints: &[usize]) -> Outcome {
    let horizon = *checkpoints.last().unwrap();
    let experiment = Experiment {
        name: "A_b & c".into(),
        seed: 1,
        runs,
        horizon,
        delta: 0.05,
        checkpoints: checkpoints.to_vec(),
        coverage: Coverage::Off,
        environments: [10.0, 50.0].map(environment).to_vec(),
        policies: LABELS.map(|label| PolicySpec::plain("greedy").labelled(label)).to_vec(),
    };
    let marks = experiment.marks();
    let record = |place: usize, policy: usize, run: usize| {
        let column: Vec<f64> = marks.iter().map(|t| regret(place, policy, run) * *t as f64 / horizon as f64).collect();
        let zeros = || vec![0.0; marks.len()];
        Record {
            t: marks.clone(),
            regret: column,
            reward: zeros(),
            r1: zeros(),
            r2: zeros(),
            r2_bad: zeros(),
            slopes: zeros(),
            best_slopes: zeros(),
            elliptical: zeros(),
            bad_plays: vec![0; marks.len()],
            ..Record::default()
        }
    };
    let policy_runs = |place: usize, policy: usize| {
        let finished = (0..runs).filter(|run| policy < 2 || !missing.contains(run));
        let runs = finished.map(|run| (run, record(place, policy, run))).collect();
        PolicyRuns { spec: experiment.policies[policy].clone(), runs }
    };
    let environments = experiment.environments.iter().enumerate().map(|(place, environment)| EnvironmentRuns {
        environment: environment.clone(),
        policies: (0..3).map(|policy| policy_runs(place, policy)).collect(),
    });
    Outcome { environments: environments.collect(), experiment }
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs().max(1e-3), "{a} is not {b}");
}

#[test]
fn pairs_are_compared_run_by_run() {
    let outcome = outcome(20, &[3, 7], &[50, 100]);
    let found = differences(&outcome.environments[0], 100);
    let pairs: Vec<(&str, &str, usize)> =
        found.iter().map(|d| (d.policy.as_str(), d.reference.as_str(), d.runs)).collect();
    assert_eq!(pairs, [(LABELS[1], LABELS[0], 20), (LABELS[2], LABELS[0], 18), (LABELS[2], LABELS[1], 18)]);
    for (difference, (policy, reference)) in found.iter().zip([(1, 0), (2, 0), (2, 1)]) {
        let runs = (0..20).filter(|run| policy < 2 || ![3, 7].contains(run));
        let sample: Vec<f64> = runs.map(|run| regret(0, policy, run) - regret(0, reference, run)).collect();
        let n = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / n;
        let error = (sample.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        near(difference.test.mean, mean);
        near(difference.test.standard_error, error);
        // 97.5% quantiles of Student's t with 19 and 17 degrees of freedom.
        let quantile = if sample.len() == 20 { 2.093024054408263 } else { 2.109815577833181 };
        near(difference.test.high, mean + quantile * error);
        near(difference.test.low, mean - quantile * error);
    }
    let adjusted = holm(&found.iter().map(|d| d.test.p).collect::<Vec<_>>());
    assert_eq!(found.iter().map(|d| d.p_holm).collect::<Vec<_>>(), adjusted);
    let comparisons: Vec<Comparison> = found.iter().map(|d| d.comparison()).collect();
    assert_eq!(comparisons, [Comparison::Worse, Comparison::Open, Comparison::Better]);
    // Half way all regrets are half as large, and so are the differences.
    near(differences(&outcome.environments[0], 50)[0].test.mean, found[0].test.mean / 2.0);
    assert_eq!(differences(&outcome.environments[0], 3).len(), 3, "a mark that is no checkpoint will do");
    assert_eq!(differences(&outcome.environments[0], 101), []);
}

#[test]
fn differences_are_written_as_a_table_and_in_the_summary() {
    let outcome = outcome(5, &[], &[50, 100]);
    let mut bytes = Vec::new();
    write_differences(&outcome, &mut bytes).unwrap();
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header[..6], ["environment", "t", "policy", "reference", "runs", "mean_difference"]);
    let rows: Vec<Vec<String>> = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(rows.len(), 2 * 2 * 3);
    let expected = differences(&outcome.environments[1], 100);
    for (row, difference) in rows[9..].iter().zip(&expected) {
        assert_eq!(row[..4], ["d=2 ball-sample=7 kappa=50", "100", &difference.policy, &difference.reference]);
        assert_eq!(row[5].parse::<f64>().unwrap().to_bits(), difference.test.mean.to_bits());
        assert_eq!(row[10].parse::<f64>().unwrap().to_bits(), difference.p_holm.to_bits());
    }
    let summary = serde_json::to_value(Summary::of(&outcome)).unwrap();
    let first = &summary["cells"][1]["differences"][0];
    assert_eq!((first["policy"].as_str(), first["runs"].as_u64()), (Some(LABELS[1]), Some(5)));
    assert_eq!(first["mean"].as_f64(), Some(expected[0].test.mean));
    assert_eq!(summary["cells"][1]["environment"]["swept"], serde_json::json!({"kappa": 50.0}));
    assert_eq!(summary["cells"][1]["environment"]["short"], "kappa=50");
    assert_eq!(summary["experiment"]["progress"], serde_json::json!({"finished": 30, "asked": 30}));
}

#[test]
fn single_runs_have_differences_without_certainty() {
    let outcome = outcome(1, &[], &[100]);
    let mut bytes = Vec::new();
    write_differences(&outcome, &mut bytes).unwrap();
    let line = String::from_utf8(bytes).unwrap().lines().nth(1).unwrap().to_owned();
    assert!(line.ends_with(",,,,,,,"), "{line}");
    let table = FinalTable::of(&outcome, &TableRequest::default()).unwrap();
    let cell = table.cells[2][0].unwrap();
    assert!(cell.best && cell.standard_error.is_nan() && table.cells[1][0].unwrap().near_best);
    assert!(
        table.markdown().contains("| **20.2** |") && table.latex().contains("\\textbf{20.2} &"),
        "{}",
        table.latex()
    );
}

#[test]
fn dense_curves_are_compared_at_a_hundred_rounds() {
    let checkpoints: Vec<usize> = (1..=700).map(|i| 3 * i).collect();
    let outcome = outcome(2, &[], &checkpoints);
    let rounds = difference_rounds(&outcome.experiment);
    assert!(rounds.len() <= 100 && rounds.len() > 60, "{}", rounds.len());
    assert!(rounds.iter().all(|t| checkpoints.contains(t)) && rounds.last() == Some(&2100));
    assert!(rounds.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn final_tables() {
    let outcome = outcome(20, &[], &[50, 100]);
    let table = FinalTable::of(&outcome, &TableRequest::default()).unwrap();
    insta::assert_snapshot!("final_table_latex", table.latex());
    insta::assert_snapshot!("final_table_markdown", table.markdown());
    assert_eq!((table.t, table.environments.len()), (100, 2));
    let mean = |place, policy| (0..20).map(|run| regret(place, policy, run)).sum::<f64>() / 20.0;
    for (policy, row) in table.cells.iter().enumerate() {
        for (place, cell) in row.iter().enumerate() {
            near(cell.unwrap().mean, mean(place, policy));
        }
    }
    let marks: Vec<Vec<(bool, bool)>> = table
        .cells
        .iter()
        .map(|row| row.iter().map(|cell| cell.map(|c| (c.best, c.near_best)).unwrap()).collect())
        .collect();
    let (best, near_best, worse) = ((true, false), (false, true), (false, false));
    assert_eq!(marks, [[best, worse], [worse, best], [near_best, worse]]);
    let csv = table.csv();
    assert_eq!(csv.lines().count(), 7);
    assert!(csv.lines().nth(1).unwrap().starts_with("kappa=10,plain,100,20,"), "{csv}");
}

#[test]
fn parts_of_tables() {
    let outcome = outcome(4, &[], &[50, 100]);
    let request = |t, policies: &[&str], environments: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        TableRequest { t, policies: owned(policies), environments: owned(environments) }
    };
    let table = FinalTable::of(&outcome, &request(Some(50), &[LABELS[2], LABELS[0]], &["2", "kappa=50"])).unwrap();
    assert_eq!(
        (table.policies.as_slice(), table.environments.as_slice()),
        (&[LABELS[0].to_owned(), LABELS[2].to_owned()][..], &["kappa=50".to_owned()][..])
    );
    assert_eq!(table.cells.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
    let message = |request: &TableRequest| FinalTable::of(&outcome, request).unwrap_err().to_string();
    let text = message(&request(Some(98), &[], &[]));
    assert!(
        text.starts_with("t is 98: no figures were taken after that round; the nearest rounds that have some: "),
        "{text}"
    );
    let text = message(&request(None, &["plane"], &[]));
    let beginning =
        "policies has \"plane\", which is no policy of the experiment: did you mean \"plain\"? (known: plain, ";
    assert!(text.starts_with(beginning), "{text}");
    let text = message(&request(None, &[], &["kappa=11"]));
    assert!(
        text.starts_with(
            "environments has \"kappa=11\", which is no environment of the experiment: did you mean \"kappa=1"
        ),
        "{text}"
    );
}

/// The mean over many bad runs is beaten by one over the good runs among them; who did better in the common ones is not called
/// worse.
#[test]
fn no_policy_is_called_worse_for_runs_that_another_lacks() {
    let mut outcome = outcome(24, &[], &[100]);
    let runs = &mut outcome.environments[0].policies;
    runs[1].runs.retain(|(run, _)| run % 2 == 0);
    let regret = |record: &mut Record, value: f64| *record.regret.last_mut().unwrap() = value;
    for (run, record) in &mut runs[0].runs {
        regret(record, if *run % 2 == 0 { 5.0 + *run as f64 } else { 200.0 });
    }
    for (run, record) in &mut runs[1].runs {
        regret(record, 9.0 + 1.1 * *run as f64);
    }
    let table = FinalTable::of(&outcome, &TableRequest::default()).unwrap();
    let cells: Vec<_> = table.cells.iter().map(|row| row[0].unwrap()).collect();
    assert!(cells[1].mean < cells[0].mean && !cells[0].best && cells[0].near_best, "{cells:?}");
}
