//! An agent as it was, to be asked by many.

use rand::Rng;

use super::Agent;
use super::certifying::new_answers;
use crate::arms::{ArmSet, FiniteArms};
use crate::error::{Result, check_vector};
use crate::policy::Policy;
use crate::policy::choice::{Certified, CertifiedList, Probabilities};
use crate::policy::info::PolicyInfo;
use crate::policy::rule::Rule;
use crate::policy::snapshot::{Counts, Snapshot};
use crate::posterior::Row;
use crate::problem::Problem;

/// An agent that was just refreshed: nothing here changes it.
impl<R: Rule> Snapshot for Agent<R> {
    fn info(&self) -> &'static PolicyInfo {
        R::INFO
    }

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn counts(&self) -> Counts {
        Policy::counts(self)
    }

    fn estimate(&self) -> &[f64] {
        self.rule.estimate()
    }

    fn log_odds_of(&self, row: &Row<'_>) -> Result<f64> {
        self.check_row(row)?;
        Ok(self.rule.log_odds_of(&self.as_known(row, &mut Vec::new())))
    }

    fn interval_of_row(&self, row: &Row<'_>) -> Result<Certified> {
        self.check_row(row)?;
        self.certified(row, &mut new_answers(self.problem.dimension)?)
    }

    fn intervals(&self, arms: &FiniteArms<'_>) -> Result<CertifiedList> {
        self.check_list(arms)?;
        self.certified_list(arms, &mut new_answers(self.problem.dimension)?)
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        check_vector("theta", theta, self.problem.dimension)?;
        self.rule.contains(theta)
    }

    fn probabilities(&self, arms: &ArmSet<'_>, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        self.clone().into_probabilities(arms, draws, rng)
    }
}
