//! The books of a run: regret and its parts, written down at the marks.

use optimist::posterior::{HybridFilter, Row};

use super::instance::Instance;
use super::potential::Potential;
use super::record::Record;
use super::sum::Sum;
use super::world::Play;
use crate::error::{Error, Result};
use crate::experiment::Environment;

/// Sums so far, and what was written down.
#[derive(Debug)]
pub(super) struct Ledger<'a> {
    marks: &'a [usize],
    regret: Sum,
    r1: Sum,
    r2: Sum,
    r2_bad: Sum,
    /// None once the policy has not named a finite optimistic value.
    r1_optimistic: Option<Sum>,
    slopes: Sum,
    best_slopes: Sum,
    elliptical: Sum,
    potential: Metric,
    reward: f64,
    bad_plays: u64,
    record: Record,
}

/// How much a play still tells.
#[derive(Debug)]
enum Metric {
    Dense(Potential),
    /// Of arms with parameters of their own; what [`Potential`] computes for rows that are written out, without doing so.
    Hybrid(Box<HybridFilter>),
}

impl Metric {
    fn new(environment: &Environment) -> Result<Self> {
        let Some(hybrid) = environment.arms.as_hybrid() else {
            return Ok(Self::Dense(Potential::new(environment.dimension)));
        };
        // The ridge is the number of parameters, as it is there.
        let filter = HybridFilter::new(hybrid.shared, hybrid.own, hybrid.parameters() as f64).map_err(refused)?;
        Ok(Self::Hybrid(Box::new(filter)))
    }

    /// mu' ||x||^2 of a play, which then enters the metric.
    fn enter(&mut self, row: &Row<'_>, slope: f64) -> Result<f64> {
        match (self, row) {
            (Self::Hybrid(filter), Row::Own { owner, features }) => {
                Ok(slope * filter.add(*owner, features, slope).map_err(refused)?.variance)
            }
            (Self::Dense(potential), row) => Ok(potential.enter(row.values(), slope)),
            // Such an environment has no other arms.
            (Self::Hybrid(_), _) => Ok(0.0),
        }
    }
}

/// A filter refuses what no environment has: that would be a bug.
fn refused(error: optimist::Error) -> Error {
    Error::input(format!("environment.arms: {error}"))
}

/// What a round adds to the books.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// What the truth says about the arm.
    pub(super) play: Play,
    /// The arm.
    pub(super) row: Row<'a>,
    /// The optimistic log-odds that the policy names, if it plans over a set.
    pub(super) optimistic_log_odds: Option<f64>,
    /// The reward.
    pub(super) reward: f64,
}

impl<'a> Ledger<'a> {
    /// # Errors
    /// If the arms have more features than there can be.
    pub(super) fn new(marks: &'a [usize], environment: &Environment) -> Result<Self> {
        Ok(Self {
            marks,
            regret: Sum::default(),
            r1: Sum::default(),
            r2: Sum::default(),
            r2_bad: Sum::default(),
            r1_optimistic: Some(Sum::default()),
            slopes: Sum::default(),
            best_slopes: Sum::default(),
            elliptical: Sum::default(),
            potential: Metric::new(environment)?,
            reward: 0.0,
            bad_plays: 0,
            record: blank(marks.len()),
        })
    }

    /// Enters a play: regret = R1 + R2, where R1 is its first-order part at the arm played.
    ///
    /// # Errors
    /// If the arm is not one of the environment, which would be a bug.
    pub(super) fn enter(&mut self, instance: &Instance, entry: &Entry<'_>) -> Result<()> {
        let Entry { play, row, optimistic_log_odds, reward } = *entry;
        let gap = instance.best_mean() - play.mean;
        let first = play.slope * (instance.best() - play.log_odds);
        self.regret.add(gap);
        self.r1.add(first);
        self.r2.add(gap - first);
        if play.is_detrimental {
            self.r2_bad.add(gap - first);
            self.bad_plays += 1;
        }
        match (&mut self.r1_optimistic, optimistic_log_odds.filter(|odds| odds.is_finite())) {
            (Some(sum), Some(odds)) => sum.add(play.slope * (odds - play.log_odds)),
            _ => self.r1_optimistic = None,
        }
        self.slopes.add(play.slope);
        self.best_slopes.add(1.0 / instance.kappa_star());
        self.elliptical.add(self.potential.enter(&row, play.slope)?);
        self.reward += reward;
        Ok(())
    }

    /// Enters whether the set of round `t` holds the truth.
    pub(super) fn enter_coverage(&mut self, t: usize, inside: bool) {
        let left = self.record.left_set.get_or_insert(0);
        if !inside && *left == 0 {
            *left = t as u64;
        }
    }

    /// Whether figures are written down after round `t`.
    pub(super) fn is_mark(&self, t: usize) -> bool {
        self.marks.get(self.record.t.len()) == Some(&t)
    }

    /// Writes down the figures after round `t`.
    pub(super) fn write(&mut self, t: usize) {
        let record = &mut self.record;
        record.t.push(t);
        record.regret.push(self.regret.value());
        record.reward.push(self.reward);
        record.r1.push(self.r1.value());
        record.r2.push(self.r2.value());
        record.r2_bad.push(self.r2_bad.value());
        match (&mut record.r1_optimistic, &self.r1_optimistic) {
            (Some(column), Some(sum)) => column.push(sum.value()),
            _ => record.r1_optimistic = None,
        }
        record.slopes.push(self.slopes.value());
        record.best_slopes.push(self.best_slopes.value());
        record.elliptical.push(self.elliptical.value());
        record.bad_plays.push(self.bad_plays);
    }

    pub(super) fn close(self) -> Record {
        self.record
    }
}

/// A record with room for so many marks.
fn blank(marks: usize) -> Record {
    let room = || Vec::with_capacity(marks);
    Record {
        t: Vec::with_capacity(marks),
        regret: room(),
        reward: room(),
        r1: room(),
        r2: room(),
        r2_bad: room(),
        r1_optimistic: Some(room()),
        slopes: room(),
        best_slopes: room(),
        elliptical: room(),
        bad_plays: Vec::with_capacity(marks),
        ..Record::default()
    }
}
