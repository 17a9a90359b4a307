//! `Bandit`: a policy, its generator, and arms as arrays.

mod bare;
mod certain;
mod choice;
mod journal;
mod owners;
mod watched;

pub(crate) use bare::_seconds_without_python;
pub(crate) use certain::{Best, Certificate, Comparison, Guarantee, Interval, Intervals};
pub(crate) use choice::Choice;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use numpy::{PyArray1, ToPyArray};
use optimist::policy::{self, Session, Snapshot};
use optimist::{ArmSet, FiniteArms, HybridArms, Problem, Row, link};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use self::choice::{Made, apart};
use self::journal::{Arms, Journal, Step, lock};
use self::owners::Owners;
use crate::arrays::{self, Table};
use crate::errors::{Fault, Result};
use crate::laboratory::OWN_POLICY;
use crate::{files, json};

/// A policy that chooses between arms whose outcome is yes or no, and learns from every outcome.
///
/// Parameters
/// ----------
/// dim : int
///     The number of features of an arm.
/// policy : str
///     A name of ``optimist.policies()``.
/// norm_bound : float, optional
///     A bound on the norm of the true parameter, if one is known.
/// delta : float
///     The probability with which any certified statement may ever be wrong.
/// seed : int, optional
///     What random policies draw from; fresh if absent.
/// **options
///     Options of the policy; ``optimist.policies("bayes-ucb")`` lists those of one.
///
/// Every method may be called from many threads: those that ask work on a copy that they share, and let go of the
/// interpreter meanwhile. A call that raises changes nothing.
#[pyclass(frozen, module = "optimist")]
pub(crate) struct Bandit {
    state: Mutex<State>,
    /// The latest list of arms: who hands over the same again pays for the comparison only. Its lock is never held for long.
    latest: Mutex<Option<Arms>>,
    problem: Problem,
    /// What its choices know it by: the numbers of plays that are out are its own.
    mark: Arc<()>,
}

/// Simulated choices from which probabilities come.
const MOST_DRAWS: i64 = 1_000_000;
/// Choices that are made at a time.
const MOST_CHOICES: u64 = 1_000_000;

struct State {
    session: Session,
    journal: Journal,
}

impl State {
    /// Carries a step out and writes it down.
    fn take(&mut self, step: Step) -> optimist::Result<()> {
        step.apply(&mut self.session)?;
        self.journal.write(step, &self.session);
        Ok(())
    }

    fn choose(&mut self, arms: Arms, mark: &Arc<()>) -> optimist::Result<Choice> {
        let (chapter, step) = self.journal.place();
        let made = Made::of(self.session.choose(&arms)?);
        self.journal.write(Step::Choose(arms.clone()), &self.session);
        Ok(Choice { arms, chapter, step, made, mark: mark.clone(), probabilities: OnceLock::new() })
    }

    /// One choice per list, or none at all.
    fn choose_many(&mut self, lists: Vec<Arms>, mark: &Arc<()>) -> optimist::Result<Vec<Choice>> {
        let mut ahead = Self { session: self.session.clone(), journal: Journal::new(&self.session) };
        let choices = lists.into_iter().map(|arms| ahead.choose(arms, mark)).collect::<optimist::Result<_>>()?;
        *self = ahead;
        Ok(choices)
    }
}

impl Bandit {
    fn of(session: Session) -> Self {
        let problem = *session.policy.problem();
        let journal = Journal::new(&session);
        Self { state: Mutex::new(State { session, journal }), latest: Mutex::default(), problem, mark: Arc::default() }
    }

    /// The arms, as an array or as the name of a set that is no list.
    fn arms(&self, arms: &Bound<'_, PyAny>) -> Result<Arms> {
        if let Ok(name) = arms.extract::<&str>() {
            let dimension = self.problem.dimension;
            return match name {
                "ball" => Ok(Arc::new(ArmSet::Ball { dimension })),
                "sphere" => Ok(Arc::new(ArmSet::Sphere { dimension })),
                _ => Err(Fault::input(format!("arms is \"{name}\": give an array, \"ball\" or \"sphere\""))),
            };
        }
        let table = arrays::rows(arms, "arms")?;
        let values = table.values();
        let mut latest = lock(&self.latest);
        if let Some(known) = &*latest
            && let ArmSet::Finite(list) = &**known
            && list.dimension() == table.columns
            && list.features() == &*values
        {
            return Ok(known.clone());
        }
        let new = Arc::new(ArmSet::from(self.list(&table, "arms")?));
        *latest = Some(new.clone());
        Ok(new)
    }

