//! An experiment that is being run: here, or elsewhere and kept here.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use optimist_lab::Experiment;
use optimist_lab::report::publish;
use optimist_lab::run::{RunOptions, Work};
use optimist_lab::store::{Directory, Memory, RunStore, unpack};
use pyo3::prelude::*;

use super::attend::{Watch, attend};
use super::build::this_build;
use super::experiment::of_json;
use super::outcome::Outcome;
use super::raised::{explained, forget, untold};
use crate::errors::{Fault, Result};

/// An experiment with a place for its finished runs: a directory, or memory.
#[pyclass(frozen, module = "optimist._optimist")]
pub(crate) struct Job {
    experiment: Experiment,
    options: RunOptions,
    /// None once it is closed.
    store: Mutex<Option<Arc<Store>>>,
}

enum Store {
    Memory(Memory),
    Directory(Box<Directory>),
}

impl Store {
    fn runs(&self) -> &dyn RunStore {
        match self {
            Store::Memory(memory) => memory,
            Store::Directory(directory) => &**directory,
        }
    }
}

impl Job {
    fn store(&self) -> Result<Arc<Store>> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.clone().ok_or_else(|| Fault::input("the job is closed"))
    }
}

/// Environment, policy and run, by number.
type Place = (usize, usize, usize);

#[pymethods]
impl Job {
    #[new]
    #[pyo3(signature = (experiment, out = None, jobs = None, keep = Vec::new(), rerun = Vec::new()))]
    fn new(
        py: Python<'_>,
        experiment: &str,
        out: Option<PathBuf>,
        jobs: Option<usize>,
        keep: Vec<String>,
        rerun: Vec<String>,
    ) -> Result<Self> {
        let experiment = of_json(experiment)?;
        let refuse = || Fault::option("jobs is 0: give the number of runs at a time, 1 or more");
        let jobs = jobs.map(|jobs| NonZero::new(jobs).ok_or_else(refuse)).transpose()?;
        let options = RunOptions { jobs, keep, rerun, build: Some(this_build(py)?), ..RunOptions::default() };
        let store = py.detach(|| -> optimist_lab::Result<Store> {
            // Before the directory, so that an experiment that cannot be run leaves nothing behind.
            Work::new(&experiment, &options)?;
            Ok(match &out {
                Some(path) => Store::Directory(Box::new(Directory::open(path, &experiment)?)),
                None => Store::Memory(Memory::default()),
            })
        });
        let store = store.map_err(|error| explained(py, error))?;
        Ok(Self { experiment, options, store: Mutex::new(Some(Arc::new(store))) })
    }

    /// Runs what is left to do on threads of this process, and calls ``tell(played, expected)`` now and then.
    #[pyo3(signature = (tell = None))]
    fn run(&self, py: Python<'_>, tell: Option<Py<PyAny>>) -> Result<()> {
        let (watch, store) = (Watch::default(), self.store()?);
        forget(&self.experiment);
        let work = || optimist_lab::run::run(&self.experiment, &self.options, store.runs(), &watch);
        let (done, raised) = attend(py, &watch, tell.as_ref(), work);
        match (raised, done) {
            (Some(raised), _) => Err(raised.into()),
            (None, done) => {
                done.map_err(|error| explained(py, error))?;
                untold(py, &self.experiment).map_or(Ok(()), Err)
            }
        }
    }

    /// The runs that are left to do, for whoever has them played elsewhere, and what becomes of finished ones.
    fn begin(&self, py: Python<'_>) -> Result<(Vec<Place>, Option<String>)> {
        let store = self.store()?;
        let begun = py.detach(|| -> optimist_lab::Result<_> {
            let work = Work::new(&self.experiment, &self.options)?;
            let remaining = work.remaining(store.runs())?;
            remaining.begin()?;
            let places = remaining.places().into_iter().map(|place| (place.environment, place.policy, place.run));
            Ok((places.collect(), remaining.reuse().line()))
        });
        begun.map_err(|error| explained(py, error))
    }

    /// Keeps runs that ``play_runs`` returned, and says how many.
    fn keep(&self, py: Python<'_>, runs: &[u8]) -> Result<usize> {
        let (build, store) = (self.options.build.as_ref(), self.store()?);
        Ok(py.detach(|| unpack(runs, &self.experiment, build, store.runs()))?)
    }

    /// What is finished so far.
    fn outcome(&self, py: Python<'_>) -> Result<Outcome> {
        let store = self.store()?;
        Ok(Outcome::of(py.detach(|| store.runs().outcome(&self.experiment))?))
    }

    /// Writes summary, tables, figures and report beside the runs, if there is a directory.
    fn publish(&self, py: Python<'_>, parquet: bool) -> Result<()> {
        let store = self.store()?;
        let Store::Directory(directory) = &*store else { return Ok(()) };
        Ok(py.detach(|| {
            let outcome = directory.outcome(&self.experiment)?;
            publish(directory, &outcome, parquet)
        })?)
    }

    /// What the user should know beside the results.
    fn warnings(&self) -> Result<Vec<String>> {
        Ok(match &*self.store()? {
            Store::Memory(_) => Vec::new(),
            Store::Directory(directory) => directory.warnings().clone(),
        })
    }

    /// Lets go of the directory, so that another may write it. An exception keeps this object for as long as somebody keeps the
    /// exception.
    fn close(&self) {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(store);
    }
}
