//! Estimates against exact expectations.

use optimist_engine::evaluation::{Difference, DifferenceRow, LoggedRow, OffPolicy, OffPolicyOptions, SupportOptions};

use super::simulation::{CHANCES, GREEDY, Logger, TARGET, dot, value};

/// No threshold: three rows are few, and are meant to be.
const ANY: SupportOptions = SupportOptions { least_effective_rows: 0.0, least_effective_share: 0.0 };

const PAYS: [[f64; 2]; 2] = [[0.9, 0.2], [0.4, 0.7]];
const FIRST: [[f64; 2]; 2] = [[0.3, 0.7], [0.8, 0.2]];
const SECOND: [[f64; 2]; 2] = [[1.0, 0.0], [0.5, 0.5]];

/// Context, action, propensity, reward, and a prediction from the past.
type Row = (usize, usize, f64, f64, f64);

/// What a log of three rows may be, with its probability: contexts are equally likely, and the logging policy leans towards
/// the action that paid last.
fn every_log(visit: &mut dyn FnMut(f64, &[Row])) {
    fn extend(chance: f64, log: &mut Vec<Row>, visit: &mut dyn FnMut(f64, &[Row])) {
        if log.len() == 3 {
            return visit(chance, log);
        }
        let lean = match log.last() {
            Some((_, 0, _, reward, _)) => 0.5 + 0.35 * (2.0 * reward - 1.0),
            Some((_, _, _, reward, _)) => 0.5 - 0.35 * (2.0 * reward - 1.0),
            None => 0.5,
        };
        // What a model might predict, from the past only.
        let predicted = (0.3 + log.iter().map(|row| row.3).sum::<f64>()) / (1.0 + log.len() as f64);
        for (context, pays) in PAYS.iter().enumerate() {
            for (action, pays) in pays.iter().enumerate() {
                for reward in [0.0, 1.0] {
                    let p = if action == 0 { lean } else { 1.0 - lean };
                    let q = 0.5 * p * if reward == 1.0 { *pays } else { 1.0 - pays };
                    log.push((context, action, p, reward, predicted));
                    extend(chance * q, log, visit);
                    log.pop();
                }
            }
        }
    }
    extend(1.0, &mut vec![], visit);
}

fn exact(policy: &[[f64; 2]; 2]) -> f64 {
    (0..2).map(|x| 0.5 * (0..2).map(|a| policy[x][a] * PAYS[x][a]).sum::<f64>()).sum()
}

/// Expectations over all 512 logs of three rows, drawn by a policy that learns.
#[test]
fn unbiased_by_enumeration() {
    let clip = 1.5;
    let (mut total, mut ips, mut robust, mut clipped, mut bias, mut difference) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    every_log(&mut |chance, log| {
        let options = OffPolicyOptions { clip, support: ANY, ..Default::default() };
        let mut evaluation = OffPolicy::new(options).unwrap();
        let mut compared = Difference::new(None, ANY).unwrap();
        let mut shortfall = 0.0;
        for &(x, a, p, r, predicted) in log {
            // Predictions that differ by action, and are wrong.
            let m = |action: usize| if action == 0 { predicted } else { 1.0 - predicted };
            let target = FIRST[x][0] * m(0) + FIRST[x][1] * m(1);
            evaluation.push(&LoggedRow::new(p, FIRST[x][a], r).with_predictions(m(a), target)).unwrap();
            compared.push(&DifferenceRow::new(p, FIRST[x][a], SECOND[x][a], r)).unwrap();
            shortfall += (FIRST[x][a] / p - clip).max(0.0) / 3.0;
        }
        let estimates = evaluation.report(0.05).unwrap().estimates.unwrap();
        total += chance;
        ips += chance * estimates.inverse_propensity.value;
        robust += chance * estimates.doubly_robust.unwrap().value;
        clipped += chance * estimates.clipped.estimate.value;
        bias += chance * shortfall;
        difference += chance * compared.report(0.05).unwrap().estimate.unwrap().value;
    });
    let truth = exact(&FIRST);
    assert!((total - 1.0).abs() < 1e-12);
    assert!((ips - truth).abs() < 1e-12, "{ips} {truth}");
    assert!((robust - truth).abs() < 1e-12, "{robust} {truth}");
    assert!((difference - (truth - exact(&SECOND))).abs() < 1e-12, "{difference}");
    assert!(clipped < truth - 1e-3 && truth <= clipped + bias, "{clipped} {truth} {bias}");
}