    /// Arms with parameters of their own.
    fn own_arms(&self, arms: &Bound<'_, PyAny>, owners: &Bound<'_, PyAny>) -> Result<Arms> {
        let (owners, table) = (Owners::read(owners)?, arrays::rows_or_row(arms, "arms")?);
        self.check_columns(&table, "arms")?;
        let (values, owners) = (table.values().into_owned(), owners.of(&table, "arms")?);
        let list = match table.is_single() {
            true => HybridArms::same(owners, values)?,
            false => HybridArms::new(owners, table.columns, values)?,
        };
        Ok(Arc::new(ArmSet::from(list)))
    }

    /// The arms, whoever they belong to.
    fn any_arms(&self, arms: &Bound<'_, PyAny>, owners: Option<&Bound<'_, PyAny>>) -> Result<Arms> {
        match owners {
            Some(owners) => self.own_arms(arms, owners),
            None => self.arms(arms),
        }
    }

    /// Several lists of arms.
    fn lists(&self, arms: &Bound<'_, PyAny>) -> Result<Vec<Arms>> {
        let several = "arms must be one list per choice, of shape (n, K, d), or one list and a count";
        if arms.is_instance_of::<PyString>() {
            return Err(Fault::input(several));
        }
        let lists = arms.try_iter().map_err(|_| Fault::input(several))?;
        let at = |i: usize, fault: Fault| fault.at(arms.py(), &format!("arms[{i}]"));
        lists.enumerate().map(|(i, list)| self.arms(&list?).map_err(|fault| at(i, fault))).collect()
    }

    /// Rows of an array as a list in memory of its own.
    fn list(&self, table: &Table<'_>, field: &str) -> Result<FiniteArms<'static>> {
        if table.rows == 0 {
            return Err(Fault::input(format!("{field} is empty: give at least one row")));
        }
        self.check_columns(table, field)?;
        Ok(FiniteArms::new(table.columns, table.values().into_owned())?)
    }

    fn check_columns(&self, table: &Table<'_>, field: &str) -> Result<()> {
        let d = self.problem.dimension;
        if table.columns == d {
            return Ok(());
        }
        let shape =
            if table.is_single() { format!("{} numbers", table.columns) } else { format!("{} columns", table.columns) };
        Err(Fault::input(format!("{field} has {shape}: the dimension is {d}")))
    }

    /// A row of features.
    fn row(&self, x: &Bound<'_, PyAny>, field: &str) -> Result<Vec<f64>> {
        let table = arrays::row(x, field)?;
        self.check_columns(&table, field)?;
        Ok(table.values().into_owned())
    }

    /// The bandit as it is now, to be asked without holding it up.
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        lock(&self.state).session.policy.snapshot()
    }

    /// What is to be learnt from what Python hands over.
    fn outcome(
        &self,
        x: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        owners: Option<&Bound<'_, PyAny>>,
    ) -> Result<Step> {
        if let Ok(choice) = x.cast::<Choice>() {
            if owners.is_some() {
                return Err(Fault::input("owners was given with a choice, which knows whose arm it is: leave it out"));
            }
            return self.outcome_of(choice.get(), number(reward, "reward")?);
        }
        let table = arrays::rows_or_row(x, "x")?;
        self.check_columns(&table, "x")?;
        let rewards = rewards(&table, reward)?;
        let rows = table.values().into_owned();
        match owners {
            Some(owners) => Ok(Step::ObserveOwn { owners: Owners::each(owners, &table, "x")?, rows, rewards }),
            None => Ok(Step::Observe { rows, rewards }),
        }
    }

    fn outcome_of(&self, choice: &Choice, reward: f64) -> Result<Step> {
        match (choice.made.play, choice.made.index) {
            (Some(_), _) if !Arc::ptr_eq(&choice.mark, &self.mark) => Err(Fault::input(
                "the choice was made by another bandit, or by the one of which this is a copy, and plays are numbered by each for \
                 itself: hand the reward to the bandit that chose, or use settle(play, reward)",
            )),
            (Some(play), _) => Ok(Step::Settle { play, reward }),
            (None, Some(arm)) => Ok(Step::Reward { arms: choice.arms.clone(), arm, reward }),
            (None, None) => Ok(Step::Observe { rows: choice.features().to_vec(), rewards: vec![reward] }),
        }
    }
}

