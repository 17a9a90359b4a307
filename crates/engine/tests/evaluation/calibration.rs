//! Predictions against outcomes.

use optimist_engine::evaluation::Calibration;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

#[test]
fn figures_from_their_formulas() {
    let rows = [(0.1, 0.0), (0.15, 1.0), (0.5, 1.0), (0.55, 0.0), (0.95, 1.0), (1.0, 1.0), (0.0, 0.0), (0.7, 0.25)];
    let mut calibration = Calibration::default();
    for (p, y) in rows {
        calibration.push(p, y).unwrap();
    }
    let report = calibration.report().unwrap();
    let n = rows.len() as f64;
    near(report.brier, rows.iter().map(|(p, y)| (p - y) * (p - y)).sum::<f64>() / n);
    let loss = |p: f64, y: f64| {
        (if y > 0.0 { -y * p.ln() } else { 0.0 }) + if y < 1.0 { -(1.0 - y) * (1.0 - p).ln() } else { 0.0 }
    };
    near(report.log_loss, rows.iter().map(|&(p, y)| loss(p, y)).sum::<f64>() / n);
    let rate = rows.iter().map(|row| row.1).sum::<f64>() / n;
    near(report.observed_rate, rate);
    near(
        report.brier_skill.unwrap(),
        1.0 - report.brier * n / rows.iter().map(|(_, y)| (y - rate).powi(2)).sum::<f64>(),
    );
    let constant = rows.iter().map(|&(_, y)| loss(rate, y)).sum::<f64>() / n;
    near(report.log_skill.unwrap(), 1.0 - report.log_loss / constant);
    let counts: Vec<u64> = report.bins.iter().map(|bin| bin.rows).collect();
    assert_eq!(counts, [1, 2, 0, 0, 0, 2, 0, 1, 0, 2]);
    near(report.bins[1].mean_prediction.unwrap(), 0.125);
    near(report.bins[1].observed_rate.unwrap(), 0.5);
    assert_eq!(report.bins[2].mean_prediction, None);
    let error = [(0.0, 0.0), (0.25, 1.0), (1.05, 1.0), (0.7, 0.25), (1.95, 2.0)];
    near(report.expected_calibration_error, error.iter().map(|(p, y): &(f64, f64)| (p - y).abs()).sum::<f64>() / n);
    assert_eq!(report.certain_and_wrong, 0);
}

#[test]
fn honest_predictions_are_calibrated_and_others_are_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let (mut honest, mut bold) = (Calibration::new(20).unwrap(), Calibration::new(20).unwrap());
    for _ in 0..50_000 {
        let p = rng.random::<f64>();
        let y = f64::from(u8::from(rng.random::<f64>() < p));
        honest.push(p, y).unwrap();
        bold.push(if p > 0.5 { 0.99 } else { 0.01 }, y).unwrap();
    }
    let (honest, bold) = (honest.report().unwrap(), bold.report().unwrap());
    // Twenty bins of 2500 rows: chance alone gives about 0.8 sqrt(1/6 / 2500) = 0.0065.
    assert!(honest.expected_calibration_error < 0.015, "{}", honest.expected_calibration_error);
    assert!((honest.brier - 1.0 / 6.0).abs() < 0.005 && (honest.brier_skill.unwrap() - 1.0 / 3.0).abs() < 0.02);
    assert!((bold.expected_calibration_error - 0.24).abs() < 0.01, "{}", bold.expected_calibration_error);
    assert!(bold.log_skill.unwrap() < 0.0 && honest.log_skill.unwrap() > 0.2);
}

#[test]
fn ends_of_the_range() {
    let mut calibration = Calibration::default();
    assert!(calibration.report().is_none());
    calibration.push(1.0, 0.0).unwrap();
    calibration.push(0.0, 0.0).unwrap();
    let report = calibration.report().unwrap();
    assert_eq!((report.certain_and_wrong, report.log_skill, report.brier_skill), (1, None, None));
    assert!(report.log_loss > 17.0 && report.log_loss < 17.5, "{}", report.log_loss);
    let before = calibration.clone();
    assert!(calibration.push(1.5, 0.0).unwrap_err().to_string().contains("prediction is 1.5"));
    assert!(calibration.push(0.5, f64::NAN).unwrap_err().to_string().contains("outcome is NaN"));
    assert_eq!(calibration, before);
    assert!(Calibration::new(0).is_err() && Calibration::new(usize::MAX).is_err());
}
