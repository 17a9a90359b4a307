//! Any-time-valid answers against brute force over the set.

use crate::simulation::Simulation;
use optimist::Problem;
use optimist::plan::{Answers, Comparison};
use optimist::set::{Excess, LevelSet, Radius};
use optimist::{Belief, FiniteArms, link, policy};

/// Points of a planar set on a fine polar grid.
fn points_of(set: &LevelSet<'_>) -> Vec<[f64; 2]> {
    let steps = 400;
    let cell = 2.0 * set.norm_bound() / f64::from(steps);
    let grid = (0..=steps).flat_map(|i| (0..=steps).map(move |j| (i, j)));
    grid.map(|(i, j)| [f64::from(i) * cell - set.norm_bound(), f64::from(j) * cell - set.norm_bound()])
        .filter(|p| set.contains(p))
        .collect()
}

fn learn(rounds: usize, seed: u64) -> (Belief, FiniteArms<'static>) {
    let mut simulation = Simulation::new(2, 3.0, seed);
    let arms = simulation.ball_arms(8);
    let mut belief = Belief::new(2, Some(4.0), 0.05).unwrap();
    for round in 0..rounds {
        let x = arms.arm(round % arms.len());
        belief.observe(x, simulation.reward(x)).unwrap();
    }
    (belief, arms)
}

#[test]
fn intervals_enclose_the_set_and_touch_it() {
    for (rounds, seed) in [(0, 1), (5, 2), (60, 3), (800, 4)] {
        let (mut belief, arms) = learn(rounds, seed);
        let set = belief.set();
        let points = points_of(&set);
        assert!(points.len() > 100);
        let mut answers = Answers::new(2, 1e-9).unwrap();
        for x in arms.iter() {
            let interval = answers.interval(&set, x).unwrap();
            let values: Vec<f64> = points.iter().map(|p| p[0] * x[0] + p[1] * x[1]).collect();
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
            assert!(interval.log_odds_lower <= low && high <= interval.log_odds_upper);
            // A grid point lies within a cell's diagonal of the extreme point, unless the set is thinner than a cell.
            let cell = 2.0 * set.norm_bound() / 400.0 * 2.0_f64.sqrt() * 3.0;
            assert!(interval.log_odds_lower >= low - cell && high >= interval.log_odds_upper - cell);
            assert_eq!(interval.lower, optimist::link::mean(interval.log_odds_lower));
            assert_eq!(interval.upper, optimist::link::mean(interval.log_odds_upper));
        }
    }
}

#[test]
fn a_verdict_is_given_exactly_when_every_point_of_the_set_agrees() {
    let mut decided = 0;
    for (rounds, seed) in [(40, 5), (400, 6), (4000, 7)] {
        let (mut belief, arms) = learn(rounds, seed);
        let set = belief.set();
        let points = points_of(&set);
        let mut answers = Answers::new(2, 1e-9).unwrap();
        for a in arms.iter() {
            for b in arms.iter() {
                let gap = |p: &[f64; 2]| p[0] * (a[0] - b[0]) + p[1] * (a[1] - b[1]);
                let verdict = answers.compare(&set, a, b).unwrap();
                match verdict {
                    Comparison::FirstBetter => assert!(points.iter().all(|p| gap(p) > 0.0)),
                    Comparison::SecondBetter => assert!(points.iter().all(|p| gap(p) < 0.0)),
                    Comparison::Undecided => {
                        // A margin of one cell: the grid does not reach the extreme points themselves.
                        let cell = 0.06 * ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
                        assert!(points.iter().any(|p| gap(p) >= -cell) && points.iter().any(|p| gap(p) <= cell));
                    }
                }
                decided += usize::from(verdict != Comparison::Undecided);
                let mirrored = answers.compare(&set, b, a).unwrap();
                assert_eq!(verdict == Comparison::FirstBetter, mirrored == Comparison::SecondBetter);
            }
        }
    }
    assert!(decided > 60, "only {decided} pairs decided: the test saw nothing");
}

#[test]
fn the_best_arm_is_found_when_the_set_allows_it() {
    let (mut belief, arms) = learn(40_000, 8);
    let set = belief.set();
    let mut answers = Answers::new(2, 1e-9).unwrap();
    let best = answers.best_arm(&set, &arms, 0.2).unwrap();
    let regret = |p: &[f64; 2], k: usize| {
        let value = |x: &[f64]| x[0] * p[0] + x[1] * p[1];
        arms.iter().map(value).fold(f64::MIN, f64::max) - value(arms.arm(k))
    };
    let worst = points_of(&set).iter().map(|p| regret(p, best.arm)).fold(0.0, f64::max);
    assert!(worst <= best.regret_bound);
    assert_eq!(best.found, best.regret_bound <= 0.2);
    assert!(best.found, "40,000 observations do not decide: {best:?}");
    let early = learn(10, 8).0.set().level();
    assert!(early > 0.0);
    let (mut belief, arms) = learn(10, 8);
    assert!(!answers.best_arm(&belief.set(), &arms, 0.2).unwrap().found);
}

