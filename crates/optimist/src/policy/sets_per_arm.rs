//! One mixture set per arm, for arms that share no parameters.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use super::model::check_dimension;
use crate::belief::Belief;
use crate::error::{Result, check_number};
use crate::problem::Problem;
use crate::set::guarantee::{MEAN, ONCE, ORDER, PER_ARM};
use crate::set::{Guarantee, Mixture, Theorem};

/// The observations of every arm with its set. That of the k-th arm that is observed fails with probability
/// delta/(k (k + 1)) at most, so that all fail with delta together; which arm is the k-th must be settled before its outcomes
/// are known.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SetsPerArm {
    beliefs: BTreeMap<u64, Belief>,
    /// Rows that each may keep; none: all.
    memory: Option<usize>,
    /// Arms with more: nothing is forgotten before somebody looks.
    crowded: Vec<u64>,
    /// The number of features for which the priors of all sets were made; none: as many as there are.
    #[serde(default)]
    prior_dimension: Option<usize>,
}

static THEOREM: Theorem = Theorem {
    assumptions: &[MEAN, ONCE, ORDER, PER_ARM],
    order_free: false,
    citation: "the mixture set of every arm by itself, that of the k-th arm observed with delta/(k (k + 1)), which add up to \
               delta",
};

/// What the k-th arm has of delta.
fn share(delta: f64, k: usize) -> f64 {
    delta / (k as f64 * (k as f64 + 1.0))
}

/// The set of an arm that was never observed.
fn new_belief(problem: &Problem, delta: f64, prior_dimension: Option<usize>) -> Result<Belief> {
    let problem = Problem { delta, ..*problem };
    Belief::with_radius(Mixture::with_priors_for(&problem, prior_dimension.unwrap_or(problem.dimension))?.into())
}

impl SetsPerArm {
    /// What all of them promise together.
    pub(super) fn promise(problem: &Problem) -> Guarantee {
        Guarantee { theorem: &THEOREM, ..Mixture::promise(problem) }
    }

    /// How many rows each may keep.
    ///
    /// # Errors
    /// If that is zero.
    pub(super) fn limit_memory(&mut self, rows: Option<usize>) -> Result<()> {
        self.memory = rows;
        self.beliefs.values_mut().try_for_each(|belief| belief.limit_memory(rows))
    }

    /// Takes in features that were zero in all observations so far, `dimension` with the `from` old ones.
    ///
    /// # Errors
    /// As [`Belief::grow`].
    pub(super) fn grow(&mut self, from: usize, dimension: usize) -> Result<()> {
        self.prior_dimension.get_or_insert(from);
        self.beliefs.values_mut().try_for_each(|belief| belief.grow(dimension))
    }

    /// The observations of an arm; none if there are none.
    pub(super) fn belief_of(&self, owner: u64) -> Option<&Belief> {
        self.beliefs.get(&owner)
    }

    /// Learns an observation that has been checked, of a problem that has.
    pub(super) fn record(&mut self, owner: u64, x: &[f64], reward: f64, problem: &Problem) {
        let share = share(problem.delta, self.beliefs.len() + 1);
        if let Entry::Vacant(entry) = self.beliefs.entry(owner)
            && let Ok(belief) = new_belief(problem, share, self.prior_dimension)
            && let Ok(belief) = belief.with_memory(self.memory)
        {
            entry.insert(belief);
        }
        let Some(belief) = self.beliefs.get_mut(&owner) else { return };
        belief.record(x, reward, 1);
        if self.memory.is_some_and(|rows| belief.history().rows() > rows) && !self.crowded.contains(&owner) {
            self.crowded.push(owner);
        }
    }

    /// Looks at the sets that have more rows than they may keep.
    pub(super) fn look_if_crowded(&mut self) {
        for owner in self.crowded.drain(..) {
            if let Some(belief) = self.beliefs.get_mut(&owner) {
                belief.look_if_crowded();
            }
        }
    }

    /// Brings all sets in step with the observations.
    pub(super) fn refresh(&mut self) {
        self.beliefs.values_mut().for_each(Belief::refresh);
    }

    /// Checks deserialised sets: each promises what it should, with the shares of delta that their number allows, each once.
    pub(super) fn check(&self, problem: &Problem) -> Result<()> {
        let mut shares: Vec<f64> = self.beliefs.values().filter_map(|belief| belief.guarantee().delta).collect();
        shares.sort_by(|a, b| b.total_cmp(a));
        let promised = Mixture::promise(problem);
        let is_alike = |belief: &Belief| {
            let Guarantee { name, norm_bound, .. } = belief.guarantee();
            (name, norm_bound, belief.memory()) == (promised.name, promised.norm_bound, self.memory)
        };
        let sound = shares.len() == self.beliefs.len()
            && shares.iter().enumerate().all(|(i, part)| *part <= share(problem.delta, i + 1))
            && self.beliefs.values().all(is_alike);
        let before = self.prior_dimension.unwrap_or(problem.dimension);
        let allowed = (1..=problem.dimension).contains(&before);
        check_number("sets.prior_dimension", before as f64, allowed, "at least 1 and at most the dimension")?;
        check_number("sets", shares.iter().sum(), sound, "sets whose deltas add up to that of the problem")?;
        self.beliefs.values().try_for_each(|belief| check_dimension("sets", belief.dimension(), problem.dimension))
    }
}