/// Averages over independent logs, within what the normal law allows; and the self-normalised estimate on a long one.
#[test]
fn unbiased_by_simulation() {
    let truth = value(&TARGET, &CHANCES);
    let gap = value(&GREEDY, &CHANCES) - truth;
    let logs = 2000;
    let (mut ips, mut robust, mut compared) = (vec![], vec![], vec![]);
    for seed in 0..logs {
        let mut logger = Logger::new(1_000_000 + seed, 0.3);
        let mut evaluation = OffPolicy::new(OffPolicyOptions { support: ANY, ..Default::default() }).unwrap();
        let mut difference = Difference::new(None, ANY).unwrap();
        for _ in 0..60 {
            let step = logger.step(&CHANCES);
            let (x, a) = (step.context, step.action);
            let row = LoggedRow::new(step.propensity, TARGET[x][a], step.reward)
                .with_predictions(step.predictions[a], dot(&TARGET[x], &step.predictions));
            evaluation.push(&row).unwrap();
            difference.push(&DifferenceRow::new(step.propensity, GREEDY[x][a], TARGET[x][a], step.reward)).unwrap();
        }
        // A log that is refused by the (one in a thousand) test of weights would bias the average.
        let estimates = evaluation.report(0.05).unwrap().estimates.expect("no log of these is refused");
        ips.push(estimates.inverse_propensity.value);
        robust.push(estimates.doubly_robust.unwrap().value);
        compared.push(difference.report(0.05).unwrap().estimate.expect("no log of these is refused").value);
    }
    for (name, values, truth) in [("ips", ips, truth), ("robust", robust, truth), ("difference", compared, gap)] {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let error = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        println!("{name}: {mean:.4} +- {error:.4}, truth {truth:.4}");
        assert!((mean - truth).abs() < 4.0 * error, "{name}: {mean} +- {error} is not {truth}");
    }
}

#[test]
fn self_normalised_is_consistent() {
    let truth = value(&TARGET, &CHANCES);
    let mut logger = Logger::new(3, 0.2);
    let mut evaluation = OffPolicy::new(OffPolicyOptions::default()).unwrap();
    let mut rows = 0;
    for (until, most) in [(2_000, 0.15), (200_000, 0.015)] {
        while rows < until {
            let step = logger.step(&CHANCES);
            let q = TARGET[step.context][step.action];
            evaluation.push(&LoggedRow::new(step.propensity, q, step.reward)).unwrap();
            rows += 1;
        }
        let estimates = evaluation.report(0.05).unwrap().estimates.unwrap();
        let (snips, ips) = (estimates.self_normalised.unwrap(), estimates.inverse_propensity);
        let error = snips.standard_error.unwrap();
        assert!((snips.value - truth).abs() < 4.0 * error && 4.0 * error < most, "{rows}: {snips:?}");
        // The weights' own noise cancels, which is what it is for.
        assert!(error < ips.standard_error.unwrap(), "{rows}: {snips:?} {ips:?}");
    }
}

/// Asymptotic intervals, looked at once, miss about as often as they say.
#[test]
fn asymptotic_intervals_at_a_fixed_time() {
    let truth = value(&TARGET, &CHANCES);
    let runs = 500;
    let mut misses = [0; 4];
    for seed in 0..runs {
        let mut logger = Logger::new(seed, 0.6);
        let mut evaluation = OffPolicy::new(OffPolicyOptions { clip: 1.5, ..Default::default() }).unwrap();
        for _ in 0..1500 {
            let step = logger.step(&CHANCES);
            let (x, a) = (step.context, step.action);
            let row = LoggedRow::new(step.propensity, TARGET[x][a], step.reward)
                .with_predictions(step.predictions[a], dot(&TARGET[x], &step.predictions));
            evaluation.push(&row).unwrap();
        }
        let estimates = evaluation.report(0.2).unwrap().estimates.unwrap();
        let all = [
            estimates.inverse_propensity,
            estimates.self_normalised.unwrap(),
            estimates.doubly_robust.unwrap(),
            estimates.clipped.estimate,
        ];
        for (misses, estimate) in misses.iter_mut().zip(all) {
            *misses += i32::from(!estimate.asymptotic.unwrap().contains(truth));
        }
    }
    let margin = 4.0 * (0.2f64 * 0.8 / runs as f64).sqrt();
    let rates = misses.map(|misses| f64::from(misses) / runs as f64);
    println!("asymptotic intervals at 80% missed {rates:?}");
    assert!(rates[..3].iter().all(|rate| (rate - 0.2).abs() < margin), "{rates:?}");
    // The bias is paid for on one side, so the clipped one is on the safe side.
    assert!(rates[3] < 0.2 + margin, "{rates:?}");
}
