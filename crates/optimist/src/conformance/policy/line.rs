//! The line of the registry says what the policy does.

use serde_json::{Value, json};

use super::{Game, build, build_with, problem, required};
use crate::policy::{self, PolicyInfo};
use crate::registry::is_kebab_case;
use crate::{Error, Problem, Result, generator};

pub(super) fn the_name_is_kebab_case(info: &'static PolicyInfo) {
    let name = info.name;
    assert!(is_kebab_case(name), "\"{name}\"");
    assert_eq!(policy::info(name).unwrap().name, name);
}

pub(super) fn texts_are_there(info: &'static PolicyInfo) {
    let texts = [info.summary, info.doc, info.guarantee, info.cost, info.memory, info.reference];
    assert!(texts.iter().all(|text| !text.trim().is_empty()));
    assert!(info.summary.lines().count() == 1 && info.guarantee.lines().count() == 1);
    for line in info.description().lines() {
        assert!(line.chars().count() <= 124, "{} characters: {line}", line.chars().count());
    }
    assert!(info.all_options().all(|option| !option.help.is_empty()));
    serde_json::to_string(info).unwrap();
}

pub(super) fn options_are_listed_and_have_defaults(info: &'static PolicyInfo) {
    let Value::Object(defaults) = info.default_options() else { panic!("no object") };
    let mut listed: Vec<&str> = info.all_options().map(|option| option.name).collect();
    let mut kept: Vec<&str> = defaults.keys().map(String::as_str).collect();
    listed.sort_unstable();
    kept.sort_unstable();
    assert_eq!(listed, kept);
    assert!(info.required.iter().all(|name| kept.contains(name)), "a required option is not an option");
    // What a policy says its options are builds it again.
    let policy = build(info, &problem(2));
    let options = policy.options().unwrap();
    assert_eq!(policy::build_with(info.name, &problem(2), &options).unwrap().options().unwrap(), options);
}

pub(super) fn required_options_are_required_and_the_others_are_not(info: &'static PolicyInfo) {
    let given = required(info);
    assert!(given.keys().map(String::as_str).eq(info.required.iter().copied()), "its example gives {given:?}");
    for name in info.required {
        let mut options = required(info);
        options.remove(*name);
        let error = policy::build_with(info.name, &problem(2), Value::Object(options)).unwrap_err();
        assert!(matches!(error, Error::Missing { field, .. } if field == *name), "{error}");
    }
    policy::build_with(info.name, &problem(2), Value::Object(required(info))).unwrap();
}

fn refused(result: Result<Box<dyn policy::Policy>>, part: &str) {
    match result {
        Ok(_) => panic!("accepted, though {part}"),
        Err(error) => assert!(error.to_string().contains(part), "\"{error}\" does not say \"{part}\""),
    }
}

pub(super) fn unknown_and_unsound_options_are_refused(info: &'static PolicyInfo) {
    refused(build_with(info, &problem(2), &[("no_such_option", json!(1))]), "no_such_option");
    refused(policy::build_with(info.name, &problem(2), json!([1])), "expected an object");
    for option in info.all_options() {
        // No option is an object.
        assert!(build_with(info, &problem(2), &[(option.name, json!({"a": 1}))]).is_err(), "{}", option.name);
    }
    numbers(info);
    if info.uses_history {
        let options = [("certify", json!("off")), ("eliminate", json!(true))];
        refused(build_with(info, &problem(2), &options), "eliminate");
    }
}

/// No number that an option takes may be negative or overflow.
fn numbers(info: &PolicyInfo) {
    let Value::Object(defaults) = info.default_options() else { panic!("no object") };
    for (name, _) in defaults.iter().filter(|(_, default)| default.is_number()) {
        match build_with(info, &problem(2), &[(name, json!(-1))]) {
            Ok(_) => panic!("{name} = -1 accepted"),
            Err(Error::OutOfRange { field, .. }) => assert_eq!(&field, name),
            Err(error) => assert!(matches!(error, Error::Option { .. }), "{error}"),
        }
    }
}

pub(super) fn problems_that_are_not_sound_are_refused(info: &'static PolicyInfo) {
    let base = problem(2);
    for bad in [
        Problem { dimension: 0, ..base },
        Problem { delta: 0.0, ..base },
        Problem { delta: 1.0, ..base },
        Problem { delta: f64::NAN, ..base },
        Problem { norm_bound: Some(0.0), ..base },
        Problem { norm_bound: Some(-1.0), ..base },
        Problem { norm_bound: Some(f64::INFINITY), ..base },
    ] {
        assert!(build_with(info, &bad, &[]).is_err(), "{bad:?}");
    }
}

pub(super) fn the_norm_bound_is_needed_where_it_says_so(info: &'static PolicyInfo) {
    let free = Problem { norm_bound: None, ..problem(2) };
    match build_with(info, &free, &[]) {
        Ok(mut policy) => {
            assert!(!info.needs_norm_bound, "works without");
            Game::new(2, 5, 61).play(&mut *policy, 40);
        }
        Err(error) => {
            assert!(info.needs_norm_bound, "{error}");
            assert!(matches!(error, Error::Missing { field: "norm_bound", .. }), "{error}");
        }
    }
}

pub(super) fn guarantees_are_those_that_are_announced(info: &'static PolicyInfo) {
    let mut policy = build(info, &problem(2));
    let guarantee = policy.claim().guarantee();
    assert_eq!(info.guaranteed, guarantee.is_some());
    let mut game = Game::new(2, 5, 62);
    game.play(&mut *policy, 10);
    if let Some(guarantee) = guarantee {
        assert_eq!(guarantee.delta, Some(0.05));
        assert!(
            guarantee.theorem.assumptions.iter().all(|text| !text.is_empty()) && !guarantee.theorem.citation.is_empty()
        );
        // Who promises something has a set that can be asked.
        policy.contains(&[0.1, 0.1]).unwrap();
        policy.interval(&[0.1, 0.1]).unwrap();
    }
    let own = policy.choose(&game.arms, &mut generator(1)).unwrap().certificate;
    if !info.guaranteed && !info.uses_history {
        assert!(matches!(own, policy::Certificate::None { .. }), "{own:?}");
        let error = policy.interval(&[0.1, 0.1]).unwrap_err().to_string();
        assert!(error.contains(info.name) && error.contains("no guarantee"), "{error}");
    }
}
