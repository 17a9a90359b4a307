//! Policies of an experiment, as users call them.

use super::{Experiment, PolicySpec};
use crate::error::{Error, Result};
use crate::input::{shown_text, suggest};

/// The word for all policies.
const ALL: &str = "all";

/// How a list of names means a policy. Who names one knows it better than who says "all".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meant {
    /// Not at all.
    No,
    /// As one of all.
    WithAll,
    /// By its name or label.
    ByName,
}

impl PolicySpec {
    /// Whether this is its name or its label.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.label == name || self.policy == name
    }

    /// How a list of names means it.
    pub(crate) fn is_meant(&self, names: &[String]) -> Meant {
        let by_name = names.iter().any(|name| self.is_called(name));
        match by_name {
            true => Meant::ByName,
            false if names.iter().any(|name| name == ALL) => Meant::WithAll,
            false => Meant::No,
        }
    }
}

/// Checks that every name is that of a policy in one of the experiments. `option` is how the names were given.
///
/// # Errors
/// If one is not, with the names that are known.
pub(crate) fn check_names(option: &str, names: &[String], experiments: &[&Experiment]) -> Result<()> {
    let specs = || experiments.iter().flat_map(|experiment| &experiment.policies);
    let is_known = |name: &&String| *name == ALL || specs().any(|spec| spec.is_called(name));
    let Some(unknown) = names.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let mut known = vec![ALL];
    for name in specs().flat_map(|spec| [spec.label.as_str(), spec.policy.as_str()]) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let what = format!("{option} is {}, which is no policy of the experiment", shown_text(unknown));
    Err(Error::input(format!("{what}: {}", suggest(unknown, &known))))
}
