//! Questions that take long and can be stopped.

use std::sync::{Arc, Mutex};

use optimist::policy::{Certified, CertifiedList, Counts, PolicyInfo, Probabilities, Snapshot};
use optimist::rand::Rng;
use optimist::{ArmSet, FiniteArms, Problem, Row};
use pyo3::prelude::*;

use super::journal::lock;
use crate::errors::{Fault, Result};
use crate::watch::Watch;

/// Arms whose intervals are found between two looks at the clock.
const AT_A_TIME: usize = 64;

/// A snapshot that stops answering when the user wants that.
#[derive(Debug)]
struct Watched {
    inner: Arc<dyn Snapshot>,
    watch: Mutex<Watch>,
    interrupted: Mutex<Option<PyErr>>,
}

/// Asks a snapshot; an interruption is raised as what it is.
pub(super) fn ask<T: Send>(
    py: Python<'_>,
    snapshot: impl FnOnce() -> Arc<dyn Snapshot> + Send,
    question: impl FnOnce(&dyn Snapshot) -> optimist::Result<T> + Send,
) -> Result<T> {
    let (answer, interrupted) = py.detach(|| {
        let inner = snapshot();
        let watched = Watched { inner, watch: Mutex::new(Watch::new()), interrupted: Mutex::default() };
        let answer = question(&watched);
        (answer, watched.interrupted.into_inner().ok().flatten())
    });
    match interrupted {
        Some(error) => Err(Fault::from(error)),
        None => Ok(answer?),
    }
}

impl Watched {
    /// An error if the user has had enough.
    fn look(&self) -> optimist::Result<()> {
        // Which error is of no account: it is replaced by what was raised.
        lock(&self.watch).look().map_err(|error| {
            *lock(&self.interrupted) = Some(error);
            optimist::Error::EmptySet
        })
    }
}

impl Snapshot for Watched {
    fn info(&self) -> &'static PolicyInfo {
        self.inner.info()
    }

    fn problem(&self) -> &Problem {
        self.inner.problem()
    }

    fn counts(&self) -> Counts {
        self.inner.counts()
    }

    fn estimate(&self) -> &[f64] {
        self.inner.estimate()
    }

    fn log_odds_of(&self, row: &Row<'_>) -> optimist::Result<f64> {
        self.inner.log_odds_of(row)
    }

    fn interval_of_row(&self, row: &Row<'_>) -> optimist::Result<Certified> {
        self.look()?;
        self.inner.interval_of_row(row)
    }

    fn intervals(&self, arms: &FiniteArms<'_>) -> optimist::Result<CertifiedList> {
        let mut parts = arms.features().chunks(arms.dimension() * AT_A_TIME).map(|rows| {
            self.look()?;
            self.inner.intervals(&FiniteArms::new(arms.dimension(), rows)?)
        });
        let Some(first) = parts.next() else { return self.inner.intervals(arms) };
        let mut all = first?;
        for part in parts {
            all.intervals.extend(part?.intervals);
        }
        Ok(all)
    }

    fn contains(&self, theta: &[f64]) -> optimist::Result<bool> {
        self.inner.contains(theta)
    }

    fn probabilities(&self, arms: &ArmSet<'_>, draws: usize, rng: &mut dyn Rng) -> optimist::Result<Probabilities> {
        self.inner.probabilities(arms, draws, rng)
    }
}
