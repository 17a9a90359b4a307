//! How the engine is asked and changed by many threads: questions side by side, changes one after the other.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use optimist_engine::{Engine as Inner, Error, Features, Interval, Joined};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use super::decision::Prediction;
use super::stopped::Stopped;
use super::turn::Turn;
use super::{Engine, values};
use crate::errors::Result;
use crate::watch::Watch;

/// Seconds since 1970.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |passed| passed.as_secs_f64())
}

pub(super) fn joined(outcome: Joined) -> &'static str {
    match outcome {
        Joined::Learnt => "learnt",
        Joined::Held => "held",
        Joined::Ignored => "ignored",
        Joined::Late => "late",
    }
}

pub(super) fn reward_one(
    engine: &mut Inner,
    event: &str,
    value: f64,
    time: f64,
) -> std::result::Result<&'static str, Stopped> {
    // A value that is not allowed is so for every event, known or not.
    let allowed = engine.settings().rewards.scale.reward(value).is_ok();
    engine.reward(event, value, time).map(joined).map_err(|e| {
        let known = !allowed || engine.decision(event).is_ok();
        Stopped::refused(e, known)
    })
}

impl Engine {
    pub(super) fn of(engine: Inner) -> Self {
        let waits = engine.settings().rewards.wait > 0.0;
        Self { state: RwLock::new(engine), turn: Turn::default(), waits }
    }

    // Callers have let go of the interpreter before they come here.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of a call that may have left it out.
    fn moment(&self, engine: &Inner, time: Option<f64>) -> f64 {
        time.unwrap_or_else(|| if self.waits { now() } else { engine.clock().unwrap_or(0.0) })
    }

    /// Changes the engine.
    pub(super) fn change<T: Send>(
        &self,
        py: Python<'_>,
        time: Option<f64>,
        work: impl FnOnce(&mut Inner, f64) -> std::result::Result<T, Stopped> + Send,
    ) -> Result<T> {
        let done = py.detach(|| {
            let _turn = self.turn.take()?;
            let mut engine = self.write();
            let time = self.moment(&engine, time);
            work(&mut engine, time)
        });
        done.map_err(|stopped| stopped.fault(py))
    }

    /// Changes it several times, all or none: on a copy, while others ask the engine as it was.
    pub(super) fn change_together<T: Send>(
        &self,
        py: Python<'_>,
        list: &str,
        time: Option<f64>,
        count: usize,
        step: impl Fn(&mut Inner, usize, f64) -> std::result::Result<T, Stopped> + Sync,
    ) -> Result<Vec<T>> {
        let done = py.detach(|| {
            let _turn = self.turn.take()?;
            let mut copy = self.read().clone();
            let time = self.moment(&copy, time);
            let mut watch = Watch::new();
            let mut all = Vec::with_capacity(count);
            for i in 0..count {
                watch.look()?;
                all.push(step(&mut copy, i, time).map_err(|stopped| stopped.at(list, i))?);
            }
            *self.write() = copy;
            Ok(all)
        });
        done.map_err(|stopped: Stopped| stopped.fault(py))
    }

    /// Asks about an event.
    pub(super) fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Inner) -> std::result::Result<T, Error> + Send,
    ) -> Result<T> {
        Ok(py.detach(|| question(&self.read()))?)
    }

    /// Contexts, checked for columns that a frame should have.
    pub(super) fn contexts(&self, py: Python<'_>, contexts: &Bound<'_, PyAny>) -> Result<Vec<Features>> {
        let columns = py.detach(|| self.read().columns());
        let names: Option<Vec<String>> = columns.map(|all| all.into_iter().map(|column| column.name).collect());
        values::contexts(contexts, names.as_deref())
    }

    /// What is expected in each of several contexts, all of one state: a copy is asked, so that nobody has to wait.
    pub(super) fn predictions<'py>(
        &self,
        py: Python<'py>,
        list: &str,
        contexts: &[Features],
        intervals: bool,
    ) -> Result<Vec<Bound<'py, PyDict>>> {
        let found = py.detach(|| {
            let copy = self.read().clone();
            let mut watch = Watch::new();
            let mut all = Vec::with_capacity(contexts.len());
            for (i, context) in contexts.iter().enumerate() {
                watch.look()?;
                all.push(
                    predict(&copy, context, intervals).map_err(|error| Stopped::refused(error, true).at(list, i))?,
                );
            }
            Ok(all)
        });
        let found = found.map_err(|stopped: Stopped| stopped.fault(py))?;
        found.into_iter().map(|answers| Ok(answers.into_py_dict(py)?)).collect()
    }
}

pub(super) fn predict(
    engine: &Inner,
    context: &Features,
    intervals: bool,
) -> std::result::Result<Vec<(String, Prediction)>, Error> {
    if intervals {
        let of = |(action, estimate, interval): (Arc<str>, f64, Interval)| {
            (action.to_string(), Prediction::new(estimate, &interval))
        };
        return Ok(engine.predict(context)?.into_iter().map(of).collect());
    }
    let none = Interval::None { why: "not asked for: intervals is False".into() };
    let of = |(action, estimate): (Arc<str>, f64)| (action.to_string(), Prediction::new(estimate, &none));
    Ok(engine.estimates(context)?.into_iter().map(of).collect())
}
