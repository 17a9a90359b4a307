//! Which policies with which models are tried.

use optimist_engine::Structure;
use serde_json::{Map, Value};

use super::candidate::{Candidate, Setup};
use super::options::ReplayOptions;
use crate::error::{Error, Result};
use crate::input::{nearest, shorten};

/// What is tried unless others are named: the default, one that explores by chance, one that does not explore, and the floor.
const USUAL: [&str; 4] = ["bayes-ucb", "laplace-ts", "greedy", "uniform"];

/// Policies times models.
///
/// # Errors
/// If there is no such policy, or the options are no JSON object.
pub(super) fn candidates(args: &ReplayOptions, featured: bool) -> Result<Vec<Candidate>> {
    let mut policies = args.policy.clone();
    if policies.is_empty() {
        policies = USUAL.map(str::to_owned).to_vec();
    }
    distinct(&mut policies);
    policies.iter().try_for_each(|name| known(name))?;
    let mut models = args.model.clone();
    if models.is_empty() {
        models.push(if featured { Structure::Hybrid } else { Structure::Disjoint });
    }
    distinct(&mut models);
    let options = options(args.options.as_deref(), &policies)?;
    let one = |policy: &String, model: Structure| Candidate {
        policy: policy.clone(),
        model,
        options: options.get(policy).cloned().unwrap_or_default(),
    };
    Ok(models.iter().flat_map(|model| policies.iter().map(move |policy| one(policy, *model))).collect())
}

fn distinct<T: PartialEq + Clone>(list: &mut Vec<T>) {
    let mut kept: Vec<T> = Vec::new();
    for item in list.iter() {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    }
    *list = kept;
}

fn known(name: &str) -> Result<()> {
    let names: Vec<&str> = optimist::policy::names().collect();
    if names.contains(&name) {
        return Ok(());
    }
    let remedy = nearest(name, &names)
        .map_or_else(|| "there is no such policy".to_owned(), |near| format!("did you mean \"{near}\"?"));
    Err(Error::input(format!("--policy is \"{}\": {remedy} (`optimist policies` lists all)", shorten(name))))
}

/// Options by policy.
fn options(text: Option<&str>, policies: &[String]) -> Result<std::collections::HashMap<String, Map<String, Value>>> {
    let Some(text) = text else { return Ok(Default::default()) };
    let wrong = |what: String| Error::input(format!("--options {what}"));
    let object: Map<String, Value> = serde_json::from_str(text)
        .map_err(|e| wrong(format!("is no JSON object ({e}): give one such as {{\"quantile\": 0.9}}")))?;
    let is_policy = |(name, value): (&String, &Value)| policies.contains(name) && value.is_object();
    if !object.is_empty() && object.iter().all(is_policy) {
        let of = |(name, value): (String, Value)| match value {
            Value::Object(options) => (name, options),
            _ => (name, Map::new()),
        };
        return Ok(object.into_iter().map(of).collect());
    }
    match policies {
        [one] => Ok([(one.clone(), object)].into()),
        [first, ..] => Err(wrong(format!(
            "must say of which policy they are, because there are several: give {{\"{first}\": {{...}}}}, or one --policy"
        ))),
        [] => Ok(Default::default()),
    }
}

/// Checks that every candidate can be tried.
///
/// # Errors
/// If one cannot, in the engine's words.
pub(super) fn check(setup: &Setup, candidates: &[Candidate]) -> Result<()> {
    candidates.iter().try_for_each(|candidate| setup.check(candidate))
}
