//! The finished runs of an experiment, as data.

use std::path::PathBuf;

use numpy::ToPyArray;
use optimist_lab::report::{PlotOrder, plot, publish};
use optimist_lab::results::{
    ColumnValues, Difference, FinalTable, Rounds, Summary, TableRequest, columns, differences, round_with_figures,
};
use optimist_lab::store::{self, Directory, EnvironmentRuns, Memory, RunStore, pack, unpack};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::experiment::{of_json, to_json};
use crate::errors::{Fault, Result};
use crate::json;

/// The finished runs of an experiment. Equal to another if everything but the time is, to the last bit.
#[pyclass(frozen, module = "optimist._optimist")]
pub(crate) struct Outcome(optimist_lab::Outcome);

impl Outcome {
    pub(super) fn of(outcome: optimist_lab::Outcome) -> Self {
        Self(outcome)
    }

    fn is_same(&self, other: &Self) -> bool {
        let runs = |outcome: &Self| -> Vec<_> {
            outcome.0.policies().flat_map(|policy_runs| policy_runs.runs.clone()).collect()
        };
        let (ours, theirs) = (runs(self), runs(other));
        self.0.experiment == other.0.experiment
            && ours.len() == theirs.len()
            && ours.iter().zip(&theirs).all(|((a, x), (b, y))| a == b && x.is_same_outcome(y))
    }
}

#[pymethods]
impl Outcome {
    /// What ``to_bytes`` and ``experiment`` say.
    #[staticmethod]
    fn restore(py: Python<'_>, experiment: &str, runs: &[u8]) -> Result<Self> {
        let experiment = of_json(experiment)?;
        let outcome = py.detach(|| {
            let memory = Memory::default();
            unpack(runs, &experiment, None, &memory)?;
            memory.outcome(&experiment)
        })?;
        Ok(Self(outcome))
    }

    /// The finished runs of a directory, and what the user should know of it.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> Result<(Self, Vec<String>)> {
        let (outcome, warnings) = py.detach(|| Directory::load(&path))?;
        Ok((Self(outcome), warnings))
    }

    /// The experiment as JSON.
    #[getter]
    fn experiment(&self) -> Result<String> {
        to_json(&self.0.experiment)
    }

    /// The runs as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| pack(&self.0))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Runs that are finished, and runs that were asked for.
    fn progress(&self) -> (usize, usize) {
        self.0.progress()
    }

    /// Everything that ``summary.json`` holds.
    fn summary<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        json::write(py, &Summary::of(&self.0))
    }

    /// Every pair of policies in every environment, compared run by run after a round.
    fn differences<'py>(&self, py: Python<'py>, t: Option<usize>) -> Result<Bound<'py, PyAny>> {
        let t = round_with_figures(&self.0, t)?;
        let environments: Vec<(String, Vec<Difference>)> = py.detach(|| {
            let of = |runs: &EnvironmentRuns| (runs.environment.to_string(), differences(runs, t));
            self.0.environments.iter().map(of).collect()
        });
        json::write(py, &environments)
    }

    /// The final regret as a table: "latex", "markdown" or "csv".
    fn table(
        &self,
        format: &str,
        t: Option<usize>,
        policies: Vec<String>,
        environments: Vec<String>,
    ) -> Result<String> {
        let table = FinalTable::of(&self.0, &TableRequest { t, policies, environments })?;
        match format {
            "latex" => Ok(table.latex()),
            "markdown" => Ok(table.markdown()),
            "csv" => Ok(table.csv()),
            _ => Err(Fault::option(format!("format is {format:?}: give 'latex', 'markdown' or 'csv'"))),
        }
    }

    /// The columns of the table of results: names, kinds and values.
    fn columns<'py>(&self, py: Python<'py>, checkpoints: bool) -> Result<Vec<Bound<'py, PyTuple>>> {
        let rounds = if checkpoints { Rounds::Checkpoints } else { Rounds::Marks };
        let columns = py.detach(|| columns(&self.0, rounds))?;
        Ok(columns.into_iter().map(|(name, values)| column(py, name, &values)).collect::<PyResult<_>>()?)
    }

    /// Writes everything to a directory, as a run with ``out`` would have left it.
    fn save(&self, py: Python<'_>, path: PathBuf, parquet: bool) -> Result<()> {
        Ok(py.detach(|| {
            let directory = store::save(&self.0, &path)?;
            let all = directory.outcome(&self.0.experiment)?;
            publish(&directory, &all, parquet)
        })?)
    }

    /// Draws figures as ``optimist plot`` does: keys of a style file with their values. Says where the files are.
    fn plot(&self, py: Python<'_>, path: PathBuf, keys: Vec<(String, Vec<String>)>) -> Result<Vec<PathBuf>> {
        Ok(py.detach(|| {
            let mut order = PlotOrder::default();
            keys.iter().try_for_each(|(key, values)| order.set(key, values))?;
            plot(&self.0, &order, &path).map(|drawn| drawn.paths)
        })?)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Self>() else { return false };
        let other = other.get();
        py.detach(|| self.is_same(other))
    }
}

/// Name, kind and values; counts and truths that are missing are -1.
fn column<'py>(py: Python<'py>, name: &str, values: &ColumnValues) -> PyResult<Bound<'py, PyTuple>> {
    let (kind, values) = match values {
        ColumnValues::Text { names, codes } => ("text", (names, codes.to_pyarray(py)).into_bound_py_any(py)?),
        ColumnValues::Whole(counts) => {
            let counts: Vec<i64> = counts.iter().map(|count| *count as i64).collect();
            ("whole", counts.to_pyarray(py).into_bound_py_any(py)?)
        }
        ColumnValues::Number(figures) => ("number", figures.to_pyarray(py).into_bound_py_any(py)?),
        ColumnValues::MaybeWhole(counts) => {
            let counts: Vec<i64> = counts.iter().map(|count| count.map_or(-1, |count| count as i64)).collect();
            ("maybe-whole", counts.to_pyarray(py).into_bound_py_any(py)?)
        }
        ColumnValues::Truth(truths) => {
            let truths: Vec<i8> = truths.iter().map(|truth| truth.map_or(-1, i8::from)).collect();
            ("truth", truths.to_pyarray(py).into_bound_py_any(py)?)
        }
    };
    (name, kind, values).into_pyobject(py)
}
