//! How an experiment is run.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::num::NonZero;
use std::slice;
use std::thread;

use super::shard::Shard;
use crate::build::Build;
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Meant, PolicySpec, check_names};

/// How the work is to be done. Nothing of this changes what a run comes to; `build`, `keep` and `rerun` decide which
/// finished runs are taken for runs of this program.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Runs at a time; none for one per core.
    pub jobs: Option<NonZero<usize>>,
    /// The part to do; none for all.
    pub shard: Option<Shard>,
    /// Whether every choice is written down, which needs a directory.
    pub choices: bool,
    /// The build that runs are made by; none for [`Build::running`]. Programs whose policies are not in their executable, such
    /// as an extension of an interpreter, must say what identifies their code: [`Build::identified_by`].
    pub build: Option<Build>,
    /// Policies, by name or label, that are the same in all builds, by the user's word: finished runs of other builds are kept.
    /// "all" means all that `rerun` does not name.
    pub keep: Vec<String>,
    /// Policies, by name or label, whose finished runs are run again, also those of this build. "all" means all that `keep`
    /// does not name.
    pub rerun: Vec<String>,
}

/// What becomes of the finished runs of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Those of this build are kept.
    Own,
    /// Those of any build are kept.
    Keep,
    /// None is.
    Rerun,
}

impl RunOptions {
    /// Runs at a time.
    pub(super) fn threads(&self) -> usize {
        self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get)
    }

    /// Checks that the policies to keep and to rerun are policies of one of these experiments, and that none is both.
    ///
    /// # Errors
    /// If that is not so.
    pub fn check_policies(&self, experiments: &[&Experiment]) -> Result<()> {
        check_names("--keep", &self.keep, experiments)?;
        check_names("--rerun", &self.rerun, experiments)?;
        let mut policies = experiments.iter().flat_map(|experiment| &experiment.policies);
        policies.try_for_each(|spec| self.treatment(spec).map(drop))
    }

    /// The same for one of several experiments, without the names of policies that only others have.
    pub fn of(&self, experiment: &Experiment) -> Self {
        let known = |names: &[String]| -> Vec<String> {
            names.iter().filter(|name| check_names("", slice::from_ref(name), &[experiment]).is_ok()).cloned().collect()
        };
        Self { keep: known(&self.keep), rerun: known(&self.rerun), ..self.clone() }
    }

    /// What becomes of the finished runs of a policy. Who names it outdoes who says "all".
    pub(super) fn treatment(&self, spec: &PolicySpec) -> Result<Treatment> {
        let (keep, rerun) = (spec.is_meant(&self.keep), spec.is_meant(&self.rerun));
        match keep.cmp(&rerun) {
            Greater => Ok(Treatment::Keep),
            Less => Ok(Treatment::Rerun),
            Equal if keep == Meant::No => Ok(Treatment::Own),
            Equal => {
                let what = format!("both --keep and --rerun ask for the policy \"{}\"", spec.label);
                Err(Error::input(format!("{what}: its finished runs are kept or run again, leave out one of the two")))
            }
        }
    }
}
