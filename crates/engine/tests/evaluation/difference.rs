//! Two targets on one log.

use optimist_engine::evaluation::{Difference, DifferenceRow, SupportOptions};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::simulation::{ACTIONS, CHANCES, GREEDY, Logger, Misses, TARGET, assert_covered, value};

fn overlap(context: usize) -> f64 {
    (0..ACTIONS).map(|a| GREEDY[context][a].min(TARGET[context][a])).sum()
}

#[test]
fn covered_at_all_times() {
    let truth = value(&GREEDY, &CHANCES) - value(&TARGET, &CHANCES);
    let mut runs = [vec![], vec![], vec![]];
    for seed in 0..200 {
        let mut logger = Logger::new(seed, 0.25);
        let limit = Some(logger.weight_limit());
        let mut all = [None, None, limit].map(|limit| Difference::new(limit, SupportOptions::default()).unwrap());
        let mut misses = [Misses::default(); 3];
        for _ in 0..300 {
            let step = logger.step(&CHANCES);
            let (x, a) = (step.context, step.action);
            let row = DifferenceRow::new(step.propensity, GREEDY[x][a], TARGET[x][a], step.reward);
            for (i, difference) in all.iter_mut().enumerate() {
                difference.push(&if i == 0 { row } else { row.with_overlap(overlap(x)) }).unwrap();
                misses[i].look(truth, |delta| difference.interval(delta).unwrap());
            }
        }
        runs.iter_mut().zip(misses).for_each(|(runs, misses)| runs.push(misses));
    }
    assert_covered("difference", &runs[0]);
    assert_covered("difference with overlap", &runs[1]);
    assert_covered("difference with overlap and limit", &runs[2]);
}

/// Two policies that differ in one context of two, and a little there: what they share is most of the noise.
#[test]
fn overlap_removes_the_noise_of_agreement() {
    const CLOSE: [[f64; ACTIONS]; 2] = [GREEDY[0], [0.8, 0.2, 0.0]];
    let mut logger = Logger::new(2, 0.25);
    let mut all = [None, None].map(|limit| Difference::new(limit, SupportOptions::default()).unwrap());
    let truth = value(&GREEDY, &CHANCES) - value(&CLOSE, &CHANCES);
    for _ in 0..10_000 {
        let step = logger.step(&CHANCES);
        let (x, a) = (step.context, step.action);
        let row = DifferenceRow::new(step.propensity, GREEDY[x][a], CLOSE[x][a], step.reward);
        let overlap = (0..ACTIONS).map(|a| GREEDY[x][a].min(CLOSE[x][a])).sum();
        all[0].push(&row).unwrap();
        all[1].push(&row.with_overlap(overlap)).unwrap();
    }
    let intervals = all.each_ref().map(|difference| difference.interval(0.05).unwrap());
    println!(
        "close policies after 10000 rows: {} without overlap, {} with, truth {truth:.4}",
        intervals[0], intervals[1]
    );
    assert!(intervals.iter().all(|interval| interval.contains(truth)));
    assert!(intervals[1].width() < 0.7 * intervals[0].width());
}

/// Policies that always agree do not differ, and no noise in the log can hide it.
#[test]
fn equal_policies() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut difference = Difference::new(None, SupportOptions::default()).unwrap();
    for _ in 0..2000 {
        let (p, q) = if rng.random::<f64>() < 0.1 { (0.1, 0.9) } else { (0.9, 0.1) };
        let reward = f64::from(u8::from(rng.random::<f64>() < 0.3));
        difference.push(&DifferenceRow::new(p, q, q, reward).with_overlap(1.0)).unwrap();
    }
    let estimate = difference.report(0.05).unwrap().estimate.unwrap();
    let interval = estimate.always_valid.unwrap();
    assert_eq!(estimate.value, 0.0);
    assert!(interval.contains(0.0) && interval.width() < 0.03, "{interval}");
}

/// Two actions: the difference of their rates.
#[test]
fn two_actions() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut difference = Difference::new(Some(4.0), SupportOptions::default()).unwrap();
    for _ in 0..20_000 {
        let action = (rng.random::<f64>() * 4.0) as usize;
        let reward = f64::from(u8::from(rng.random::<f64>() < [0.05, 0.10, 0.2, 0.9][action]));
        let is = |other: usize| f64::from(u8::from(action == other));
        difference.push(&DifferenceRow::new(0.25, is(1), is(0), reward).with_overlap(0.0)).unwrap();
    }
    let estimate = difference.report(0.05).unwrap().estimate.unwrap();
    let interval = estimate.always_valid.unwrap();
    println!("5% against 10%: {:.4}, {interval}, textbook {}", estimate.value, estimate.asymptotic.unwrap());
    assert!(interval.contains(0.05) && interval.lower > 0.0, "{interval}");
}

/// Actions of one target that the log could not have shown may pay or not: the ends must allow for both.
#[test]
fn actions_that_were_never_logged() {
    let mass = 0.4;
    for (hidden, limit, is_first) in [
        (0.0, None, false),
        (1.0, None, false),
        (0.0, Some(1.0), false),
        (1.0, Some(1.0), false),
        (1.0, Some(1.0), true),
    ] {
        let other = (1.0 - mass) * 0.5 + mass * hidden;
        let truth = if is_first { other - 0.5 } else { 0.5 - other };
        let mut runs = vec![];
        for seed in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut difference = Difference::new(limit, SupportOptions::default()).unwrap();
            let mut misses = Misses::default();
            for _ in 0..300 {
                let reward = f64::from(u8::from(rng.random::<f64>() < 0.5));
                let row = match is_first {
                    true => {
                        DifferenceRow { unsupported: [mass, 0.0], ..DifferenceRow::new(1.0, 1.0 - mass, 1.0, reward) }
                    }
                    false => {
                        DifferenceRow { unsupported: [0.0, mass], ..DifferenceRow::new(1.0, 1.0, 1.0 - mass, reward) }
                    }
                };
                difference.push(&row).unwrap();
                misses.look(truth, |delta| difference.interval(delta).unwrap());
            }
            let report = difference.report(0.05).unwrap();
            assert_eq!(report.estimate, None);
            assert!(report.support[usize::from(is_first)].concerns.is_empty());
            assert!(report.support[usize::from(!is_first)].concerns[0].to_string().contains("40.00%"));
            runs.push(misses);
        }
        assert_covered(&format!("hidden actions earn {hidden}, limit {limit:?}, in the first: {is_first}"), &runs);
    }
}

#[test]
fn rows_that_cannot_be_used() {
    let mut difference = Difference::new(Some(2.0), SupportOptions::default()).unwrap();
    let good = DifferenceRow::new(0.5, 0.5, 0.5, 1.0);
    let before = difference.clone();
    for (row, words) in [
        (DifferenceRow { propensity: None, ..good }, "propensity is missing"),
        (DifferenceRow { second: 2.0, ..good }, "second is 2"),
        (DifferenceRow { propensity: Some(0.1), ..good }, "first / propensity is 5: weight_limit promised at most 2"),
        (DifferenceRow { unsupported: [0.0, f64::NAN], ..good }, "unsupported[1] is NaN"),
        (good.with_overlap(1.5), "overlap is 1.5"),
        (DifferenceRow { unsupported: [0.0, 0.4], ..good }.with_overlap(0.7), "overlap is 0.7"),
    ] {
        let error = difference.push(&row).unwrap_err();
        assert!(error.to_string().starts_with(words), "{error}");
        assert_eq!(difference, before);
    }
}
