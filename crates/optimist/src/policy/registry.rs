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

/// The line of that name, if there is one.
pub(super) fn get(name: &str) -> Option<&'static PolicyInfo> {
    POLICIES.get(name)
}

/// Makes a policy of another crate known by its name: it can then be built and restored, and be named in experiments. To
/// register an equal line again does no harm, be it a static or a constant, and any number of threads may do so.
///
/// # Errors
/// If another policy has that name, or the name is not of lower-case letters, digits and hyphens.
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread;

    use super::*;
    use crate::policy;
    use crate::set::{Mixture, Radius, RadiusInfo, RegisteredStrategy};

    const THREADS: usize = 8;

    fn leak<T>(value: T) -> &'static T {
        Box::leak(Box::new(value))
    }

    /// A line of that name; its summary tells it from others.
    fn line(name: &str, summary: &'static str) -> &'static PolicyInfo {
        leak(PolicyInfo { name: leak(name.to_owned()), summary, ..policy::uniform::INFO })
    }

    fn radius_line(name: &str) -> &'static RadiusInfo {
        leak(RadiusInfo { name: leak(name.to_owned()), ..*Mixture::INFO })
    }

    /// Here and not with the tests of what is public: there every test that goes through the registry would meet these lines.
    #[test]
    fn many_threads_register_while_others_build() {
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
        let start = Barrier::new(2 * THREADS);
        let register_all = &|t: usize| {
            start.wait();
            for i in 0..10 {
                let name = format!("threaded-{t}-{i}");
                // The same line again, from elsewhere in memory.
                [(); 2].iter().for_each(|()| register(line(&name, "one")).unwrap());
                assert!(matches!(register(line(&name, "another")), Err(Error::NameTaken { .. })));
                assert_eq!(info(&name).unwrap().name, name);
                build(&name, &problem).unwrap();
                Radius::register(radius_line(&name)).unwrap();
                Radius::by_name(&name, &problem).unwrap();
            }
            // A name that all want, each for a line of its own.
            register(line("threaded-contested", leak(t.to_string()))).is_ok()
        };
        let build_all = || {
            start.wait();
            for _ in 0..10 {
                for info in registry() {
                    let mut policy =
                        info.build(&problem, &serde_json::from_str(info.example).unwrap()).expect("a sound line");
                    policy.observe(&[0.6, 0.8], 1.0).unwrap();
                }
                let stored = build("greedy", &problem).unwrap().save().unwrap();
                assert_eq!(policy::restore(&stored).unwrap().info().name, "greedy");
            }
        };
        let winners = thread::scope(|scope| {
            let registering: Vec<_> = (0..THREADS).map(|t| scope.spawn(move || register_all(t))).collect();
            let building: Vec<_> = (0..THREADS).map(|_| scope.spawn(build_all)).collect();
            building.into_iter().for_each(|builder| builder.join().unwrap());
            registering.into_iter().map(|t| t.join().unwrap()).filter(|won| *won).count()
        });
        assert_eq!(winners, 1);
        let all: Vec<&str> = names().collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{all:?}");
        assert_eq!(all.iter().filter(|name| name.starts_with("threaded-")).count(), 10 * THREADS + 1);
    }
}
