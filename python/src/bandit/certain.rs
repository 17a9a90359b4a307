//! What is certain, as Python sees it: guarantees, intervals, comparisons.

use numpy::{PyArray1, ToPyArray};
use optimist::policy::{self, CertifiedBest, CertifiedComparison, CertifiedList};
use optimist::set;
use pyo3::prelude::*;

/// What is promised, and where that is proved.
///
/// All that is read off one set holds together, at all times and however often one looks, with probability at least
/// ``1 - delta``.
#[pyclass(frozen, get_all, module = "optimist")]
#[derive(Clone)]
pub(crate) struct Guarantee {
    /// The set, and with it the event on which everything that is read off it holds.
    name: &'static str,
    /// The probability with which it may ever be wrong; ``None`` if nothing is promised.
    delta: Option<f64>,
    /// The bound on the true parameter's norm that is relied upon, if any.
    norm_bound: Option<f64>,
    /// Under which conditions the promise holds.
    assumptions: Vec<&'static str>,
    /// Where it is proved.
    citation: &'static str,
}

impl From<&set::Guarantee> for Guarantee {
    fn from(from: &set::Guarantee) -> Self {
        let set::Theorem { assumptions, citation, .. } = *from.theorem;
        Self {
            name: from.name,
            delta: from.delta,
            norm_bound: from.norm_bound,
            assumptions: assumptions.to_vec(),
            citation,
        }
    }
}

#[pymethods]
impl Guarantee {
    fn __repr__(&self) -> String {
        let delta = self.delta.map_or("None".into(), |delta| delta.to_string());
        format!("Guarantee(name='{}', delta={delta})", self.name)
    }
}

/// Bounds on the probability of success of an arm. Unpacks as ``lower, upper``.
#[pyclass(frozen, get_all, sequence, module = "optimist")]
pub(crate) struct Interval {
    /// Lower bound on the probability of success.
    lower: f64,
    /// Upper bound on the probability of success.
    upper: f64,
    /// Lower bound on the log-odds.
    log_odds_lower: f64,
    /// Upper bound on the log-odds.
    log_odds_upper: f64,
    /// What is promised.
    guarantee: Guarantee,
}

impl From<&policy::Certified> for Interval {
    fn from(from: &policy::Certified) -> Self {
        let optimist::plan::Interval { lower, upper, log_odds_lower, log_odds_upper } = from.interval;
        Self { lower, upper, log_odds_lower, log_odds_upper, guarantee: (&from.guarantee).into() }
    }
}

#[pymethods]
impl Interval {
    fn __repr__(&self) -> String {
        format!("Interval(lower={}, upper={})", self.lower, self.upper)
    }

    fn __len__(&self) -> usize {
        2
    }

    fn __getitem__(&self, index: isize) -> PyResult<f64> {
        match index {
            0 | -2 => Ok(self.lower),
            1 | -1 => Ok(self.upper),
            _ => Err(pyo3::exceptions::PyIndexError::new_err("an interval has a lower and an upper bound")),
        }
    }

    fn __contains__(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }
}

/// Bounds on the probabilities of success of several arms, all of which hold together. Unpacks as ``lower, upper``.
#[pyclass(frozen, get_all, sequence, module = "optimist")]
pub(crate) struct Intervals {
    /// Lower bounds on the probabilities of success.
    lower: Py<PyArray1<f64>>,
    /// Upper bounds on the probabilities of success.
    upper: Py<PyArray1<f64>>,
    /// Lower bounds on the log-odds.
    log_odds_lower: Py<PyArray1<f64>>,
    /// Upper bounds on the log-odds.
    log_odds_upper: Py<PyArray1<f64>>,
    /// What is promised.
    guarantee: Guarantee,
}

impl Intervals {
    pub(super) fn new(py: Python<'_>, from: &CertifiedList) -> Self {
        let of = |part: fn(&optimist::plan::Interval) -> f64| {
            from.intervals.iter().map(part).collect::<Vec<f64>>().to_pyarray(py).unbind()
        };
        Self {
            lower: of(|interval| interval.lower),
            upper: of(|interval| interval.upper),
            log_odds_lower: of(|interval| interval.log_odds_lower),
            log_odds_upper: of(|interval| interval.log_odds_upper),
            guarantee: (&from.guarantee).into(),
        }
    }
}

