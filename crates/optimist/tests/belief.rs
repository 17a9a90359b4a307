//! Beliefs: what they learn, refuse, keep and say, and certificates from one round to the next.

use crate::simulation::{Simulation, unit};
use insta::assert_snapshot;
use optimist::Problem;
use optimist::plan::{Answers, Planner, Support, SupportSolver, Target};
use optimist::set::{Excess, LevelSet, Radius};
use optimist::{Belief, Error, Estimator, FiniteArms, FitStatus, History, Penalty, generator, link};
use rand::RngExt;

const TOLERANCE: f64 = 1e-9;
const OPTIONS: Problem = Problem { dimension: 2, delta: 0.05, norm_bound: None };

fn radius(name: &str, options: Problem) -> Error {
    Radius::by_name(name, &options).unwrap_err()
}

#[test]
fn the_order_of_observations_does_not_matter() {
    let observations: Vec<([f64; 2], f64)> =
        (0..300).map(|i| ([f64::from(i % 17) / 17.0, f64::from(i % 5) / 5.0], f64::from(i % 3) / 2.0)).collect();
    let mut forward = Belief::new(2, Some(3.0), 0.05).unwrap();
    let mut backward = Belief::new(2, Some(3.0), 0.05).unwrap();
    for (x, reward) in &observations {
        forward.observe(x, *reward).unwrap();
        // Looking in between must not matter either.
        forward.estimate();
    }
    for (x, reward) in observations.iter().rev() {
        backward.observe(x, *reward).unwrap();
    }
    let (a, b) = (forward.estimate().to_vec(), backward.estimate().to_vec());
    assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() <= 1e-9));
    let (a, b) = (forward.set().level(), backward.set().level());
    assert!((a - b).abs() <= 1e-9 * a);
}

#[test]
fn a_refused_observation_changes_nothing() {
    let mut belief = Belief::new(2, Some(3.0), 0.05).unwrap();
    belief.observe(&[1.0, 0.0], 1.0).unwrap();
    let before = serde_json::to_string(&belief).unwrap();
    assert!(matches!(belief.observe(&[1.0], 1.0), Err(Error::Dimension { expected: 2, got: 1, .. })));
    assert!(matches!(belief.observe(&[1.0, f64::NAN], 1.0), Err(Error::NotFinite { .. })));
    assert!(matches!(belief.observe(&[1.0, f64::INFINITY], 1.0), Err(Error::NotFinite { .. })));
    assert!(matches!(belief.observe(&[1e300, 0.0], 1.0), Err(Error::OutOfRange { .. })));
    for reward in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(belief.observe(&[1.0, 0.0], reward).is_err(), "{reward}");
    }
    assert!(belief.observe_many(&[1.0, 0.0], 1.0, 0).is_err());
    assert_eq!(serde_json::to_string(&belief).unwrap(), before);
}

#[test]
fn a_belief_goes_on_after_a_round_trip() {
    let mut belief = Belief::new(2, None, 0.1).unwrap();
    for i in 0..60_u32 {
        belief.observe(&[f64::from(i % 4) / 4.0, 1.0], f64::from(i % 3 % 2)).unwrap();
    }
    let level = belief.set().level();
    let mut back: Belief = serde_json::from_str(&serde_json::to_string(&belief).unwrap()).unwrap();
    assert!((back.set().level() - level).abs() <= 1e-12 * level);
    back.observe(&[0.5, 1.0], 1.0).unwrap();
    belief.observe(&[0.5, 1.0], 1.0).unwrap();
    assert!((back.set().level() - belief.set().level()).abs() <= 1e-12 * level);
}

#[test]
fn a_belief_with_the_wrong_radius_is_refused() {
    let mut belief = Belief::new(2, Some(2.0), 0.1).unwrap();
    belief.observe(&[1.0, 0.0], 1.0).unwrap();
    let mut document = serde_json::to_value(&belief).unwrap();
    document["radius"]["mixture"]["dimension"] = 3.into();
    assert!(serde_json::from_value::<Belief>(document).is_err(), "a radius for another dimension");
    let mut document = serde_json::to_value(&belief).unwrap();
    document["radius"]["mixture"]["delta"] = 2.0.into();
    assert!(serde_json::from_value::<Belief>(document).is_err(), "a delta of two");
    let mut document = serde_json::to_value(&belief).unwrap();
    document["estimate"] = serde_json::json!([1.0]);
    assert!(serde_json::from_value::<Belief>(document).is_err(), "an estimate that is too short");
}

