//! The line of the registry says what the radius does.

use super::{problem, variants};
use crate::registry::is_kebab_case;
use crate::set::{Radius, RadiusInfo};
use crate::{Belief, Error, Problem};

pub(super) fn texts_are_there(info: &'static RadiusInfo) {
    assert!(is_kebab_case(info.name), "\"{}\"", info.name);
    assert!(info.summary.lines().count() == 1, "\"{}\"", info.summary);
    for radius in variants(info, 2) {
        let guarantee = radius.strategy().guarantee();
        assert_eq!((guarantee.name, guarantee.theorem), (info.name, info.theorem));
        assert!(!guarantee.theorem.assumptions.is_empty() && !guarantee.theorem.citation.is_empty());
        assert_eq!((radius.info().name, radius.strategy().dimension()), (info.name, 2));
    }
}

pub(super) fn promises_are_those_that_are_announced(info: &'static RadiusInfo) {
    for radius in variants(info, 2) {
        let promised = info.guaranteed.then_some(0.05);
        assert_eq!(radius.strategy().guarantee().delta, promised);
    }
    let guarantee = Radius::by_name(info.name, &problem(2, Some(3.0))).unwrap().strategy().guarantee();
    assert_eq!(guarantee.norm_bound, Some(3.0), "a bound that was declared is relied upon");
}

pub(super) fn problems_that_are_not_sound_are_refused(info: &'static RadiusInfo) {
    let good = problem(2, Some(3.0));
    for (bad, field) in [
        (Problem { dimension: 0, ..good }, "dimension"),
        (Problem { delta: 0.0, ..good }, "delta"),
        (Problem { delta: f64::NAN, ..good }, "delta"),
        (Problem { norm_bound: Some(-1.0), ..good }, "norm_bound"),
    ] {
        let text = Radius::by_name(info.name, &bad).unwrap_err().to_string();
        assert!(text.contains(field), "{text}");
    }
}

pub(super) fn the_norm_bound_is_needed_where_it_says_so(info: &'static RadiusInfo) {
    let without = Radius::by_name(info.name, &problem(2, None));
    assert_eq!(without.is_err(), info.needs_norm_bound);
    if let Err(error) = without {
        let text = error.to_string();
        assert!(text.contains("norm_bound") && text.contains(info.name), "{text}");
    }
}

pub(super) fn arms_above_the_feature_bound(info: &'static RadiusInfo) {
    for radius in variants(info, 2) {
        let bound = radius.strategy().feature_bound();
        let outcome = Belief::with_radius(radius).unwrap().observe(&[1.5, 0.0], 1.0);
        assert_eq!(bound == 1.0, info.unit_arms, "the bound is {bound}");
        assert_eq!(matches!(outcome, Err(Error::NormAboveBound { .. })), info.unit_arms, "{outcome:?}");
    }
}
