//! A policy in an environment.

use optimist::policy::Policy;

use super::streams::{Purpose, stream};
use super::world::World;
use crate::error::{Error, Result};
use crate::experiment::{Environment, Experiment, PolicySpec};

/// What the runs of one policy in one environment have in common.
#[derive(Debug, Clone)]
pub struct Setting<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) environment: &'a Environment,
    spec: &'a PolicySpec,
    pub(super) marks: Vec<usize>,
}

impl<'a> Setting<'a> {
    /// A policy of the experiment in an environment of it.
    pub fn new(experiment: &'a Experiment, environment: &'a Environment, spec: &'a PolicySpec) -> Self {
        Self { experiment, environment, spec, marks: experiment.marks() }
    }

    /// The policy before its first round, told what the environment says that it is told.
    ///
    /// # Errors
    /// If the registry refuses an option or the problem.
    pub fn policy(&self) -> Result<Box<dyn Policy>> {
        self.spec.build_for(self.environment, self.experiment.delta, self.experiment.horizon)
    }

    /// The bandit of a run.
    ///
    /// # Errors
    /// If arms of a list are refused.
    pub fn world(&self, run: usize) -> Result<World> {
        World::new(self.environment, self.experiment.seed, run)
    }

    /// Plays the first round of the first run, whose bandit is `world`, so that what a policy refuses is known before long
    /// work begins.
    ///
    /// # Errors
    /// If the policy refuses its options, the problem or the arms.
    pub(crate) fn check(&self, world: &World) -> Result<()> {
        let mut policy = self.policy()?;
        let mut rng = stream(self.experiment.seed, Purpose::Policy, 0);
        policy.choose(world.arms(), &mut rng).map(drop).map_err(|e| self.failure(0, &e))
    }

    /// Whether the policy plays the arm with the largest log-odds over its set, which takes solving problems.
    /// Options may decide: a policy that counts its problems is one.
    pub(super) fn plans_by_solving(&self, policy: &dyn Policy) -> bool {
        policy.solves().is_some()
    }

    pub(super) fn failure(&self, run: usize, error: &optimist::Error) -> Error {
        let (label, environment) = (&self.spec.label, self.environment);
        Error::input(format!("policy \"{label}\" in \"{environment}\", run {run}: {error}"))
    }
}
