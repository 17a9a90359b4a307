//! `Engine`: decisions by name.

mod asked;
mod columns;
mod decision;
mod report;
mod settings;
mod stopped;
mod turn;
mod values;
mod work;

pub(crate) use decision::{Bounds, Decision, Prediction, Ranked};
pub(crate) use report::{ActionReport, Contribution, Explanation, Report};

use std::path::PathBuf;
use std::sync::RwLock;

use optimist_engine::{Change, Engine as Inner, Error, Features, Outcome, Record, Request};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyTuple};

use self::stopped::Stopped;
use self::turn::Turn;
use self::work::{joined, predict, reward_one};
use crate::errors::{Fault, Result};
use crate::watch::Watch;
use crate::{files, json};

/// Decides by name, learns from rewards, and says how sure it is.
///
/// Parameters
/// ----------
/// actions : list or dict, optional
///     What to choose from: names, dicts with ``"name"`` and ``"features"``, or one dict from names to features.
/// context : dict or list, optional
///     The columns of contexts, as in ``{"age": "number", "device": ["phone", "desktop"], "when": "time"}``: from each name to a
///     kind (``number``, ``boolean``, ``category``, ``hashed``, ``text``, ``time``; Python's ``float``, ``bool`` and ``str`` will
///     do), to a list of levels, or to a dict with all details, as in ``{"kind": "vector", "length": 8}``. A list holds such dicts
///     with a ``"name"``. ``[]`` says that there is no context. If absent, columns are inferred from the first contexts.
/// model : {"disjoint", "shared", "hybrid"}, optional
///     How parameters belong to actions; hybrid where actions have features, disjoint otherwise.
/// policy : str
///     A name of ``optimist.policies()``.
/// norm_bound : float, optional
///     A bound on the norm of the parameters, if one is known.
/// delta : float
///     The probability with which any certified bound for a decision may ever be wrong, and that with which any of the report
///     may be.
/// seed : int
///     What random numbers are drawn from, together with the id and the number of each decision. Give ids of your own where runs
///     are to be repeated: those that are made up are new in every run.
/// options : dict, optional
///     Options of the policy.
/// **settings
///     Any other setting of the engine: ``action_columns``, ``own``, ``interactions``, ``explore``, ``draws``, ``warm_up``,
///     ``intervals``, ``rewards``, ``retention``, ``most_settled``, ``most_open``, ``slices``, ``compare``. docs/engine.md explains
///     them all.
///
/// Notes
/// -----
/// Every method may be called from many threads: questions are answered side by side, and the interpreter is let go of
/// meanwhile. A call that raises an ``OptimistError`` changes nothing.
///
/// **Time** is in seconds. Where rewards may take a while (``rewards={"wait": 3600}``) a ``time`` that is left out is now,
/// since 1970. Where there is no waiting time rewards belong to the moment of their decision: a ``time`` that is left out is
/// then the latest that was told, so that no time passes unless you say so.
///
/// Examples
/// --------
/// >>> engine = optimist.Engine(["banner", "video"], {"device": "category", "age": {"kind": "number", "mean": 40, "deviation": 15}})
/// >>> decision = engine.decide({"device": "phone", "age": 31})
/// >>> engine.reward(decision.event_id, 1)
/// 'learnt'
#[pyclass(frozen, module = "optimist")]
pub(crate) struct Engine {
    state: RwLock<Inner>,
    /// Held by whoever changes the state, so that long changes can be prepared on a copy while questions are answered.
    turn: Turn,
    /// Whether rewards may come later than their decisions.
    waits: bool,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (
        actions = None, context = None, model = None, policy = None, *,
        norm_bound = None, delta = None, seed = None, options = None, **settings
    ), text_signature = "(actions=None, context=None, model=None, policy='bayes-ucb', *, norm_bound=None, delta=0.05, seed=0, \
                          options=None, **settings)")]
    #[allow(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        actions: Option<&Bound<'_, PyAny>>,
        context: Option<&Bound<'_, PyAny>>,
        model: Option<&Bound<'_, PyAny>>,
        policy: Option<&Bound<'_, PyAny>>,
        norm_bound: Option<&Bound<'_, PyAny>>,
        delta: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let named = [
            ("model", model),
            ("policy", policy),
            ("norm_bound", norm_bound),
            ("delta", delta),
            ("seed", seed),
            ("options", options),
        ];
        let settings = settings::settings(actions, context, &named, settings)?;
        match py.detach(|| Inner::new(settings)) {
            Ok(engine) => Ok(Self::of(engine)),
            // Whatever a policy refuses before it has seen anything is a setting.
            Err(Error::Policy(error)) => Err(Fault::option(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    /// Chooses an action.
    ///
    /// Parameters
    /// ----------
    /// context : mapping or row of a frame, optional
    ///     Names and values: numbers, texts, booleans, moments, vectors, or ``None`` where nothing is known.
    /// event_id : str or int, optional
    ///     The id by which the reward will find the decision; made up if absent. One that is known gets the answer it got.
    /// actions : list of str, optional
    ///     The actions to choose from; all if absent.
    /// baseline : str, optional
    ///     What the caller chooses itself: the engine learns from it, and says what it would have chosen (``advice``).
    /// probability : float, optional
    ///     The probability with which the caller's rule chose ``baseline``, if it has one.
    /// deferred : bool
    ///     Whether the decision may never be carried out: it then waits for ``activate``.
    /// time : float, optional
    ///     Seconds; see the notes of the class.
    ///
    /// Returns
    /// -------
    /// Decision
    #[pyo3(signature = (context = None, event_id = None, *, actions = None, baseline = None, probability = None, deferred = false, time = None))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords")]
    fn decide(
        &self,
        py: Python<'_>,
        context: Option<&Bound<'_, PyAny>>,
        event_id: Option<&Bound<'_, PyAny>>,
        actions: Option<&Bound<'_, PyAny>>,
        baseline: Option<&Bound<'_, PyAny>>,
        probability: Option<f64>,
        deferred: bool,
        time: Option<f64>,
    ) -> Result<Decision> {
        let context = values::context(context)?;
        let event = event_id.map_or_else(|| asked::fresh_id(py), |id| asked::id(id, "event_id"))?;
        let baseline = baseline.map(|name| asked::name(name, "baseline")).transpose()?;
        let request = asked::request(event, context, asked::offered(actions)?, baseline, probability, deferred)?;
        self.change(py, time, |engine, time| Ok(engine.decide(request, time)?)).map(Decision::from)
    }

    /// Chooses an action for each of several contexts, one after the other: all, or none if one of them is refused.
    ///
    /// Parameters
    /// ----------
    /// contexts : list of mappings, or frame of pandas or polars
    ///     One context per entry or row. In a frame ``None``, ``NaN`` and ``NaT`` mean that nothing is known; it must have
    ///     all columns that the engine knows.
    /// event_ids : list, optional
    ///     One id per context; made up if absent.
    /// actions : list of str, optional
    ///     The actions to choose from, the same for all.
    /// baselines, probabilities : list, optional
    ///     What the caller chose itself, and with which probabilities; one per context.
    /// deferred, time
    ///     As for ``decide``.
    ///
    /// Returns
    /// -------
    /// list of Decision
    ///
    /// Notes
    /// -----
    /// That none is made if one is refused costs a copy of the engine per call: hand over many contexts at once.
    #[pyo3(signature = (
        contexts, event_ids = None, *, actions = None, baselines = None, probabilities = None, deferred = false, time = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords")]
    fn decide_many(
        &self,
        py: Python<'_>,
        contexts: &Bound<'_, PyAny>,
        event_ids: Option<&Bound<'_, PyAny>>,
        actions: Option<&Bound<'_, PyAny>>,
        baselines: Option<&Bound<'_, PyAny>>,
        probabilities: Option<&Bound<'_, PyAny>>,
        deferred: bool,
        time: Option<f64>,
    ) -> Result<Vec<Decision>> {
        let contexts = self.contexts(py, contexts)?;
        let count = contexts.len();
        let ids = asked::ids(py, event_ids, count)?;
        let offered = asked::offered(actions)?;
        let baselines = baselines.map(|names| asked::names(names, "baselines", count)).transpose()?;
        let probabilities = asked::probabilities(probabilities, count)?;
        let request = |(i, (context, id)): (usize, (Features, String))| {
            let baseline = baselines.as_ref().map(|names| names[i].clone());
            asked::request(id, context, offered.clone(), baseline, probabilities[i], deferred)
        };
        let requests: Vec<Request> = contexts.into_iter().zip(ids).enumerate().map(request).collect::<Result<_>>()?;
        self.change_together(py, "contexts", time, count, |engine, i, time| {
            Ok(engine.decide(requests[i].clone(), time).map(Decision::from)?)
        })
    }

    /// Joins a reward to its decision.
    ///
    /// Parameters
    /// ----------
    /// event_id : str or int
    ///     The id of the decision.
    /// value : float
    ///     Between 0 and 1, unless ``rewards={"scale": ...}`` says otherwise.
    /// time : float, optional
    ///     Seconds; see the notes of the class.
    ///
    /// Returns
    /// -------
    /// str
    ///     ``"learnt"``; ``"held"`` until the waiting time is over; ``"ignored"`` or ``"late"`` where the settings allow second
    ///     or late rewards.
    ///
    /// Raises
    /// ------
    /// UnknownEvent
    ///     If the id is not known, or not any more.
    /// InvalidInput
    ///     If the value is not allowed, or the reward comes late or is a second one and the rule refuses that.
    #[pyo3(signature = (event_id, value, time = None))]
    fn reward(
        &self,
        py: Python<'_>,
        event_id: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        time: Option<f64>,
    ) -> Result<&'static str> {
        let (event, value) = (asked::id(event_id, "event_id")?, crate::bandit::number(value, "value")?);
        self.change(py, time, |engine, time| reward_one(engine, &event, value, time))
    }

    /// Joins several rewards to their decisions, in this order: all, or none if one of them is refused.
    ///
    /// Returns
    /// -------
    /// list of str
    ///     What became of each, as ``reward`` says.
    #[pyo3(signature = (event_ids, values, time = None))]
    fn reward_many(
        &self,
        py: Python<'_>,
        event_ids: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
        time: Option<f64>,
    ) -> Result<Vec<&'static str>> {
        let ids = asked::known_ids(event_ids)?;
        let values = asked::rewards(values, "values", ids.len())?;
        self.change_together(py, "event_ids", time, ids.len(), |engine, i, time| {
            reward_one(engine, &ids[i], values[i], time)
        })
    }

    /// Learns from a log: what was chosen in each context, and what came of it. All, or none if a row is refused.
    ///
    /// Parameters
    /// ----------
    /// contexts : list of mappings, frame, or int
    ///     One context per row; a number if there are so many rows without contexts.
    /// actions : list of str
    ///     What was chosen.
    /// rewards : list of float
    ///     What came of it.
    /// probabilities : list of float, optional
    ///     The probabilities with which the actions were chosen, where they are known. They go into the journal, by which
    ///     other policies are judged; the report compares actions by the engine's own choices only.
    /// event_ids : list, optional
    ///     One id per row; made up if absent.
    /// time : float, optional
    ///     Seconds; see the notes of the class.
    #[pyo3(signature = (contexts, actions, rewards, probabilities = None, *, event_ids = None, time = None))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords")]
    fn learn(
        &self,
        py: Python<'_>,
        contexts: &Bound<'_, PyAny>,
        actions: &Bound<'_, PyAny>,
        rewards: &Bound<'_, PyAny>,
        probabilities: Option<&Bound<'_, PyAny>>,
        event_ids: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
    ) -> Result<()> {
        let (count, contexts) = match contexts.extract::<usize>() {
            Ok(count) => (count, None),
            Err(_) => self.contexts(py, contexts).map(|all| (all.len(), Some(all)))?,
        };
        // The lengths are compared before memory is taken.
        let actions = asked::names(actions, "actions", count)?;
        let contexts = contexts.unwrap_or_else(|| vec![Features::new(); count]);
        let ids = asked::ids(py, event_ids, count)?;
        let rewards = asked::rewards(rewards, "rewards", count)?;
        let probabilities = asked::probabilities(probabilities, count)?;
        let learnt = self.change_together(py, "rows", time, count, |engine, i, time| {
            let request = Request::new(&*ids[i], contexts[i].clone()).baseline(&*actions[i], probabilities[i]);
            engine.decide(request, time)?;
            reward_one(engine, &ids[i], rewards[i], time).map(drop)
        });
        learnt.map(drop)
    }

    /// A deferred decision has been carried out: its waiting time begins.
    #[pyo3(signature = (event_id, time = None))]
    fn activate(&self, py: Python<'_>, event_id: &Bound<'_, PyAny>, time: Option<f64>) -> Result<()> {
        let event = asked::id(event_id, "event_id")?;
        self.change(py, time, |engine, time| {
            engine.activate(&event, time).map_err(|e| Stopped::refused(e, engine.decision(&event).is_ok()))
        })
    }

    /// Time has passed: rewards that were held are learnt.
    #[pyo3(signature = (time = None))]
    fn tick(&self, py: Python<'_>, time: Option<f64>) -> Result<()> {
        self.change(py, time, |engine, time| Ok(engine.tick(time)?))
    }

    /// Adds an action: a name, and features if the others have some.
    #[pyo3(signature = (name, features = None, time = None))]
    fn add_action(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        features: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
    ) -> Result<()> {
        let action = settings::action(name, features)?;
        self.change(py, time, |engine, time| Ok(engine.add_action(action, time)?))
    }

    /// No longer offers an action. What was learnt of it stays.
    #[pyo3(signature = (name, time = None))]
    fn retire_action(&self, py: Python<'_>, name: &str, time: Option<f64>) -> Result<()> {
        self.change(py, time, |engine, time| Ok(engine.retire_action(name, time)?))
    }

    /// Offers a retired action again.
    #[pyo3(signature = (name, time = None))]
    fn restore_action(&self, py: Python<'_>, name: &str, time: Option<f64>) -> Result<()> {
        self.change(py, time, |engine, time| Ok(engine.restore_action(name, time)?))
    }

    /// Adds a column to contexts; it was missing in all before. What was learnt stays.
    ///
    /// ``kind`` is as in the constructor's ``context``. A number needs its ``mean`` and ``deviation`` once the warm-up is over.
    #[pyo3(signature = (name, kind, time = None))]
    fn add_column(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        kind: &Bound<'_, PyAny>,
        time: Option<f64>,
    ) -> Result<()> {
        let column = columns::column(PyTuple::new(py, [name, kind])?.as_any(), "column")?;
        self.change(py, time, |engine, time| Ok(engine.add_column(column, time)?))
    }

    /// What was seen and learnt, and what may be concluded.
    fn report(&self, py: Python<'_>) -> Report {
        py.detach(|| self.read().report()).into()
    }

    /// Why an event was decided as it was: what each feature adds to the log-odds.
    fn explain(&self, py: Python<'_>, event_id: &Bound<'_, PyAny>) -> Result<Explanation> {
        let event = asked::id(event_id, "event_id")?;
        self.ask(py, |engine| engine.explain(&event)).map(Explanation::from)
    }

    /// Bounds on the mean reward of an event's action in its context, as the data say now; or why there are none.
    fn interval(&self, py: Python<'_>, event_id: &Bound<'_, PyAny>) -> Result<Bounds> {
        let event = asked::id(event_id, "event_id")?;
        self.ask(py, |engine| engine.interval(&event)).map(|interval| (&interval).into())
    }

    /// The stored decision of an event.
    fn decision(&self, py: Python<'_>, event_id: &Bound<'_, PyAny>) -> Result<Decision> {
        let event = asked::id(event_id, "event_id")?;
        self.ask(py, |engine| engine.decision(&event)).map(Decision::from)
    }

    /// What is expected of every action in a context. Nothing is changed by this.
    ///
    /// Parameters
    /// ----------
    /// context : mapping or row of a frame, optional
    ///     As for ``decide``.
    /// intervals : bool
    ///     Whether bounds are wanted: they cost far more than the estimates.
    ///
    /// Returns
    /// -------
    /// dict of str to Prediction
    #[pyo3(signature = (context = None, *, intervals = true))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        context: Option<&Bound<'py, PyAny>>,
        intervals: bool,
    ) -> Result<Bound<'py, PyAny>> {
        let context = values::context(context)?;
        let found = py.detach(|| predict(&self.read(), &context, intervals))?;
        Ok(found.into_py_dict(py)?.into_any())
    }

    /// The same for several contexts, as ``decide_many`` takes them.
    #[pyo3(signature = (contexts, *, intervals = true))]
    fn predict_many<'py>(
        &self,
        py: Python<'py>,
        contexts: &Bound<'py, PyAny>,
        intervals: bool,
    ) -> Result<Vec<Bound<'py, PyDict>>> {
        let contexts = self.contexts(py, contexts)?;
        self.predictions(py, "contexts", &contexts, intervals)
    }

    /// How everything is encoded, a sentence each.
    fn describe(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.read().describe())
    }

    /// The names of the actions that are not retired.
    #[getter]
    fn active_actions(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.read().active_names())
    }

    /// The columns of contexts: those that were declared, or those that the warm-up found; ``None`` while it goes on.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        json::write(py, &py.detach(|| self.read().columns()))
    }

    /// How many rewards have been learnt.
    #[getter]
    fn version(&self, py: Python<'_>) -> u64 {
        py.detach(|| self.read().version())
    }

    /// The settings it was made with, defaults filled in.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        json::write(py, &py.detach(|| self.read().settings().clone()))
    }

    /// The latest time that was told, in seconds; ``None`` if there was none.
    #[getter]
    fn clock(&self, py: Python<'_>) -> Option<f64> {
        py.detach(|| self.read().clock())
    }

    /// A number that differs if anything of the state does. It costs a snapshot.
    fn digest(&self, py: Python<'_>) -> Result<u64> {
        self.ask(py, Inner::digest)
    }

    /// The whole state, from which ``Engine.restore`` goes on to the last bit. A journal is not part of it.
    fn snapshot<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.ask(py, Inner::snapshot)?))
    }

    /// The engine that ``snapshot`` stored.
    #[staticmethod]
    fn restore(py: Python<'_>, data: &[u8]) -> Result<Self> {
        Ok(Self::of(py.detach(|| Inner::restore(data))?))
    }

    /// Writes the whole state to a file. One that is there is replaced when the new one is complete.
    fn save(&self, py: Python<'_>, path: PathBuf) -> Result<()> {
        let bytes = self.ask(py, Inner::snapshot)?;
        files::save(py, &path, &bytes)
    }

    /// The engine that ``save`` stored.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> Result<Self> {
        Self::restore(py, &files::load(py, &path)?)
    }

    /// Collects the records of all that changes the engine, until ``take_journal`` asks for them.
    fn keep_journal(&self, py: Python<'_>) -> Result<()> {
        py.detach(|| {
            let _turn = self.turn.take()?;
            self.write().keep_journal();
            Ok(())
        })
    }

    /// The records since the last time, a line of JSON each.
    fn take_journal(&self, py: Python<'_>) -> Result<Vec<String>> {
        py.detach(|| {
            let _turn = self.turn.take()?;
            let records = self.write().take_journal();
            Ok(records.iter().map(Record::to_json).collect())
        })
    }

    /// The record that makes an engine like this one was when it was new: the first line of a log that stands alone.
    fn creation(&self, py: Python<'_>) -> String {
        py.detach(|| self.read().creation().to_json())
    }

    /// The engine that records describe, a line of JSON each; the first is that of ``creation``.
    #[staticmethod]
    fn from_records(py: Python<'_>, records: &Bound<'_, PyAny>) -> Result<Self> {
        let words =
            |_: &PyErr| "records is no list: give the lines that creation() and take_journal() wrote".to_owned();
        let all = records.try_iter().and_then(|all| all.map(|line| line?.extract()).collect::<PyResult<Vec<String>>>());
        let lines = all.map_err(|error| Fault::unreadable(py, error, words))?;
        let made = py.detach(|| {
            let read = |line: &String| Record::from_json(line);
            let mut engine = Inner::from_records(&lines.first().map(read).transpose()?)?;
            let mut watch = Watch::new();
            for (i, line) in lines.iter().enumerate().skip(1) {
                watch.look()?;
                let applied = read(line).and_then(|record| engine.apply(record));
                applied.map_err(|error| Stopped::refused(error, true).at("records", i))?;
            }
            Ok(engine)
        });
        made.map(Self::of).map_err(|stopped: Stopped| stopped.fault(py))
    }

    /// Carries a record out. One of a decision that has its answer is followed: what it says counts.
    ///
    /// Returns
    /// -------
    /// Decision, str or None
    ///     What became of it: a decision, what ``reward`` says, or nothing.
    fn apply<'py>(&self, py: Python<'py>, record: &str) -> Result<Bound<'py, PyAny>> {
        let record = Record::from_json(record)?;
        let event = match &record.change {
            Change::Reward { event, .. } | Change::Activate { event } => Some(event.clone()),
            _ => None,
        };
        let done = self.change(py, None, |engine, _| {
            engine.apply(record).map_err(|error| {
                let known = event.is_none_or(|event| engine.decision(&event).is_ok());
                Stopped::refused(error, known)
            })
        });
        match done? {
            Outcome::Decided(decision) => Ok(Decision::from(*decision).into_bound_py_any(py)?),
            Outcome::Joined(outcome) => Ok(joined(outcome).into_bound_py_any(py)?),
            _ => Ok(py.None().into_bound(py)),
        }
    }

    /// An engine in the same state, its journal included, which goes on by itself.
    fn copy(&self, py: Python<'_>) -> Self {
        py.detach(|| Self::of(self.read().clone()))
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy(py)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyTuple>> {
        files::pickled::<Self>(slf.get().snapshot(slf.py())?, "restore")
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let engine = self.read();
            let (count, policy) = (engine.active_names().len(), &engine.settings().policy);
            format!("Engine(actions={count}, policy='{policy}', version={})", engine.version())
        })
    }
}