#[pymethods]
impl Intervals {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Intervals(lower={}, upper={})", self.lower.bind(py).repr()?, self.upper.bind(py).repr()?))
    }

    fn __len__(&self) -> usize {
        2
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<Py<PyArray1<f64>>> {
        match index {
            0 | -2 => Ok(self.lower.clone_ref(py)),
            1 | -1 => Ok(self.upper.clone_ref(py)),
            _ => Err(pyo3::exceptions::PyIndexError::new_err("intervals have lower and upper bounds")),
        }
    }
}

/// What is certain about a choice.
#[pyclass(frozen, get_all, module = "optimist")]
pub(crate) struct Certificate {
    /// ``"bounds"``: bounds came with the choice; ``"on-request"``: ``interval`` computes them; ``"none"``: nothing is promised.
    kind: &'static str,
    /// Lower bound on the log-odds of the chosen arm, if it came with the choice.
    log_odds_lower: Option<f64>,
    /// Upper bound on the log-odds of the chosen arm, if it came with the choice.
    log_odds_upper: Option<f64>,
    /// What is promised, if anything is.
    guarantee: Option<Guarantee>,
    /// Why nothing is promised, if so.
    why: Option<&'static str>,
}

impl From<&policy::Certificate> for Certificate {
    fn from(from: &policy::Certificate) -> Self {
        let none = Self { kind: "none", log_odds_lower: None, log_odds_upper: None, guarantee: None, why: None };
        match from {
            policy::Certificate::Bounds { log_odds_lower, log_odds_upper, guarantee } => Self {
                kind: "bounds",
                log_odds_lower: *log_odds_lower,
                log_odds_upper: Some(*log_odds_upper),
                guarantee: Some(guarantee.into()),
                ..none
            },
            policy::Certificate::OnRequest(guarantee) => {
                Self { kind: "on-request", guarantee: Some(guarantee.into()), ..none }
            }
            policy::Certificate::None { why } => Self { why: Some(why), ..none },
            _ => none,
        }
    }
}

#[pymethods]
impl Certificate {
    fn __repr__(&self) -> String {
        match (&self.guarantee, self.why) {
            (Some(guarantee), _) => format!("Certificate(kind='{}', guarantee={})", self.kind, guarantee.__repr__()),
            (None, why) => format!("Certificate(kind='{}', why='{}')", self.kind, why.unwrap_or_default()),
        }
    }
}

/// Which of two arms is better.
#[pyclass(frozen, get_all, module = "optimist")]
pub(crate) struct Comparison {
    /// ``"first"``, ``"second"`` or ``"undecided"``.
    better: &'static str,
    /// Lower bound on the log-odds of the first less those of the second.
    difference_lower: f64,
    /// Upper bound on it.
    difference_upper: f64,
    /// What is promised.
    guarantee: Guarantee,
}

impl From<&CertifiedComparison> for Comparison {
    fn from(from: &CertifiedComparison) -> Self {
        let better = match from.comparison {
            optimist::plan::Comparison::FirstBetter => "first",
            optimist::plan::Comparison::SecondBetter => "second",
            optimist::plan::Comparison::Undecided => "undecided",
        };
        let CertifiedComparison { difference_lower, difference_upper, .. } = *from;
        Self { better, difference_lower, difference_upper, guarantee: (&from.guarantee).into() }
    }
}

#[pymethods]
impl Comparison {
    fn __repr__(&self) -> String {
        let Self { better, difference_lower, difference_upper, .. } = self;
        format!(
            "Comparison(better='{better}', difference_lower={difference_lower}, difference_upper={difference_upper})"
        )
    }
}

/// How close the arm that looks best is to the best.
#[pyclass(frozen, get_all, module = "optimist")]
pub(crate) struct Best {
    /// The arm with the largest estimate.
    arm: usize,
    /// No arm succeeds with a probability that is larger by more than this.
    regret_bound: f64,
    /// Whether that is at most the epsilon that was asked for.
    found: bool,
    /// What is promised.
    guarantee: Guarantee,
}

impl From<&CertifiedBest> for Best {
    fn from(from: &CertifiedBest) -> Self {
        let CertifiedBest { arm, regret_bound, found, ref guarantee } = *from;
        Self { arm, regret_bound, found, guarantee: guarantee.into() }
    }
}

#[pymethods]
impl Best {
    fn __repr__(&self) -> String {
        let found = if self.found { "True" } else { "False" };
        format!("Best(arm={}, regret_bound={}, found={found})", self.arm, self.regret_bound)
    }
}
