//! What an engine has seen and learnt, and why it decided what it did.

use optimist_engine as engine;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use super::decision::{Bounds, Decision};
use crate::errors::Result;
use crate::json;

/// What was seen of one action.
#[pyclass(frozen, get_all, module = "optimist")]
#[derive(Clone)]
pub(crate) struct ActionReport {
    /// Its name.
    action: String,
    /// Whether it is no longer offered.
    retired: bool,
    /// How often it was chosen.
    plays: u64,
    /// How many rewards were learnt.
    rewards: u64,
    /// Their mean.
    rate: Option<f64>,
    /// The mean of what was predicted for them, each before it came.
    predicted: Option<f64>,
    /// Bounds on the mean chance of reward in the decisions in which it was chosen.
    interval: Bounds,
    /// Bounds on what it would have earned per decision, had it always been chosen.
    value: Bounds,
    /// Decisions from which nothing was learnt, because no reward came in time.
    lost: u64,
    /// Rewards that came too late.
    late: u64,
}

impl From<&engine::ActionReport> for ActionReport {
    fn from(from: &engine::ActionReport) -> Self {
        Self {
            action: from.action.to_string(),
            retired: from.retired,
            plays: from.plays,
            rewards: from.rewards,
            rate: from.rate,
            predicted: from.predicted,
            interval: (&from.interval).into(),
            value: (&from.value).into(),
            lost: from.lost,
            late: from.late,
        }
    }
}

impl ActionReport {
    /// What tables show of it.
    fn cells(&self) -> [String; 6] {
        let name = if self.retired { format!("{} (retired)", self.action) } else { self.action.clone() };
        let rate = self.rate.map_or("-".into(), |rate| format!("{rate:.3}"));
        let (plays, rewards) = (self.plays.to_string(), self.rewards.to_string());
        [name, plays, rewards, rate, self.interval.short(), self.value.short()]
    }
}

#[pymethods]
impl ActionReport {
    fn __repr__(&self) -> String {
        let rate = self.rate.map_or("None".into(), |rate| rate.to_string());
        format!("ActionReport(action='{}', plays={}, rewards={}, rate={rate})", self.action, self.plays, self.rewards)
    }
}

const HEADINGS: [&str; 6] = ["action", "plays", "rewards", "rate", "chance of reward", "value if always chosen"];

/// What an engine has seen and learnt, and what may be concluded. Prints as a table, also in notebooks.
///
/// With probability at least ``1 - delta`` all bounds of all reports of an engine hold together, at all times.
/// ``report["slices"]`` and ``to_dict()`` have everything.
#[pyclass(frozen, mapping, module = "optimist")]
pub(crate) struct Report(engine::Report);

impl From<engine::Report> for Report {
    fn from(report: engine::Report) -> Self {
        Self(report)
    }
}

impl Report {
    /// What may be concluded, in words.
    fn conclusions(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for (better, worse) in &self.0.beaten {
            sentences.push(format!("{better} certainly beats {worse}"));
        }
        if let Some(stopping) = &self.0.stopping {
            let engine::Stopping { action, cost } = stopping;
            sentences.push(format!("stopping now with {action} costs at most {cost:.3} per decision"));
        }
        sentences.extend(self.0.not_compared.as_ref().map(|why| format!("not compared: {why}")));
        sentences
    }
}

#[pymethods]
impl Report {
    /// Rewards learnt.
    #[getter]
    fn version(&self) -> u64 {
        self.0.version
    }

    /// The probability with which any bound of any report may be wrong.
    #[getter]
    fn delta(&self) -> f64 {
        self.0.delta
    }

    /// One entry per action, retired ones included.
    #[getter]
    fn actions(&self) -> Vec<ActionReport> {
        self.0.actions.iter().map(ActionReport::from).collect()
    }

    /// Pairs of which the first would certainly have earned more than the second, had each always been chosen.
    #[getter]
    fn beaten(&self) -> Vec<(String, String)> {
        self.0.beaten.iter().map(|(better, worse)| (better.to_string(), worse.to_string())).collect()
    }

    /// Actions that another one certainly beats, and that are not retired.
    #[getter]
    fn droppable(&self) -> Vec<String> {
        self.0.droppable.iter().map(ToString::to_string).collect()
    }

    /// The action to stay with if one stopped now, and what that costs per decision at most; ``None`` if nothing can be said.
    #[getter]
    fn stopping(&self) -> Option<(String, f64)> {
        self.0.stopping.as_ref().map(|stopping| (stopping.action.to_string(), stopping.cost))
    }

    /// Why actions are not compared, if they are not.
    #[getter]
    fn not_compared(&self) -> Option<&str> {
        self.0.not_compared.as_deref()
    }

    /// How often followed records differed from what this engine would have decided: 0 in a faithful replay.
    #[getter]
    fn divergences(&self) -> u64 {
        self.0.divergences
    }

