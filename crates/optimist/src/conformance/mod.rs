//! What every policy and every radius must do, as checks that the author of one can run (feature `conformance`).
//!
//! A policy that is written outside this crate is registered and checked in a test of its own crate:
//!
//! ```
//! use optimist::{conformance, policy};
//!
//! # let info = policy::info("uniform")?;
//! policy::register(info)?;
//! conformance::check_policy(info);
//! # Ok::<(), optimist::Error>(())
//! ```
//!
//! A check panics with what it found, like the assertions of a test. [`policy_checks`] and [`radius_checks`] list them by
//! name, for those who want one test per check. What no check can know is whether the policy does what its paper says:
//! compare it with a slow computation of its own.

mod coverage;
mod edits;
mod policy;
mod radius;
mod simulation;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use coverage::{largest_share, policy_misses, radius_misses};
pub use simulation::Simulation;

use crate::policy::PolicyInfo;
use crate::set::RadiusInfo;

/// A check of an entry of a registry.
#[derive(Debug)]
pub struct Check<I: 'static> {
    /// What must be true, in a few words with underscores.
    pub name: &'static str,
    /// Checks it, and panics with what was found if it is not. The entry must be registered.
    pub run: fn(&'static I),
}

/// `checks![file: one, two; other: three]`: the checks `file::one`, `file::two` and `other::three` by their names.
macro_rules! checks {
    ($($file:ident: $($name:ident),+);+ $(;)?) => {
        &[$($($crate::conformance::Check { name: stringify!($name), run: $file::$name }),+),+]
    };
}
use checks;

/// What every policy must do.
pub fn policy_checks() -> &'static [Check<PolicyInfo>] {
    policy::CHECKS
}

/// What every radius must do.
pub fn radius_checks() -> &'static [Check<RadiusInfo>] {
    radius::CHECKS
}

/// Runs all checks of a policy, which takes some seconds.
///
/// # Panics
/// If the policy is not registered, or a check fails: all are run, and the message names those that failed.
pub fn check_policy(info: &'static PolicyInfo) {
    let registered = crate::policy::info(info.name);
    assert!(registered.is_ok(), "policy \"{}\" is not registered: call policy::register first", info.name);
    run_all("policy", info.name, policy_checks(), info);
}

/// Runs all checks of a radius, which takes some seconds.
///
/// # Panics
/// As [`check_policy`].
pub fn check_radius(info: &'static RadiusInfo) {
    let is_registered = crate::set::Radius::all().iter().any(|other| other.name == info.name);
    assert!(is_registered, "radius \"{}\" is not registered: call Radius::register first", info.name);
    run_all("radius", info.name, radius_checks(), info);
}

fn run_all<I>(kind: &str, name: &str, checks: &[Check<I>], info: &'static I) {
    let fails = |check: &&Check<I>| catch_unwind(AssertUnwindSafe(|| (check.run)(info))).is_err();
    let failed: Vec<&str> = checks.iter().filter(fails).map(|check| check.name).collect();
    assert!(failed.is_empty(), "{kind} \"{name}\" fails {} (what was found stands above)", failed.join(", "));
}
