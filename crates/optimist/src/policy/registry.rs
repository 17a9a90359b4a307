//! All policies, by name.

use serde::Serialize;
use serde_json::Map;

use super::Policy;
use super::info::PolicyInfo;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::registry::Registry;

/// All policies, the default first.
static POLICIES: Registry<PolicyInfo> = Registry::new(
    "policy",
    &[
        &super::optimist::INFO,
        &super::optimist_stream::INFO,
        &super::bayes_ucb::INFO,
        &super::insured::INFO,
        &super::laplace_ts::INFO,
        &super::pg_ts::INFO,
        &super::evill::INFO,
        &super::ofuglb::INFO,
        &super::ofuglb_e::INFO,
        &super::emk::INFO,
        &super::ofulog_plus::INFO,
        &super::ofulog_r::INFO,
        &super::ofulog::INFO,
        &super::ecolog::INFO,
        &super::ts_ecolog::INFO,
        &super::glb_omd::INFO,
        &super::rs_glincb::INFO,
        &super::log_ucb_2::INFO,
        &super::log_ucb_1::INFO,
        &super::glm_ucb::INFO,
        &super::ol2m::INFO,
        &super::gloc::INFO,
        &super::oful::INFO,
        &super::lin_ts::INFO,
        &super::epsilon_greedy::INFO,
        &super::greedy::INFO,
        &super::uniform::INFO,
    ],
    &[],
);

/// The registry, the default first; then what other crates have [registered](register).
pub fn registry() -> Vec<&'static PolicyInfo> {
    POLICIES.all()
}

/// The names of all policies, in the order of the registry.
pub fn names() -> impl Iterator<Item = &'static str> {
    registry().into_iter().map(|info| info.name)
}

/// The line of that name.
///
/// # Errors
/// If there is no such policy; the text lists those that exist.
pub fn info(name: &str) -> Result<&'static PolicyInfo> {
    POLICIES.find(name)
}

/// Makes a policy of another crate known by its name: it can then be built and restored, and be named in experiments.
///
/// # Errors
/// If another policy has that name.
pub fn register(info: &'static PolicyInfo) -> Result<()> {
    POLICIES.register(info)
}

/// A policy of that name with its default options, before any data.
///
/// # Errors
/// If there is no such policy, the problem is out of range, an option has no default and must be given to [`build_with`], or
/// the policy needs a norm bound and has none.
pub fn build(name: &str, problem: &Problem) -> Result<Box<dyn Policy>> {
    build_with(name, problem, Map::new())
}

/// A policy of that name, before any data. `options` is anything that serialises to an object, such as
/// `serde_json::json!({ "ridge": 2.0 })` or the policy's own struct of options; what it does not name keeps its default.
///
/// # Errors
/// As [`build`]; also if an option is out of range or unknown.
pub fn build_with(name: &str, problem: &Problem, options: impl Serialize) -> Result<Box<dyn Policy>> {
    let info = info(name)?;
    problem.validate()?;
    let failed = |e: serde_json::Error| Error::Option { field: format!("options of \"{name}\""), what: e.to_string() };
    info.build(problem, &serde_json::to_value(options).map_err(failed)?)
}
