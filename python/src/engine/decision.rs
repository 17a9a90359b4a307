//! What was decided, and what is certain of it.

use optimist_engine as engine;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{NoGuarantee, Result};
use crate::json;

/// Bounds on a mean reward, or why there are none. Unpacks as ``lower, upper``; true if there are bounds.
///
/// With probability at least ``1 - delta`` these and all others of their kind hold, at all times and however often one looks.
/// There are two kinds: bounds for single decisions, which come from the policy's set, and those of the report, which come
/// from the rewards alone.
#[pyclass(frozen, get_all, sequence, module = "optimist")]
#[derive(Clone)]
pub(crate) struct Bounds {
    /// Lower bound on the mean reward; ``None`` if there are no bounds.
    lower: Option<f64>,
    /// Upper bound on the mean reward; ``None`` if there are no bounds.
    upper: Option<f64>,
    /// The probability with which any bound of this kind may ever be wrong; ``None`` if there are no bounds.
    delta: Option<f64>,
    /// Why there are no bounds; ``None`` if there are.
    why: Option<String>,
}

impl From<&engine::Interval> for Bounds {
    fn from(from: &engine::Interval) -> Self {
        match from {
            engine::Interval::Certified { lower, upper, delta } => {
                Self { lower: Some(*lower), upper: Some(*upper), delta: Some(*delta), why: None }
            }
            engine::Interval::None { why } => Self { lower: None, upper: None, delta: None, why: Some(why.clone()) },
        }
    }
}

impl Bounds {
    fn pair(&self) -> PyResult<(f64, f64)> {
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) => Ok((lower, upper)),
            _ => Err(NoGuarantee::new_err(self.why.clone().unwrap_or_default())),
        }
    }

    /// In a few characters, for tables.
    pub(super) fn short(&self) -> String {
        self.pair().map_or_else(|_| "none".into(), |(lower, upper)| format!("{lower:.3} to {upper:.3}"))
    }
}

#[pymethods]
impl Bounds {
    /// No bounds, and why.
    #[staticmethod]
    fn none(why: String) -> Self {
        Self { lower: None, upper: None, delta: None, why: Some(why) }
    }

    fn __bool__(&self) -> bool {
        self.lower.is_some()
    }

    fn __len__(&self) -> usize {
        2
    }

    fn __getitem__(&self, index: isize) -> PyResult<f64> {
        let (lower, upper) = self.pair()?;
        match index {
            0 | -2 => Ok(lower),
            1 | -1 => Ok(upper),
            _ => Err(PyIndexError::new_err("bounds are a lower and an upper one")),
        }
    }

    fn __contains__(&self, value: f64) -> PyResult<bool> {
        let (lower, upper) = self.pair()?;
        Ok(lower <= value && value <= upper)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        match (self.lower, self.upper, self.delta) {
            (Some(lower), Some(upper), Some(delta)) => {
                Ok(format!("Bounds(lower={lower}, upper={upper}, delta={delta})"))
            }
            _ => Ok(format!("Bounds(why={})", quoted(py, self.why.as_deref().unwrap_or_default())?)),
        }
    }
}

/// An action among those that were offered.
#[pyclass(frozen, get_all, module = "optimist")]
#[derive(Clone)]
pub(crate) struct Ranked {
    /// Its name.
    action: String,
    /// Its estimated mean reward.
    estimate: f64,
    /// The probability with which the engine chooses it.
    probability: f64,
}

#[pymethods]
impl Ranked {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Self { action, estimate, probability } = self;
        let action = quoted(py, action)?;
        Ok(format!("Ranked(action={action}, estimate={estimate}, probability={probability})"))
    }
}

/// What is expected of an action in a context.
#[pyclass(frozen, get_all, module = "optimist")]
#[derive(Clone)]
pub(crate) struct Prediction {
    /// Its estimated mean reward.
    estimate: f64,
    /// Bounds on its mean reward, or why there are none.
    interval: Bounds,
}

impl Prediction {
    pub(super) fn new(estimate: f64, interval: &engine::Interval) -> Self {
        Self { estimate, interval: interval.into() }
    }
}

#[pymethods]
impl Prediction {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Prediction(estimate={}, interval={})", self.estimate, self.interval.__repr__(py)?))
    }
}

/// What was decided.
#[pyclass(frozen, module = "optimist")]
#[derive(Clone)]
pub(crate) struct Decision(engine::Decision);

impl From<engine::Decision> for Decision {
    fn from(decision: engine::Decision) -> Self {
        Self(decision)
    }
}

#[pymethods]
impl Decision {
    /// The id by which the reward finds the decision.
    #[getter]
    fn event_id(&self) -> &str {
        &self.0.event
    }

    /// The action.
    #[getter]
    fn action(&self) -> &str {
        &self.0.action
    }

    /// The probability with which it was chosen; ``None`` if the caller chose it and gave none.
    #[getter]
    fn probability(&self) -> Option<f64> {
        self.0.probability
    }

    /// Estimated mean reward of the action in its context.
    #[getter]
    fn estimate(&self) -> f64 {
        self.0.estimate
    }

    /// Bounds on the mean reward as of the decision, or why there are none (``intervals="always"`` computes them with every
    /// decision; ``Engine.interval`` when asked).
    #[getter]
    fn interval(&self) -> Bounds {
        (&self.0.interval).into()
    }

    /// All actions that were offered: the chosen one, then the others by their estimates.
    #[getter]
    fn ranking(&self) -> Vec<Ranked> {
        let ranked = |from: &engine::Ranked| Ranked {
            action: from.action.to_string(),
            estimate: from.estimate,
            probability: from.probability,
        };
        self.0.ranking.iter().map(ranked).collect()
    }

    /// What the engine would have chosen, where the caller chose.
    #[getter]
    fn advice(&self) -> Option<&str> {
        self.0.advice.as_deref()
    }

    /// How many rewards had been learnt.
    #[getter]
    fn version(&self) -> u64 {
        self.0.version
    }

    /// Whether this is the stored answer to an id that was known.
    #[getter]
    fn repeated(&self) -> bool {
        self.0.repeated
    }

    /// What to know about how it was chosen, if there is something.
    #[getter]
    fn note(&self) -> Option<&str> {
        self.0.note.as_deref()
    }

    /// All of it as a dict, in the form that the service answers with.
    fn to_dict<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        json::write(py, &self.0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (action, event) = (quoted(py, self.action())?, quoted(py, self.event_id())?);
        let probability = self.0.probability.map_or("None".into(), |p| p.to_string());
        Ok(format!(
            "Decision(action={action}, event_id={event}, probability={probability}, estimate={})",
            self.0.estimate
        ))
    }
}

/// A text as Python writes it.
pub(super) fn quoted(py: Python<'_>, text: &str) -> PyResult<String> {
    Ok(PyString::new(py, text).repr()?.to_string())
}
