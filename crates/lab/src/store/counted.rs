//! The builds whose runs count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::build::Build;

/// The builds whose runs of a policy count, by the policy's label; the first that has a run decides. A store may hold more:
/// runs of builds that were left behind stay there for whoever goes back. Of a policy without an entry all builds count, the
/// latest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counted(BTreeMap<String, Vec<Build>>);

impl Counted {
    /// From now on the runs of these builds count for the policy with this label.
    pub fn insert(&mut self, label: &str, builds: Vec<Build>) {
        self.0.insert(label.to_owned(), builds);
    }

    /// One more build counts for the policy with this label.
    pub(super) fn add(&mut self, label: &str, build: &Build) {
        let builds = self.0.entry(label.to_owned()).or_default();
        if !builds.contains(build) {
            builds.push(build.clone());
        }
    }

    /// The builds that count for the policy with this label, if anything was said about it.
    pub(super) fn of(&self, label: &str) -> Option<&[Build]> {
        self.0.get(label).map(Vec::as_slice)
    }
}
