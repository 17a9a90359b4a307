//! The text of every error: it must name the field, the value and what is allowed.

use insta::assert_snapshot;
use optimist::{Belief, Error, FiniteArms, History};

#[test]
fn every_variant_reads_well() {
    assert_snapshot!(Error::NotFinite { field: "x[3]".into(), value: f64::NAN }, @"x[3] is NaN: it must be a finite number");
    assert_snapshot!(
        Error::Dimension { field: "x".into(), expected: 3, got: 2 },
        @"x has 2 entries: the dimension is 3"
    );
    assert_snapshot!(
        Error::OutOfRange { field: "delta".into(), value: 1.5, allowed: "strictly between 0 and 1" },
        @"delta is 1.5: it must be strictly between 0 and 1"
    );
    assert_snapshot!(Error::Empty { field: "arms" }, @"arms is empty: give at least one");
    assert_snapshot!(
        Error::NormAboveBound { field: "x".into(), norm: 2.5, bound: 1.0, needed_by: "ecolog" },
        @"x has norm 2.5: ecolog needs norms of at most 1; rescale the features"
    );
    assert_snapshot!(
        Error::Missing { field: "norm_bound", needed_by: "ofulog" },
        @"norm_bound is missing: ofulog needs it"
    );
    assert_snapshot!(
        Error::UnknownName {
            field: "radius",
            value: "mixtrue".into(),
            suggestion: " (did you mean \"mixture\"?)".into(),
            expected: "mixture, ofulog".into(),
        },
        @r#"radius is "mixtrue" (did you mean "mixture"?): expected one of mixture, ofulog"#
    );
    assert_snapshot!(
        Error::NameTaken { field: "policy", name: "greedy" },
        @r#"policy "greedy" is registered already: choose another name"#
    );
    assert_snapshot!(
        Error::BadName { field: "policy", name: "my \"own\"" },
        @r#"the name of a policy is "my \"own\"": it must be lower-case letters and digits, in words joined by single hyphens, such as "laplace-ts""#
    );
    assert_snapshot!(Error::Document { what: "is cut".into() }, @"the document is cut");
    assert_snapshot!(Error::Option { field: "ids".into(), what: "too few".into() }, @"ids: too few");
    assert_snapshot!(
        Error::NotOrderFree { radius: "emk" },
        @r#"what radius "emk" says cannot be recorded: it is not proved whatever the order of the data between two looks; use radius "mixture""#
    );
    assert_snapshot!(
        Error::EmptySet,
        @r#"the confidence set is empty: the data contradict the declared norm bound or the logistic model (a new set with a larger norm bound spends delta again; that of radius "mixture" holds without its norm bound at the same delta)"#
    );
    assert_snapshot!(
        Error::NoSet { policy: "greedy" },
        @r#"policy "greedy" keeps no confidence set of its own"#
    );
    assert_snapshot!(
        Error::NoGuarantee { policy: "oful", why: "a mean is not linear", remedy: "ask another" },
        @r#"policy "oful" has no guarantee: a mean is not linear; ask another"#
    );
    assert_snapshot!(
        Error::ArmKind { what: "policy \"oful\"".into(), given: "ball", defined_for: "finite".into(), remedy: "give a list" },
        @r#"policy "oful" is not defined for ball arms, only for finite arms: give a list"#
    );
    assert_snapshot!(
        Error::Overflow { what: "the Hessian" },
        @"the Hessian left the range of numbers: rescale the features"
    );
}

#[test]
fn calls_name_what_was_wrong() {
    let mut history = History::new(2).unwrap();
    assert_snapshot!(History::new(0).unwrap_err(), @"dimension is 0: it must be at least 1");
    assert_snapshot!(history.observe(&[1.0], 1.0).unwrap_err(), @"x has 1 entries: the dimension is 2");
    assert_snapshot!(
        history.observe(&[1.0, f64::INFINITY], 1.0).unwrap_err(),
        @"x[1] is inf: it must be a finite number"
    );
    assert_snapshot!(
        history.observe(&[1.0, 0.0], 1.5).unwrap_err(),
        @"reward is 1.5: it must be between 0 and 1"
    );
    assert_snapshot!(
        history.observe(&[1.0, 0.0], f64::NAN).unwrap_err(),
        @"reward is NaN: it must be a finite number"
    );
    assert_snapshot!(
        history.observe_many(&[1.0, 0.0], 1.0, 0).unwrap_err(),
        @"count is 0: it must be at least 1"
    );
    assert_snapshot!(
        Belief::new(2, Some(-1.0), 0.05).unwrap_err(),
        @"norm_bound is -1: it must be positive, at most 1e9"
    );
    assert_snapshot!(
        Belief::new(2, None, 1.0).unwrap_err(),
        @"delta is 1: it must be strictly between 0 and 1"
    );
    assert_snapshot!(FiniteArms::new(2, vec![]).unwrap_err(), @"arms is empty: give at least one");
    assert_snapshot!(
        FiniteArms::from_rows(&[vec![1.0, 2.0], vec![3.0]]).unwrap_err(),
        @"arms[1] has 1 entries: the dimension is 2"
    );
}
