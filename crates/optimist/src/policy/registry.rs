//! All policies, by name.

use serde_json::{Map, Value};

use super::info::PolicyInfo;
use super::{Policy, document};
use crate::error::{Error, Result};
use crate::set::SetOptions;

/// All policies, the default first.
const POLICIES: &[PolicyInfo] = &[
    super::optimist::INFO,
    super::optimist_stream::INFO,
    super::bayes_ucb::INFO,
    super::laplace_ts::INFO,
    super::pg_ts::INFO,
    super::evill::INFO,
    super::ofuglb::INFO,
    super::ofuglb_e::INFO,
    super::emk::INFO,
    super::ofulog_plus::INFO,
    super::ofulog_r::INFO,
    super::ofulog::INFO,
    super::ecolog::INFO,
    super::ts_ecolog::INFO,
    super::glb_omd::INFO,
    super::rs_glincb::INFO,
    super::log_ucb_2::INFO,
    super::log_ucb_1::INFO,
    super::glm_ucb::INFO,
    super::ol2m::INFO,
    super::gloc::INFO,
    super::oful::INFO,
    super::lin_ts::INFO,
    super::epsilon_greedy::INFO,
    super::greedy::INFO,
    super::uniform::INFO,
];

/// The registry, the default first.
pub fn registry() -> &'static [PolicyInfo] {
    POLICIES
}

/// The names of all policies, in the order of the registry.
pub fn names() -> impl Iterator<Item = &'static str> {
    POLICIES.iter().map(|info| info.name)
}

/// The line of that name.
///
/// # Errors
/// If there is no such policy; the text lists those that exist.
pub fn info(name: &str) -> Result<&'static PolicyInfo> {
    POLICIES.iter().find(|info| info.name == name).ok_or_else(|| Error::UnknownName {
        field: "policy",
        value: name.to_owned(),
        expected: names().collect::<Vec<_>>().join(", "),
    })
}

/// No options: the defaults of every policy that requires none.
pub fn no_options() -> Value {
    Value::Object(Map::new())
}

/// A policy of that name, before any data. `options` is an object; what it does not name keeps its default.
///
/// # Errors
/// If there is no such policy, the problem or an option is out of range, unknown or missing, or the policy needs a norm
/// bound and has none.
pub fn build(name: &str, problem: &SetOptions, options: &Value) -> Result<Box<dyn Policy>> {
    problem.validate()?;
    info(name)?.build(problem, options)
}

/// The policy that [`Policy::save`] stored: it goes on exactly as the stored one would have.
///
/// # Errors
/// If the document is damaged, of another kind, or written by a newer version.
pub fn restore(text: &str) -> Result<Box<dyn Policy>> {
    let document = document::read(text)?;
    info(&document.policy)?.restore(document.state)
}
