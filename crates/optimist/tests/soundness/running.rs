//! Intervals that are intersected over the looks.

use optimist::plan::{Answers, Interval, Running};
use optimist::set::Radius;
use optimist::{Belief, Error, FiniteArms, Problem, link};

use super::{RUNS, most, problem};
use crate::common::checks::dot;
use crate::hand_over::{Data, HandOver};

fn arms() -> FiniteArms<'static> {
    FiniteArms::from_rows(&[[1.0, 0.0], [0.0, 1.0], [-0.6, 0.8], [0.5, 0.5]]).unwrap()
}

/// A run with a look after each batch: what was recorded, and the widths of the last set alone; none if the looks
/// contradict each other, which is a miss.
fn widths(data: &Data, belief: &mut Belief) -> Option<(Running, f64)> {
    let mut running = Running::new(arms());
    let mut answers = Answers::new(2, 1e-6).unwrap();
    let mut last = 0.0;
    for batch in data.batches() {
        for (x, reward) in batch {
            belief.observe(x, *reward).unwrap();
        }
        let before: Vec<_> = running.intervals().collect();
        if running.record(belief, &mut answers) == Err(Error::EmptySet) {
            return None;
        }
        let now: Vec<_> = arms().iter().map(|x| answers.interval(&belief.set(), x).unwrap()).collect();
        for ((kept, before), now) in running.intervals().zip(&before).zip(&now) {
            assert_eq!(kept.lower, before.lower.max(now.lower));
            assert_eq!(kept.upper, before.upper.min(now.upper));
        }
        last = now.iter().map(|interval| interval.upper - interval.lower).sum();
    }
    Some((running, last))
}

#[test]
fn they_hold_on_the_same_event_and_are_narrower() {
    let cases = [HandOver::AsTheyCome, HandOver::Sorted].into_iter().flat_map(|h| [0.05, 0.5].map(|delta| (h, delta)));
    for (hand_over, delta) in cases {
        let (mut missed, mut kept, mut last) = (0, 0.0, 0.0);
        for run in 0..RUNS {
            let data = Data::new(run as u64, hand_over, 2.0);
            let mut belief = Belief::new(2, Some(3.0), delta).unwrap();
            let Some((running, wide)) = widths(&data, &mut belief) else {
                missed += 1;
                continue;
            };
            kept += running.intervals().map(|interval| interval.upper - interval.lower).sum::<f64>();
            last += wide;
            let outside = |(x, interval): (&[f64], Interval)| {
                let mean = link::mean(dot(x, &data.theta));
                mean < interval.lower || mean > interval.upper
            };
            missed += usize::from(arms().iter().zip(running.intervals()).any(outside));
        }
        println!(
            "{hand_over:?}, delta {delta}: missed {missed} of {RUNS}, widths {:.3} of those of the last set",
            kept / last
        );
        assert!(missed as f64 <= most(delta), "{missed} of {RUNS}");
        assert!(kept < 0.99 * last, "{kept} {last}");
    }
}

#[test]
fn what_depends_on_order_is_refused() {
    let problem = Problem { delta: 0.05, ..problem(0.05) };
    let mut answers = Answers::new(2, 1e-6).unwrap();
    for info in Radius::all() {
        let mut belief = Belief::with_radius(Radius::by_name(info.name, &problem).unwrap()).unwrap();
        belief.observe(&[0.5, 0.5], 1.0).unwrap();
        let recorded = Running::new(arms()).record(&mut belief, &mut answers);
        if info.guaranteed && !info.needs_order {
            recorded.unwrap();
        } else {
            assert!(matches!(recorded, Err(Error::NotOrderFree { radius }) if radius == info.name), "{}", info.name);
        }
    }
}

#[test]
fn it_is_stored_with_infinite_bounds_and_refuses_nonsense() {
    let mut running = Running::new(arms());
    let stored = serde_json::to_string(&running).unwrap();
    assert_eq!(serde_json::from_str::<Running>(&stored).unwrap(), running);
    let mut belief = Belief::new(2, None, 0.05).unwrap();
    belief.observe(&[1.0, 0.0], 1.0).unwrap();
    belief.observe(&[1.0, 0.0], 0.0).unwrap();
    running.record(&mut belief, &mut Answers::new(2, 1e-6).unwrap()).unwrap();
    let stored = serde_json::to_string(&running).unwrap();
    assert_eq!(serde_json::from_str::<Running>(&stored).unwrap(), running);
    assert!(running.intervals().any(|interval| interval.upper == 1.0) && running.looks() == 1);
    for (from, to) in [("\"looks\":1", "\"looks\":-1"), ("[null,null]", "[2.0,1.0]"), ("[null,null],", "")] {
        let wrong = stored.replacen(from, to, 1);
        assert!(wrong != stored && serde_json::from_str::<Running>(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_look_that_contradicts_records_nothing() {
    let mut belief = Belief::new(2, Some(1.0), 0.5).unwrap();
    let mut running = Running::new(arms());
    let mut answers = Answers::new(2, 1e-6).unwrap();
    belief.observe_many(&[1.0, 0.0], 1.0, 10_000).unwrap();
    assert_eq!(running.record(&mut belief, &mut answers), Err(Error::EmptySet));
    assert_eq!(running.looks(), 0);
    let mut narrow = Belief::new(3, None, 0.5).unwrap();
    assert!(matches!(running.record(&mut narrow, &mut answers), Err(Error::Dimension { .. })));
}