/// One reward per row.
fn rewards(x: &Table<'_>, reward: &Bound<'_, PyAny>) -> Result<Vec<f64>> {
    if x.is_single() {
        return Ok(vec![number(reward, "reward")?]);
    }
    let rewards = arrays::row(reward, "rewards")?.values().into_owned();
    if rewards.len() != x.rows {
        let (count, rows) = (rewards.len(), x.rows);
        return Err(Fault::input(format!("rewards has {count} numbers for {rows} rows of x: give one per row")));
    }
    Ok(rewards)
}

/// A number that is one, or an array that holds one.
pub(crate) fn number(value: &Bound<'_, PyAny>, field: &str) -> Result<f64> {
    let kind = value.get_type().name()?;
    let words = |_: &PyErr| format!("{field} is a {kind}: it must be a number between 0 and 1");
    value.extract().map_err(|error| Fault::unreadable(value.py(), error, words))
}

/// A whole number that is not negative.
fn whole(value: &Bound<'_, PyAny>, field: &str) -> Result<u64> {
    value.extract().map_err(|_| {
        let given = value.repr().map_or_else(|_| "something else".into(), |text| text.to_string());
        Fault::option(format!("{field} is {given}: it must be a whole number, zero or positive, below 2^64"))
    })
}

/// A number of choices that fit into memory.
fn a_batch(count: &Bound<'_, PyAny>) -> Result<usize> {
    match whole(count, "count")? {
        count if count <= MOST_CHOICES => Ok(count as usize),
        count => Err(Fault::option(format!("count is {count}: at most {MOST_CHOICES} choices are made at a time"))),
    }
}

/// A seed that nobody has used: from the operating system, by way of Python.
fn fresh_seed(py: Python<'_>) -> Result<u64> {
    Ok(py.import("secrets")?.call_method1("randbits", (64,))?.extract()?)
}

