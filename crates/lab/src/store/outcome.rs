//! The finished runs of an experiment, in order: what summaries, tables, figures and reports are made of.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::build::Build;
use crate::error::Result;
use crate::experiment::{Environment, Experiment, Meant, PolicySpec, check_names};
use crate::simulation::Record;

/// Checkpoints that a curve is drawn with.
const MOST_DRAWN: usize = 300;

/// An experiment with the runs that are finished.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What was asked for.
    pub experiment: Experiment,
    /// One entry per environment, in the experiment's order.
    pub environments: Vec<EnvironmentRuns>,
}

/// The runs in one environment.
#[derive(Debug, Clone)]
pub struct EnvironmentRuns {
    /// The environment.
    pub environment: Environment,
    /// One entry per policy, in the experiment's order.
    pub policies: Vec<PolicyRuns>,
}

/// The runs of one policy in one environment.
#[derive(Debug, Clone)]
pub struct PolicyRuns {
    /// The policy.
    pub spec: PolicySpec,
    /// Finished runs with their numbers, ascending.
    pub runs: Vec<(usize, Record)>,
}

/// The runs of one build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuildRuns {
    /// The build.
    #[serde(flatten)]
    pub build: Build,
    /// How many runs are of it.
    pub runs: usize,
    /// The labels of the policies that they are of.
    pub policies: Vec<String>,
}

impl Outcome {
    /// The builds that made the runs, those with most runs first.
    pub fn builds(&self) -> Vec<BuildRuns> {
        let of = |policy_runs: &PolicyRuns, record: &Record| {
            let (build, policies) = (record.build.clone()?, vec![policy_runs.spec.label.clone()]);
            Some(BuildRuns { build, runs: 1, policies })
        };
        let runs = self.policies().flat_map(|policy_runs| policy_runs.runs.iter().map(move |(_, r)| (policy_runs, r)));
        BuildRuns::gathered(runs.filter_map(|(policy_runs, record)| of(policy_runs, record)))
    }

    /// A warning if the runs of some policy, or of policies that are compared, are of several builds. Policies in `keep`, by
    /// name or label or as "all", are the same in all builds, by the user's word.
    ///
    /// # Errors
    /// If a name in `keep` is not that of a policy.
    pub fn mixed_builds(&self, keep: &[String]) -> Result<Option<String>> {
        check_names("--keep", keep, &[&self.experiment])?;
        let is_kept = |label: &String| {
            let spec = self.experiment.policies.iter().find(|spec| spec.label == *label);
            spec.is_some_and(|spec| spec.is_meant(keep) != Meant::No)
        };
        let builds = self.builds();
        let is_told = builds.len() > 1 && builds.iter().flat_map(|entry| &entry.policies).any(|label| !is_kept(label));
        Ok(is_told.then(|| {
            let names: Vec<String> = builds.iter().map(ToString::to_string).collect();
            format!(
                "the runs are of {} builds: {}; they compare only if these are of the same code",
                builds.len(),
                names.join(", ")
            )
        }))
    }

    /// The runs of every policy in every environment, environment by environment.
    pub fn policies(&self) -> impl Iterator<Item = &PolicyRuns> {
        self.environments.iter().flat_map(|environment_runs| &environment_runs.policies)
    }

    /// The same with so few marks that a figure can show them: dense curves would make drawings of many megabytes.
    pub(crate) fn drawable(&self) -> Cow<'_, Self> {
        let experiment = &self.experiment;
        if experiment.checkpoints.len() <= MOST_DRAWN {
            return Cow::Borrowed(self);
        }
        let step = experiment.checkpoints.len().div_ceil(MOST_DRAWN);
        let checkpoints: Vec<usize> = experiment.checkpoints.iter().copied().rev().step_by(step).collect();
        let thinned = Experiment { checkpoints: checkpoints.into_iter().rev().collect(), ..experiment.clone() };
        let marks = thinned.marks();
        let mut outcome = Self { experiment: thinned, environments: self.environments.clone() };
        let policies = outcome.environments.iter_mut().flat_map(|environment_runs| &mut environment_runs.policies);
        policies.flat_map(|policy_runs| &mut policy_runs.runs).for_each(|(_, record)| record.keep_marks(&marks));
        Cow::Owned(outcome)
    }

    /// Runs that are finished, and runs that were asked for.
    pub fn progress(&self) -> (usize, usize) {
        let done = self.policies().map(|policy_runs| policy_runs.runs.len()).sum();
        (done, self.experiment.runs * self.experiment.environments.len() * self.experiment.policies.len())
    }
}

impl BuildRuns {
    /// One entry per build, those with most runs first.
    pub(crate) fn gathered(parts: impl Iterator<Item = BuildRuns>) -> Vec<BuildRuns> {
        let mut all: Vec<BuildRuns> = Vec::new();
        for part in parts {
            match all.iter_mut().find(|known| known.build == part.build) {
                Some(known) => known.join(part),
                None => all.push(part),
            }
        }
        all.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.build.cmp(&b.build)));
        all
    }

    fn join(&mut self, part: BuildRuns) {
        self.runs += part.runs;
        let new: Vec<String> = part.policies.into_iter().filter(|label| !self.policies.contains(label)).collect();
        self.policies.extend(new);
    }
}

/// As messages show it: `3f9a12cd (0.1.0), 30 runs`.
impl fmt::Display for BuildRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} {}", self.build, self.runs, if self.runs == 1 { "run" } else { "runs" })
    }
}

impl PolicyRuns {
    /// The regret of every run at mark number `mark`.
    pub fn regrets(&self, mark: usize) -> Vec<f64> {
        self.runs.iter().map(|(_, record)| record.regret[mark]).collect()
    }

    /// The regret of every run after all rounds.
    pub fn final_regrets(&self) -> Vec<f64> {
        self.runs.iter().map(|(_, record)| record.final_regret()).collect()
    }
}
