//! What is kept of a finished run.

use serde::{Deserialize, Serialize};

use crate::build::Build;

/// A finished run: figures at the marks of the experiment, one column per figure.
///
/// The parts of the regret are those of its second-order expansion about the arm played (Abeille, Faury, Calauzenes
/// 2021): with Delta_t = (x* - x_t)'theta* and gap_t = mu(x*'theta*) - mu(x_t'theta*), R1 = sum of mu'(x_t'theta*) Delta_t
/// and R2 = sum of gap_t - mu'(x_t'theta*) Delta_t, so that regret = R1 + R2 exactly.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// The program that made it; none until somebody keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// The rounds after which the figures below were taken, ascending; the last is the horizon.
    pub t: Vec<usize>,
    /// Pseudo-regret so far: sum of mu(x*'theta*) - mu(x_t'theta*), with the best arm and the theta* of each round. It is
    /// dynamic: if theta* drifts, so does what is compared with.
    pub regret: Vec<f64>,
    /// Sum of rewards so far, whether they have arrived or not.
    pub reward: Vec<f64>,
    /// First-order part of the regret so far, sum of mu'(x_t'theta*) (x* - x_t)'theta*.
    pub r1: Vec<f64>,
    /// The rest, so that regret = R1 + R2.
    pub r2: Vec<f64>,
    /// The part of R2 that comes from detrimental arms.
    pub r2_bad: Vec<f64>,
    /// R1 with the optimistic x_t'theta_t of the policy (or the certified bound on it) in place of x*'theta*: no less than R1
    /// while theta* is in the policy's set, up to the precision of planning. None if the policy does not plan over a set, or
    /// if that was infinite in some round.
    pub r1_optimistic: Option<Vec<f64>>,
    /// Sum of mu'(x_t'theta*) so far: the information in the rewards.
    pub slopes: Vec<f64>,
    /// Sum of mu'(x*'theta*) so far, t/kappa_* if the arms do not change. `slopes` is at most this plus the regret.
    pub best_slopes: Vec<f64>,
    /// Sum of mu'(x_t'theta*) ||x_t||^2 in the metric of the inverse of d I + sum_{s<t} mu'(x_s'theta*) x_s x_s', the
    /// realised elliptical potential, with d the number of parameters. A larger ridge, as the analysis has it, only makes it smaller.
    pub elliptical: Vec<f64>,
    /// Plays of detrimental arms (the paper's X_-) so far.
    pub bad_plays: Vec<u64>,
    /// The round in which the theta* of that round was first found outside the policy's own set, 0 if never; none if the policy keeps no set
    /// or nobody looked.
    pub left_set: Option<u64>,
    /// Problems solved for planning in all rounds, if the policy counts them.
    pub solves: Option<u64>,
    /// Rewards that the policy saw.
    pub rewards_seen: u64,
    /// Time spent in the policy.
    pub policy_seconds: f64,
    /// Time of the whole run, environment and bookkeeping included.
    pub seconds: f64,
}

impl Record {
    /// Whether theta* was in the set in every round up to `t` in which somebody looked; none if nobody did.
    pub fn in_set(&self, t: usize) -> Option<bool> {
        self.left_set.map(|left| left == 0 || left > t as u64)
    }

    /// Regret after all rounds.
    pub fn final_regret(&self) -> f64 {
        self.regret.last().copied().unwrap_or(0.0)
    }

    /// The same, made by that program.
    pub(crate) fn made_by(self, build: &Build) -> Self {
        Self { build: Some(build.clone()), ..self }
    }

    /// Drops the figures of all other marks.
    pub(crate) fn keep_marks(&mut self, marks: &[usize]) {
        if !self.is_whole() {
            return;
        }
        let is_kept: Vec<bool> = self.t.iter().map(|t| marks.binary_search(t).is_ok()).collect();
        fn retain<T>(column: &mut Vec<T>, is_kept: &[bool]) {
            let mut flags = is_kept.iter();
            column.retain(|_| flags.next() == Some(&true));
        }
        let Self { t, regret, reward, r1, r2, r2_bad, r1_optimistic, slopes, best_slopes, elliptical, .. } = self;
        let columns = [regret, reward, r1, r2, r2_bad, slopes, best_slopes, elliptical];
        columns.into_iter().chain(r1_optimistic).for_each(|column| retain(column, &is_kept));
        retain(t, &is_kept);
        retain(&mut self.bad_plays, &is_kept);
    }

    /// Whether there is a figure of every kind at every mark.
    pub(crate) fn is_whole(&self) -> bool {
        let Self { t, regret, reward, r1, r2, r2_bad, r1_optimistic, slopes, best_slopes, elliptical, .. } = self;
        let columns = [regret, reward, r1, r2, r2_bad, slopes, best_slopes, elliptical];
        let mut figures = columns.into_iter().chain(r1_optimistic);
        figures.all(|column| column.len() == t.len()) && self.bad_plays.len() == t.len()
    }

    /// Whether everything but the time and the build is the same, to the last bit.
    pub fn is_same_outcome(&self, other: &Self) -> bool {
        let timeless = |record: &Self| Self { build: None, policy_seconds: 0.0, seconds: 0.0, ..record.clone() };
        timeless(self) == timeless(other)
    }
}
