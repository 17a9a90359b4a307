//! A choice, and what can be asked about the state in which it was made.

use std::sync::{Arc, OnceLock};

use numpy::{PyArray1, ToPyArray};
use optimist::policy::{self, Probabilities};
use optimist::{Generator, Row, link};
use pyo3::prelude::*;

use super::certain::{Certificate, Interval};
use super::journal::{Arms, Chapter};
use crate::errors::{Fault, Result};

/// Simulated choices from which probabilities come that have no formula.
pub(super) const DRAWS: usize = 1000;

/// A chosen arm.
///
/// ``interval`` and ``probabilities`` are computed when they are asked for, of the state in which the choice was made, whatever
/// the bandit has learnt since. A choice keeps alive what that needs: who keeps very many should keep ``arm`` and ``x`` instead.
#[pyclass(frozen, module = "optimist")]
pub(crate) struct Choice {
    pub(super) arms: Arms,
    /// Where the choice stands in the journal.
    pub(super) chapter: Arc<Chapter>,
    pub(super) step: usize,
    pub(super) made: Made,
    /// That of the bandit that made it.
    pub(super) mark: Arc<()>,
    pub(super) probabilities: OnceLock<Probabilities>,
}

/// What a choice says without its arms.
pub(super) struct Made {
    pub(super) index: Option<usize>,
    /// The features, if the arms are no list.
    point: Option<Vec<f64>>,
    pub(super) play: Option<u64>,
    log_odds: f64,
    optimistic_log_odds: Option<f64>,
    certificate: policy::Certificate,
}

impl Made {
    pub(super) fn of(choice: policy::Choice<'_>) -> Self {
        let policy::Choice { index, features, play, log_odds, optimistic_log_odds, certificate, .. } = choice;
        let point = index.is_none().then(|| features.into_owned());
        Self { index, point, play, log_odds, optimistic_log_odds, certificate }
    }
}

impl Choice {
    /// The features of the arm.
    pub(super) fn features(&self) -> &[f64] {
        self.row().into_values()
    }

    /// The features, and whose parameters they meet.
    fn row(&self) -> Row<'_> {
        let listed = || self.made.index.and_then(|index| self.arms.row(index));
        self.made.point.as_deref().map(Row::Dense).or_else(listed).unwrap_or(Row::Dense(&[]))
    }

    fn all_probabilities(&self, py: Python<'_>) -> Result<&Probabilities> {
        if self.arms.len().is_none() {
            return Err(Fault::input(
                "probabilities are of the arms of a list, and this choice was made from a ball or a sphere",
            ));
        }
        if let Some(known) = self.probabilities.get() {
            return Ok(known);
        }
        let found = py.detach(|| {
            self.chapter.ask(self.step, |session| {
                let mut rng = apart(&session.rng);
                session.policy.snapshot().probabilities(&self.arms, DRAWS, &mut rng)
            })
        })?;
        Ok(self.probabilities.get_or_init(|| found))
    }
}

/// A generator whose numbers have nothing to do with those of `rng`: a simulation that used the same ones as the choice would
/// find that very choice more often than it was to be expected.
pub(super) fn apart(rng: &Generator) -> Generator {
    let mut rng = rng.clone();
    rng.set_stream(!rng.get_stream());
    rng
}

#[pymethods]
impl Choice {
    /// The number of the arm, from zero; ``None`` if the arms are a ball or a sphere.
    #[getter]
    fn arm(&self) -> Option<usize> {
        self.made.index
    }

    /// The features of the arm.
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.features().to_pyarray(py)
    }

    /// Estimated probability of success.
    #[getter]
    fn value(&self) -> f64 {
        link::mean(self.made.log_odds)
    }

    /// Estimated log-odds of success.
    #[getter]
    fn log_odds(&self) -> f64 {
        self.made.log_odds
    }

    /// The largest log-odds that the rule's own confidence set allows the arm, where the rule computed it to choose.
    #[getter]
    fn optimistic_log_odds(&self) -> Option<f64> {
        self.made.optimistic_log_odds
    }

    /// The number by which ``settle`` knows this play, if the policy was told that rewards come late.
    #[getter]
    fn play(&self) -> Option<u64> {
        self.made.play
    }

    /// What is certain about the choice, as far as it came with it.
    #[getter]
    fn certificate(&self) -> Certificate {
        (&self.made.certificate).into()
    }

    /// Bounds on the probability of success of the arm, as the data said when it was chosen.
    #[getter]
    fn interval(&self, py: Python<'_>) -> Result<Interval> {
        let row = self.row();
        let ask = || self.chapter.ask(self.step, |session| session.policy.snapshot().interval_of_row(&row));
        let certified = py.detach(ask)?;
        Ok((&certified).into())
    }

    /// The probability with which each arm was to be chosen: exact where that is cheap, otherwise from 1,000 simulated
    /// choices (``probability_errors`` has the standard errors then).
    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        Ok(self.all_probabilities(py)?.values.to_pyarray(py))
    }

    /// Standard errors of ``probabilities`` if they were simulated; ``None`` if they are exact.
    #[getter]
    fn probability_errors<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyArray1<f64>>>> {
        Ok(self.all_probabilities(py)?.standard_errors.as_ref().map(|errors| errors.to_pyarray(py)))
    }

    fn __repr__(&self) -> String {
        let arm = self.made.index.map_or("None".into(), |arm| arm.to_string());
        format!("Choice(arm={arm}, value={})", self.value())
    }
}
