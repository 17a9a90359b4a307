//! Two targets on one log.

use optimist_engine::evaluation::{Difference, DifferenceRow, Interval, SupportOptions};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::simulation::{ACTIONS, CHANCES, GREEDY, Logger, Misses, TARGET, assert_covered, value};

fn interval(difference: &Difference, delta: f64) -> Option<Interval> {
    difference.report(delta).unwrap().estimate.map(|estimate| estimate.always_valid.unwrap())
}

fn overlap(context: usize) -> f64 {
    (0..ACTIONS).map(|a| GREEDY[context][a].min(TARGET[context][a])).sum()
}

#[test]
fn covered_at_all_times() {
    let truth = value(&GREEDY, &CHANCES) - value(&TARGET, &CHANCES);
    let mut runs = [vec![], vec![], vec![]];
    for seed in 0..300 {
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
                if interval(difference, 0.5).is_some() {
                    misses[i].look(truth, |delta| interval(difference, delta).unwrap());
                }
            }
        }
        runs.iter_mut().zip(misses).for_each(|(runs, misses)| runs.push(misses));
    }
    assert_covered("difference", &runs[0]);
    assert_covered("difference with overlap", &runs[1]);
    assert_covered("difference with overlap and limit", &runs[2]);
}

#[test]
fn what_more_is_known_narrows_it() {
    let mut logger = Logger::new(2, 0.25);
    let limit = Some(logger.weight_limit());
    let mut all = [None, None, limit].map(|limit| Difference::new(limit, SupportOptions::default()).unwrap());
    let truth = value(&GREEDY, &CHANCES) - value(&TARGET, &CHANCES);
    for _ in 0..10_000 {
        let step = logger.step(&CHANCES);
        let (x, a) = (step.context, step.action);
        let row = DifferenceRow::new(step.propensity, GREEDY[x][a], TARGET[x][a], step.reward);
        for (i, difference) in all.iter_mut().enumerate() {
            difference.push(&if i == 0 { row } else { row.with_overlap(overlap(x)) }).unwrap();
        }
    }
    let intervals = all.each_ref().map(|difference| interval(difference, 0.05).unwrap());
    println!("difference after 10000 rows: {intervals:?}, truth {truth}");
    assert!(intervals.iter().all(|interval| interval.contains(truth) && interval.lower > 0.0));
    assert!(intervals[1].width() < intervals[0].width());
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

/// The second target's unseen actions may pay: the lower end must allow for it.
#[test]
fn actions_that_were_never_logged() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for limit in [None, Some(1.0)] {
        let mut difference = Difference::new(limit, SupportOptions::default()).unwrap();
        for _ in 0..3000 {
            let reward = f64::from(u8::from(rng.random::<f64>() < 0.5));
            let row = DifferenceRow { unsupported: [0.0, 0.4], ..DifferenceRow::new(1.0, 1.0, 0.6, reward) };
            difference.push(&row).unwrap();
        }
        let report = difference.report(0.05).unwrap();
        assert_eq!(report.estimate, None);
        assert!(report.support[0].concerns.is_empty());
        assert!(report.support[1].concerns[0].to_string().contains("40.00%"));
    }
    let mut difference = Difference::new(None, SupportOptions::default()).unwrap();
    let row = DifferenceRow { unsupported: [0.0, 0.4], ..DifferenceRow::new(1.0, 1.0, 0.6, 1.0) };
    let error = difference.push(&row.with_overlap(0.7)).unwrap_err();
    assert!(error.to_string().starts_with("overlap is 0.7"), "{error}");
}