#[pymethods]
impl Bandit {
    #[new]
    #[pyo3(signature = (dim, policy = "optimist", *, norm_bound = None, delta = 0.05, seed = None, **options))]
    fn new(
        py: Python<'_>,
        dim: &Bound<'_, PyAny>,
        policy: &str,
        norm_bound: Option<f64>,
        delta: f64,
        seed: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> Result<Self> {
        let problem = Problem { dimension: whole(dim, "dim")? as usize, delta, norm_bound };
        if policy == OWN_POLICY.name {
            return Err(Fault::option(
                "policy is \"python\": classes of your own run in optimist.run(..., policies=[YourClass])",
            ));
        }
        let policy = policy::build_with(policy, &problem, json::options(options)?)?;
        let seed = seed.map_or_else(|| fresh_seed(py), |seed| whole(seed, "seed"))?;
        Ok(Self::of(Session::new(policy, seed)))
    }

    /// Chooses an arm.
    ///
    /// Parameters
    /// ----------
    /// arms : array of shape (K, d), or ``"ball"`` or ``"sphere"``
    ///     One row of features per arm. Any array of real numbers will do. With ``owners`` it may be of shape (d,): a context that
    ///     all arms share.
    /// owners : int, or list of int, optional
    ///     Where arms have parameters of their own (option ``own``): how many arms there are, numbered from zero, or the number
    ///     of each, which stays with it whatever the list.
    ///
    /// Returns
    /// -------
    /// Choice
    ///
    /// Examples
    /// --------
    /// >>> bandit = optimist.Bandit(3, "bayes-ucb", own=3)      # one model per arm, three features
    /// >>> choice = bandit.choose([1.0, 0.2, -0.4], owners=5)   # five arms meet the same context
    /// >>> bandit.observe(choice, 1.0)
    #[pyo3(signature = (arms, owners = None))]
    fn choose(&self, py: Python<'_>, arms: &Bound<'_, PyAny>, owners: Option<&Bound<'_, PyAny>>) -> Result<Choice> {
        let arms = self.any_arms(arms, owners)?;
        Ok(py.detach(|| lock(&self.state).choose(arms, &self.mark))?)
    }

    /// Chooses several times before any reward comes.
    ///
    /// Parameters
    /// ----------
    /// arms : array of shape (K, d), or array of shape (n, K, d), or several arrays of shape (K, d)
    ///     One list of arms for all choices, or one list for each.
    /// count : int, optional
    ///     How often to choose from the one list; absent where there is a list for each choice.
    ///
    /// Returns
    /// -------
    /// list of Choice
    ///     A policy with the option ``delayed`` spreads them over arms that would teach it something.
    #[pyo3(signature = (arms, count = None))]
    fn choose_many(
        &self,
        py: Python<'_>,
        arms: &Bound<'_, PyAny>,
        count: Option<&Bound<'_, PyAny>>,
    ) -> Result<Vec<Choice>> {
        let lists = match count {
            Some(count) => vec![self.arms(arms)?; a_batch(count)?],
            None => self.lists(arms)?,
        };
        Ok(py.detach(|| lock(&self.state).choose_many(lists, &self.mark))?)
    }

    /// Learns what came of playing ``x``.
    ///
    /// Parameters
    /// ----------
    /// x : Choice, array of shape (d,), or array of shape (n, d)
    ///     What was played.
    /// reward : float, or array of shape (n,)
    ///     Between 0 and 1. Rows of one call are learnt together, all or none.
    /// owners : int, or list of int, optional
    ///     Whose arm each row is, where arms have parameters of their own; a choice knows it.
    #[pyo3(signature = (x, reward, owners = None))]
    fn observe(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        owners: Option<&Bound<'_, PyAny>>,
    ) -> Result<()> {
        let step = self.outcome(x, reward, owners)?;
        Ok(py.detach(|| lock(&self.state).take(step))?)
    }

    /// Learns the reward of a choice by its number (``choice.play``), where rewards come late (option ``delayed``).
    fn settle(&self, py: Python<'_>, play: u64, reward: f64) -> Result<()> {
        Ok(py.detach(|| lock(&self.state).take(Step::Settle { play, reward }))?)
    }

    /// The reward of a choice will never come: it no longer counts as if it would.
    fn give_up(&self, py: Python<'_>, play: u64) -> Result<()> {
        Ok(py.detach(|| lock(&self.state).take(Step::GiveUp { play }))?)
    }

    /// Bounds on the probability of success of every arm, all of which hold together, at all times.
    fn intervals(&self, py: Python<'_>, arms: &Bound<'_, PyAny>) -> Result<Intervals> {
        let list = self.list(&arrays::rows(arms, "arms")?, "arms")?;
        let found = watched::ask(py, || self.snapshot(), |snapshot| snapshot.intervals(&list))?;
        Ok(Intervals::new(py, &found))
    }

    /// Bounds on the probability of success of one arm; ``owner`` is its number where it has parameters of its own.
    #[pyo3(signature = (x, owner = None))]
    fn interval(&self, py: Python<'_>, x: &Bound<'_, PyAny>, owner: Option<&Bound<'_, PyAny>>) -> Result<Interval> {
        let (x, owner) = (self.row(x, "x")?, owner.map(|owner| whole(owner, "owner")).transpose()?);
        let row = owner.map_or(Row::Dense(&x), |owner| Row::Own { owner, features: &x });
        Ok((&py.detach(|| self.snapshot().interval_of_row(&row))?).into())
    }

    /// Estimated probability of success: one number per row, or one number for one row.
    ///
    /// With ``owners``, where arms have parameters of their own, one number per arm: ``arms`` is a context that all share, of shape
    /// (d,), or one row each.
    #[pyo3(signature = (arms, owners = None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        arms: &Bound<'py, PyAny>,
        owners: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        if let Some(owners) = owners {
            let list = self.own_arms(arms, owners)?;
            let values: Vec<f64> = py.detach(|| {
                let snapshot = self.snapshot();
                let rows = (0..).map_while(|k| list.row(k));
                rows.map(|row| snapshot.log_odds_of(&row).map(link::mean)).collect::<optimist::Result<_>>()
            })?;
            return Ok(values.to_pyarray(py).into_bound_py_any(py)?);
        }
        let table = arrays::rows_or_row(arms, "arms")?;
        let list = self.list(&table, "arms")?;
        let values: Vec<f64> = py.detach(|| {
            let snapshot = self.snapshot();
            list.iter().map(|x| snapshot.log_odds(x).map(link::mean)).collect::<optimist::Result<_>>()
        })?;
        match values.first() {
            Some(value) if table.is_single() => Ok(value.into_bound_py_any(py)?),
            _ => Ok(values.to_pyarray(py).into_bound_py_any(py)?),
        }
    }