#[test]
fn an_empty_set_and_bad_questions_are_refused() {
    let options = Problem { dimension: 2, delta: 0.05, norm_bound: Some(0.5) };
    // Far beyond what a parameter of norm 0.5 can explain: the mixture set is empty.
    let mut belief = Belief::with_radius(Radius::by_name("mixture", &options).unwrap()).unwrap();
    belief.observe_many(&[1.0, 0.0], 1.0, 500).unwrap();
    let mut answers = Answers::new(2, 1e-9).unwrap();
    let set = belief.set();
    assert!(set.is_empty());
    let arms = FiniteArms::from_rows(&[[1.0, 0.0]]).unwrap();
    assert!(answers.interval(&set, &[1.0, 0.0]).unwrap_err().to_string().contains("norm bound"));
    assert!(answers.best_arm(&set, &arms, 0.1).is_err());

    let mut belief = Belief::with_radius(Radius::from(Excess::new(1.0, 1.0, &options).unwrap())).unwrap();
    let set = belief.set();
    assert!(answers.interval(&set, &[1.0]).is_err());
    assert!(answers.interval(&set, &[1.0, f64::NAN]).is_err());
    assert!(answers.compare(&set, &[1.0, 0.0], &[f64::INFINITY, 0.0]).is_err());
    assert!(answers.best_arm(&set, &arms, -0.1).is_err());
    assert!(Answers::new(2, 0.5).is_err());
}

/// A policy whose own set is the mixture set, after some rounds of a simulation, and the arms it has seen.
fn snapshot(rounds: usize, seed: u64) -> (std::sync::Arc<dyn policy::Snapshot>, FiniteArms<'static>) {
    let mut simulation = Simulation::new(2, 3.0, seed);
    let arms = simulation.ball_arms(8);
    let mut learner = policy::build("optimist", &Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) }).unwrap();
    for round in 0..rounds {
        let x = arms.arm(round % arms.len());
        learner.observe(x, simulation.reward(x)).unwrap();
    }
    (learner.snapshot(), arms)
}

/// Points of the plane that are in a snapshot's set.
fn members(snapshot: &dyn policy::Snapshot) -> Vec<[f64; 2]> {
    let grid = (-200..=200).flat_map(|i| (-200..=200).map(move |j| [f64::from(i) / 50.0, f64::from(j) / 50.0]));
    grid.filter(|p| snapshot.contains(p).unwrap()).collect()
}

/// In probability: for every parameter of the set the best arm exceeds the one that is named by no more than is said, and not by
/// much less for the worst of them.
#[test]
fn the_best_arm_of_a_snapshot_is_as_good_as_it_says() {
    let mut found = 0;
    for (rounds, seed) in [(0, 1), (30, 2), (400, 3), (4_000, 4), (40_000, 8)] {
        let (snapshot, arms) = snapshot(rounds, seed);
        let best = snapshot.best(&arms, 0.05).unwrap();
        let mean = |p: &[f64; 2], k: usize| link::mean(p[0] * arms.arm(k)[0] + p[1] * arms.arm(k)[1]);
        let regret = |p: &[f64; 2]| (0..arms.len()).map(|k| mean(p, k) - mean(p, best.arm)).fold(0.0, f64::max);
        let points = members(&*snapshot);
        let worst = points.iter().map(regret).fold(0.0, f64::max);
        assert!(worst <= best.regret_bound, "{rounds}: {worst} {best:?}");
        // The bound takes the extremes of three quantities for one parameter's, and the grid misses those of the set.
        assert!(best.regret_bound <= 2.0 * worst + 0.05, "{rounds}: {worst} {best:?}");
        assert_eq!(best.found, best.regret_bound <= 0.05);
        assert_eq!(best.guarantee.delta, Some(0.05));
        found += usize::from(best.found);
    }
    assert!((1..5).contains(&found), "{found} of 5: the test saw one side only");
}

#[test]
fn a_snapshot_compares_as_its_set_does() {
    let mut decided = 0;
    for (rounds, seed) in [(40, 5), (4_000, 7)] {
        let (snapshot, arms) = snapshot(rounds, seed);
        let points = members(&*snapshot);
        for a in arms.iter() {
            for b in arms.iter() {
                let verdict = snapshot.compare(a, b).unwrap();
                let gaps = points.iter().map(|p| p[0] * (a[0] - b[0]) + p[1] * (a[1] - b[1]));
                let (low, high) = gaps.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
                assert!(verdict.difference_lower <= low && high <= verdict.difference_upper);
                assert_eq!(verdict.comparison == Comparison::FirstBetter, verdict.difference_lower > 0.0);
                assert_eq!(verdict.comparison == Comparison::SecondBetter, verdict.difference_upper < 0.0);
                decided += usize::from(verdict.comparison != Comparison::Undecided);
            }
        }
    }
    assert!(decided > 20, "only {decided} pairs decided: the test saw nothing");
    let (snapshot, arms) = snapshot(10, 1);
    assert_eq!(snapshot.compare(&[1.0], arms.arm(0)).unwrap_err().to_string(), "a has 1 entries: the dimension is 2");
    assert!(snapshot.compare(arms.arm(0), &[f64::NAN, 0.0]).unwrap_err().to_string().starts_with("b[0] is NaN"));
    assert!(snapshot.best(&arms, 1.5).unwrap_err().to_string().contains("probability"));
    assert!(snapshot.best(&arms, f64::NAN).is_err());
}
