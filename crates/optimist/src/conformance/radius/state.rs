//! A stored radius goes on as if nothing had happened, and depends on what it says it depends on.

use std::panic::catch_unwind;

use rand::seq::SliceRandom;
use serde_json::Value;

use super::super::edits::{edits, places};
use super::{belief, feed, observations, variants};
use crate::set::RadiusInfo;
use crate::{Belief, generator};

pub(super) fn a_restored_belief_goes_on_alike(info: &'static RadiusInfo) {
    let data = observations(3, 160, 16);
    for radius in variants(info, 3) {
        let mut original = Belief::with_radius(radius).unwrap();
        for (x, reward) in &data[..80] {
            original.observe(x, *reward).unwrap();
            original.set();
        }
        let mut restored: Belief = serde_json::from_str(&serde_json::to_string(&original).unwrap()).unwrap();
        for (i, (x, reward)) in data[80..].iter().enumerate() {
            let count = if i % 9 == 0 { 50 } else { 1 };
            original.observe_many(x, *reward, count).unwrap();
            restored.observe_many(x, *reward, count).unwrap();
            let (a, b) = (original.set().level(), restored.set().level());
            assert!((a - b).abs() <= 1e-12 * a.abs(), "{i} observations later: {a} became {b}");
        }
        assert_eq!(original.guarantee(), restored.guarantee());
    }
}

pub(super) fn a_clone_is_independent(info: &'static RadiusInfo) {
    let data = observations(2, 60, 18);
    for radius in variants(info, 2) {
        let mut belief = belief(radius, &data);
        let level = belief.set().level();
        let mut clone = belief.clone();
        assert_eq!(clone.set().level(), level);
        feed(&mut clone, &data);
        assert_eq!(belief.set().level(), level, "changed by what its clone has seen");
    }
}

/// A state edited by hand is refused, or goes on: it does not panic.
pub(super) fn an_edited_state_does_not_panic(info: &'static RadiusInfo) {
    let data = observations(2, 12, 19);
    for radius in variants(info, 2) {
        let state = serde_json::to_value(belief(radius, &data)).unwrap();
        for path in places(&state) {
            for edit in edits(state.pointer(&path).unwrap()) {
                let mut changed = state.clone();
                *changed.pointer_mut(&path).unwrap() = edit.clone();
                let outcome = catch_unwind(|| go_on(changed));
                assert!(outcome.is_ok(), "{path} = {edit}");
            }
        }
    }
}

fn go_on(state: Value) {
    let Ok(mut belief) = serde_json::from_value::<Belief>(state) else { return };
    belief.set();
    let _ = belief.observe(&[0.5, 0.5], 1.0);
    belief.set().contains(&[0.5, 0.5]);
}

pub(super) fn the_order_matters_only_where_it_says_so(info: &'static RadiusInfo) {
    let data = observations(2, 150, 20);
    let mut shuffled = data.clone();
    shuffled.shuffle(&mut generator(21));
    for radius in variants(info, 2) {
        let (first, second) = (belief(radius.clone(), &data).set().level(), belief(radius, &shuffled).set().level());
        let alike = (first - second).abs() <= 1e-6 * first.abs();
        assert!(alike || info.needs_order, "{first} in one order, {second} in another");
    }
}