#[test]
fn a_certificate_moved_to_a_later_level_still_holds() {
    for info in Radius::all() {
        let options = Problem { dimension: 2, delta: 0.05, norm_bound: Some(3.0) };
        let mut belief = Belief::with_radius(Radius::by_name(info.name, &options).unwrap()).unwrap();
        let mut simulation = Simulation::new(2, 2.5, 80);
        let arms = simulation.ball_arms(8);
        let mut solver = SupportSolver::new(2);
        let mut old: Vec<(f64, f64, f64)> = Vec::new();
        for round in 0..300 {
            let set = belief.set();
            let fresh: Vec<Support> =
                arms.iter().map(|x| solver.solve(&set, x, Target::exact(TOLERANCE)).unwrap()).collect();
            for (k, (bound, level, multiplier)) in old.iter().enumerate() {
                let moved = bound + (set.level() - level) * multiplier;
                let value = fresh[k % arms.len()].value;
                assert!(value <= moved + 1e-8, "{}: round {round}: {value} > {moved}", info.name);
            }
            if round % 50 == 10 {
                old.extend(fresh.iter().map(|s| (s.upper_bound, set.level(), s.level_multiplier)));
            }
            let x = arms.arm(round % 8);
            belief.observe(x, simulation.reward(x)).unwrap();
        }
    }
}

#[test]
fn a_set_that_is_empty_but_for_rounding_holds_its_maximiser() {
    let mut simulation = Simulation::new(2, 2.0, 90);
    for seed in 0..300 {
        let arms = simulation.ball_arms(5);
        let mut history = History::new(2).unwrap();
        for round in 0..60 {
            let x = arms.arm(round % 5);
            history.observe(x, simulation.reward(x)).unwrap();
        }
        let mut centre = Estimator::new(2);
        centre.fit(&history, Penalty::ball(2.0)).unwrap();
        let least = centre.evaluation().loss;
        let level = least + f64::from(seed % 61 - 30) * f64::EPSILON * least;
        let set = LevelSet::new(&history, 0.0, level, 2.0, centre.theta(), centre.evaluation());
        let x = unit(&mut simulation.rng, 2);
        let mut solver = SupportSolver::new(2);
        let support = solver.solve(&set, &x, Target::exact(TOLERANCE)).unwrap();
        let theta = solver.maximiser();
        assert!(theta[0].hypot(theta[1]) <= 2.0 * (1.0 + 1e-9), "{seed}: {support:?} at {theta:?}");
        assert!(set.loss(theta) <= level + 1e-9 * level, "{seed}: {support:?}");
        assert!(support.upper_bound >= support.value && support.value <= 2.0 + 1e-9);
    }
}

/// Arms so nearly parallel that their curvature across is lost in the sum of the rows that are gone: nothing but the ball bounds
/// theta then. When it is refuted nothing is known, and the rows that are left must not be taken for all of them.
#[test]
fn a_set_beyond_the_ball_is_bounded_or_not_given() {
    let mut rng = generator(3);
    for (angle, is_given) in [(1e-6, false), (1e-7, false), (3e-8, false), (1.0, true)] {
        let mut belief = Belief::new(2, Some(2.0), 0.05).unwrap().with_memory(Some(100)).unwrap();
        for n in 0..3000 {
            let x = [rng.random_range(0.5..1.0), angle * rng.random_range(-1.0..1.0)];
            // Once rows are gone the truth leaves the ball, and nobody looks any more.
            let success = rng.random_bool(link::mean(if n < 500 { x[0] } else { 6.0 * x[0] }));
            if n < 500 {
                belief.set();
            }
            belief.observe(&x, f64::from(u8::from(success))).unwrap();
        }
        assert!(belief.history().consolidations() > 5 && belief.set().is_empty(), "{angle:e}");
        let mut centre = Estimator::new(2);
        let set = belief.set_beyond_ball(&mut centre);
        assert_eq!(set.is_some(), is_given, "{angle:e}");
        let across = set.map(|set| Answers::new(2, 1e-6).unwrap().interval(&set, &[0.0, 1.0]).unwrap());
        assert!(across.is_none_or(|i| i.log_odds_upper - i.log_odds_lower < 3.0), "{across:?}");
    }
}