    /// Which of two arms succeeds more often, for sure, or that the data do not decide it yet.
    fn compare(&self, py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> Result<Comparison> {
        let (a, b) = (self.row(a, "a")?, self.row(b, "b")?);
        Ok((&py.detach(|| self.snapshot().compare(&a, &b))?).into())
    }

    /// How far the arm that looks best may be from the best, and whether that is at most ``eps``.
    ///
    /// ``eps`` and the bound are differences of probabilities of success.
    #[pyo3(signature = (arms, eps = 0.0))]
    fn best(&self, py: Python<'_>, arms: &Bound<'_, PyAny>, eps: f64) -> Result<Best> {
        let list = self.list(&arrays::rows(arms, "arms")?, "arms")?;
        Ok((&watched::ask(py, || self.snapshot(), |snapshot| snapshot.best(&list, eps))?).into())
    }

    /// The probability with which each arm would be chosen now.
    ///
    /// Returns the probabilities and their standard errors: ``None`` if the probabilities are exact, which they are where that
    /// is cheap; otherwise they come from ``draws`` simulated choices. Nothing is changed by this.
    #[pyo3(signature = (arms, draws = 1000, owners = None))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        arms: &Bound<'py, PyAny>,
        draws: i64,
        owners: Option<&Bound<'py, PyAny>>,
    ) -> Result<Distribution<'py>> {
        if !(1..=MOST_DRAWS).contains(&draws) {
            return Err(Fault::input(format!("draws is {draws}: it must be from 1 to {MOST_DRAWS}")));
        }
        let draws = draws as usize;
        let arms = self.any_arms(arms, owners)?;
        let found = py.detach(|| {
            let (snapshot, mut rng) = {
                let state = lock(&self.state);
                (state.session.policy.snapshot(), apart(&state.session.rng))
            };
            snapshot.probabilities(&arms, draws, &mut rng)
        })?;
        Ok((found.values.to_pyarray(py), found.standard_errors.map(|errors| errors.to_pyarray(py))))
    }

    /// The estimate of the parameter.
    #[getter]
    fn estimate<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        py.detach(|| self.snapshot()).estimate().to_pyarray(py)
    }

    /// The name of the policy.
    #[getter]
    fn policy(&self, py: Python<'_>) -> &'static str {
        py.detach(|| lock(&self.state).session.policy.info().name)
    }

    /// The number of features.
    #[getter]
    fn dim(&self) -> usize {
        self.problem.dimension
    }

    /// The probability with which certified statements may be wrong.
    #[getter]
    fn delta(&self) -> f64 {
        self.problem.delta
    }

    /// The bound on the norm of the true parameter that was declared, if any.
    #[getter]
    fn norm_bound(&self) -> Option<f64> {
        self.problem.norm_bound
    }

    /// The options in force, defaults filled in.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let options = py.detach(|| lock(&self.state).session.policy.options())?;
        Ok(json::to_python(py, &options)?)
    }

    /// Rounds in which it has chosen.
    #[getter]
    fn rounds(&self, py: Python<'_>) -> u64 {
        py.detach(|| lock(&self.state).session.policy.counts().rounds)
    }

    /// Rewards it has learnt from.
    #[getter]
    fn rewards(&self, py: Python<'_>) -> u64 {
        py.detach(|| lock(&self.state).session.policy.counts().rewards)
    }

    /// The whole state, from which ``Bandit.from_bytes`` goes on to the last bit.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| lock(&self.state).session.save_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bandit that ``to_bytes`` stored.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> Result<Self> {
        Ok(Self::of(py.detach(|| Session::restore_bytes(data))?))
    }

    /// Writes the whole state to a file. One that is there is replaced when the new one is complete.
    fn save(&self, py: Python<'_>, path: PathBuf) -> Result<()> {
        let bytes = py.detach(|| lock(&self.state).session.save_bytes())?;
        files::save(py, &path, &bytes)
    }

    /// The bandit that ``save`` stored.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> Result<Self> {
        Self::from_bytes(py, &files::load(py, &path)?)
    }

    /// A bandit in the same state, which goes on by itself.
    fn copy(&self, py: Python<'_>) -> Self {
        py.detach(|| Self::of(lock(&self.state).session.clone()))
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy(py)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Result<Bound<'py, PyTuple>> {
        files::pickled::<Self>(slf.get().to_bytes(slf.py())?, "from_bytes")
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (policy, rewards) = (self.policy(py), self.rewards(py));
        format!("Bandit(dim={}, policy='{policy}', rewards={rewards})", self.problem.dimension)
    }
}

/// Probabilities, and their standard errors if they were simulated.
type Distribution<'py> = (Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray1<f64>>>);
