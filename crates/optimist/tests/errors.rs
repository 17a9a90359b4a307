//! What users read when something is wrong.

use insta::assert_snapshot;
use optimist::plan::{Answers, Planner};
use optimist::set::{Excess, Radius, SetOptions};
use optimist::{Belief, Error, FiniteArms, History};

const OPTIONS: SetOptions = SetOptions { dimension: 2, delta: 0.05, norm_bound: None };

fn radius(name: &str, options: SetOptions) -> Error {
    Radius::by_name(name, &options).unwrap_err()
}

#[test]
fn options() {
    assert_snapshot!(radius("mixture", SetOptions { delta: 0.0, ..OPTIONS }), @"delta is 0: it must be strictly between 0 and 1");
    assert_snapshot!(radius("mixture", SetOptions { delta: f64::NAN, ..OPTIONS }), @"delta is NaN: it must be a finite number");
    assert_snapshot!(radius("mixture", SetOptions { dimension: 0, ..OPTIONS }), @"dimension is 0: it must be at least 1");
    assert_snapshot!(radius("mixture", SetOptions { norm_bound: Some(-1.0), ..OPTIONS }), @"norm_bound is -1: it must be positive");
    assert_snapshot!(radius("tight", OPTIONS), @r#"norm_bound is missing: radius "tight" needs it"#);
    assert_snapshot!(radius("mixtur", OPTIONS), @r#"radius is "mixtur": expected one of mixture, sequential-mixing, ofuglb, likelihood-ratio, ofulog-plus, tight, corrected, paper"#);
    assert_snapshot!(Excess::new(-1.0, 0.0, &OPTIONS).unwrap_err(), @"excess is -1: it must be zero or positive");
}

#[test]
fn observations() {
    let mut history = History::new(2).unwrap();
    assert_snapshot!(history.observe(&[1.0], 1.0).unwrap_err(), @"x has 1 entries: the dimension is 2");
    assert_snapshot!(history.observe(&[1.0, f64::INFINITY], 1.0).unwrap_err(), @"x[1] is inf: it must be a finite number");
    assert_snapshot!(history.observe(&[1.0, 0.0], 1.5).unwrap_err(), @"reward is 1.5: it must be between 0 and 1");
    assert_snapshot!(history.observe_many(&[1.0, 0.0], 1.0, 0).unwrap_err(), @"count is 0: it must be at least 1");
    let bounded = SetOptions { norm_bound: Some(2.0), ..OPTIONS };
    let mut belief = Belief::with_radius(Radius::by_name("tight", &bounded).unwrap()).unwrap();
    assert_snapshot!(belief.observe(&[3.0, 4.0], 1.0).unwrap_err(), @"x has norm 5: tight needs norms of at most 1; rescale the features");
}

#[test]
fn arms_and_questions() {
    assert_snapshot!(FiniteArms::new(2, vec![]).unwrap_err(), @"arms is empty: give at least one");
    assert_snapshot!(FiniteArms::from_rows(&[vec![1.0, 2.0], vec![1.0]]).unwrap_err(), @"arms[1] has 1 entries: the dimension is 2");
    let arms = FiniteArms::from_rows(&[[1.0, 0.0]]).unwrap();
    assert_snapshot!(Planner::new(&arms, 0.5).unwrap_err(), @"tolerance is 0.5: it must be between 1e-12 and 0.01");
    let mut belief = Belief::new(2, Some(0.5), 0.05).unwrap();
    belief.observe_many(&[1.0, 0.0], 1.0, 1000).unwrap();
    assert_snapshot!(
        Answers::new(2, 1e-9).unwrap().interval(&belief.set(), &[1.0, 0.0]).unwrap_err(),
        @"the confidence set is empty: the data contradict the declared norm bound (raise norm_bound) or the logistic model"
    );
}