#[test]
fn opposite_arms_whose_rewards_cancel_converge() {
    for count in [1_000_000, 1_000_000_000] {
        let mut history = History::new(2).unwrap();
        history.observe_many(&[0.6, 0.3], 1.0, count).unwrap();
        history.observe_many(&[-0.6, -0.3], 1.0, count).unwrap();
        history.observe(&[0.1, -0.7], 1.0).unwrap();
        let mut estimator = Estimator::new(2);
        let status = estimator.fit(&history, Penalty::ridge(1.0)).unwrap();
        assert_eq!(status, FitStatus::Interior, "{count}: {:e} after {}", estimator.residual(), estimator.passes());
        assert!(estimator.passes() < 30);
    }
}

#[test]
fn messages_about_options() {
    assert_snapshot!(radius("mixture", Problem { delta: 0.0, ..OPTIONS }), @"delta is 0: it must be strictly between 0 and 1");
    assert_snapshot!(radius("mixture", Problem { delta: f64::NAN, ..OPTIONS }), @"delta is NaN: it must be a finite number");
    assert_snapshot!(radius("mixture", Problem { dimension: 0, ..OPTIONS }), @"dimension is 0: it must be at least 1");
    assert_snapshot!(radius("mixture", Problem { norm_bound: Some(-1.0), ..OPTIONS }), @"norm_bound is -1: it must be positive, at most 1e9");
    assert_snapshot!(radius("tight", OPTIONS), @r#"norm_bound is missing: radius "tight" needs it"#);
    assert_snapshot!(radius("mixtur", OPTIONS), @r#"radius is "mixtur" (did you mean "mixture"?): expected one of mixture, local-mixture, sequential-mixing, ofuglb, likelihood-ratio, ofulog-plus, tight, corrected, paper"#);
    assert_snapshot!(Excess::new(-1.0, 0.0, &OPTIONS).unwrap_err(), @"excess is -1: it must be zero or positive");
}

#[test]
fn messages_about_observations() {
    let mut history = History::new(2).unwrap();
    assert_snapshot!(history.observe(&[1.0], 1.0).unwrap_err(), @"x has 1 entries: the dimension is 2");
    assert_snapshot!(history.observe(&[1.0, f64::INFINITY], 1.0).unwrap_err(), @"x[1] is inf: it must be a finite number");
    assert_snapshot!(history.observe(&[1.0, 0.0], 1.5).unwrap_err(), @"reward is 1.5: it must be between 0 and 1");
    assert_snapshot!(history.observe_many(&[1.0, 0.0], 1.0, 0).unwrap_err(), @"count is 0: it must be at least 1");
    let bounded = Problem { norm_bound: Some(2.0), ..OPTIONS };
    let mut belief = Belief::with_radius(Radius::by_name("tight", &bounded).unwrap()).unwrap();
    assert_snapshot!(belief.observe(&[3.0, 4.0], 1.0).unwrap_err(), @"x has norm 5: tight needs norms of at most 1; rescale the features");
}

#[test]
fn messages_about_arms_and_questions() {
    assert_snapshot!(FiniteArms::new(2, vec![]).unwrap_err(), @"arms is empty: give at least one");
    assert_snapshot!(FiniteArms::from_rows(&[vec![1.0, 2.0], vec![1.0]]).unwrap_err(), @"arms[1] has 1 entries: the dimension is 2");
    let arms = FiniteArms::from_rows(&[[1.0, 0.0]]).unwrap();
    assert_snapshot!(Planner::new(&arms, 0.5).unwrap_err(), @"tolerance is 0.5: it must be between 1e-12 and 0.01");
    let mut belief = Belief::new(2, Some(0.5), 0.05).unwrap();
    belief.observe_many(&[1.0, 0.0], 1.0, 1000).unwrap();
    assert_snapshot!(
        Answers::new(2, 1e-9).unwrap().interval(&belief.set(), &[1.0, 0.0]).unwrap_err(),
        @r#"the confidence set is empty: the data contradict the declared norm bound or the logistic model (a new set with a larger norm bound spends delta again; that of radius "mixture" holds without its norm bound at the same delta)"#
    );
}