    /// Contexts and actions for which the model had no place: certified bounds for decisions end with the first.
    #[getter]
    fn unplaced(&self) -> u64 {
        self.0.unplaced
    }

    /// Everything as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        json::write(py, &self.0)
    }

    /// The names of what ``report[...]`` knows.
    fn keys<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(self.to_dict(py)?.call_method0("keys")?)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> Result<Bound<'py, PyAny>> {
        let dict = self.to_dict(py)?;
        dict.get_item(name).map_err(|_| PyKeyError::new_err(name.to_owned()).into())
    }

    fn __len__(&self, py: Python<'_>) -> Result<usize> {
        Ok(self.to_dict(py)?.len()?)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(self.keys(py)?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("Report(version={}, actions={})", self.0.version, self.0.actions.len())
    }

    fn __str__(&self) -> String {
        let mut rows = vec![HEADINGS.map(str::to_owned)];
        rows.extend(self.actions().iter().map(ActionReport::cells));
        let width = |i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
        let widths: [usize; 6] = std::array::from_fn(width);
        let line = |row: &[String; 6]| {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        rows.iter().map(line).chain(self.conclusions()).collect::<Vec<_>>().join("\n")
    }

    fn _repr_html_(&self) -> String {
        let row = |tag: &str, cells: &[String]| {
            let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
            format!("<tr>{cells}</tr>")
        };
        let body: String = self.actions().iter().map(|action| row("td", &action.cells())).collect();
        let words: String = self.conclusions().iter().map(|text| format!("<p>{}</p>", escaped(text))).collect();
        format!("<table><thead>{}</thead><tbody>{body}</tbody></table>{words}", row("th", &HEADINGS.map(str::to_owned)))
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// What a feature adds to the log-odds.
#[pyclass(frozen, get_all, module = "optimist")]
#[derive(Clone)]
pub(crate) struct Contribution {
    /// A column, a level of one, or a product; "(own)" if it meets a parameter of the action's own.
    feature: String,
    /// Its value as encoded.
    value: f64,
    /// Value times parameter.
    log_odds: f64,
}

#[pymethods]
impl Contribution {
    fn __repr__(&self) -> String {
        let Self { feature, value, log_odds } = self;
        format!("Contribution(feature='{feature}', value={value}, log_odds={log_odds})")
    }
}

/// Why an action was chosen.
#[pyclass(frozen, module = "optimist")]
pub(crate) struct Explanation(engine::Explanation);

impl From<engine::Explanation> for Explanation {
    fn from(explanation: engine::Explanation) -> Self {
        Self(explanation)
    }
}

#[pymethods]
impl Explanation {
    /// What was decided, with the figures of that moment.
    #[getter]
    fn decision(&self) -> Decision {
        self.0.decision.clone().into()
    }

    /// How many rewards have been learnt by now; what follows is of this state.
    #[getter]
    fn version(&self) -> u64 {
        self.0.version
    }

    /// Estimated log-odds of the action in its context, as of now: the sum of the contributions.
    #[getter]
    fn log_odds(&self) -> f64 {
        self.0.log_odds
    }

    /// The estimated mean reward, as of now.
    #[getter]
    fn estimate(&self) -> f64 {
        self.0.estimate
    }

    /// Bounds on the mean reward as of now, or why there are none.
    #[getter]
    fn interval(&self) -> Bounds {
        (&self.0.interval).into()
    }

    /// What each feature adds to the log-odds, the largest first.
    #[getter]
    fn contributions(&self) -> Vec<Contribution> {
        let contribution = |from: &engine::Contribution| Contribution {
            feature: from.feature.to_string(),
            value: from.value,
            log_odds: from.log_odds,
        };
        self.0.contributions.iter().map(contribution).collect()
    }

    /// The reward, between 0 and 1, if one came.
    #[getter]
    fn reward(&self) -> Option<f64> {
        self.0.reward
    }

    /// Everything as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        json::write(py, &self.0)
    }

    fn __repr__(&self) -> String {
        let count = self.0.contributions.len();
        format!("Explanation(action='{}', estimate={}, contributions={count})", self.0.decision.action, self.0.estimate)
    }

    fn __str__(&self) -> String {
        let engine::Explanation { decision, log_odds, estimate, contributions, .. } = &self.0;
        let width = contributions.iter().map(|from| from.feature.chars().count()).max().unwrap_or(0);
        let line = |from: &engine::Contribution| format!("{:<width$}  {:+.3}", from.feature, from.log_odds);
        let sum = format!("{}: log-odds {log_odds:+.3}, mean reward {estimate:.3}, the sum of", decision.action);
        std::iter::once(sum).chain(contributions.iter().map(line)).collect::<Vec<_>>().join("\n")
    }
}
