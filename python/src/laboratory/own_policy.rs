//! `python`: a policy written in Python, behind the same trait as all others.

use std::fmt;

use numpy::{PyArray1, PyArrayMethods};
use optimist::policy::{
    Certify, FINITE_ARMS, Family, OptionInfo, Options, Pick, Planning, PolicyInfo, PolicyMaker, RewardOrder, Round,
    Rule,
};
use optimist::{Error, FiniteArms, Problem};
use optimist_lab::experiment::PolicySpec;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::own_classes as classes;
use super::raised;
use crate::json;

/// The line of the registry.
pub(crate) static INFO: PolicyInfo = PolicyInfo {
    name: "python",
    family: Family::Baseline,
    summary: "a policy of your own, a class written in Python",
    doc: "\
Chooses as a class of yours does, beside all other policies and in the same experiments:

  class Mine:
      def __init__(self, dim, **options): ...
      def choose(self, arms, rng): ...      returns the index of a row of arms
      def observe(self, x, reward): ...

arms is a read-only array with one row of dim features per arm. rng is a numpy Generator that belongs to the run: what is drawn
from it depends on the seed of the experiment and the number of the run alone. x is the row that was played; rewards may come
late, and then observe is called later than the next choose. The options are numbers, texts, lists and dicts.

An exception in the class ends the experiment, with the class, the round and the message. Such a policy cannot be stored: keep
the object itself.

Guarantee: none that anybody knows of.",
    keeps_set: false,
    guarantee: "none",
    guaranteed: false,
    planning: Planning::ClosedForm,
    cost: "whatever the class takes",
    memory: "whatever the class keeps",
    arm_sets: FINITE_ARMS,
    reference: "none",
    randomised: true,
    order: RewardOrder::Matters,
    constant_cost: false,
    uses_history: false,
    needs_norm_bound: false,
    unit_arms: false,
    required: &["class"],
    example: r#"{"class": "optimist.laboratory.example:EpsilonGreedy"}"#,
    options: &[
        OptionInfo { name: "class", help: "where the class is, as module:Class" },
        OptionInfo { name: "options", help: "what __init__ is given beside dim" },
        OptionInfo { name: "source", help: "a digest of the code, by which runs of changed code are told apart" },
    ],
    maker: PolicyMaker::of::<Own>(),
};

/// Options of `python`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct OwnOptions {
    class: String,
    options: Map<String, Value>,
    source: String,
}

impl Options for OwnOptions {
    fn validate(&self) -> optimist::Result<()> {
        if self.class.is_empty() {
            return Err(Error::Missing { field: "class", needed_by: INFO.name });
        }
        Ok(())
    }
}

/// The name of a class without where it is.
fn short(class: &str) -> &str {
    class.rsplit([':', '.']).next().unwrap_or_default()
}

/// What tells a class of an experiment from all others, if a policy is one of these.
pub(super) fn class_of(spec: &PolicySpec) -> Option<String> {
    let text = |name: &str| spec.options.get(name).and_then(Value::as_str).unwrap_or_default();
    (spec.policy == INFO.name).then(|| identity(text("class"), text("source")))
}

fn identity(class: &str, source: &str) -> String {
    format!("{class} {source}")
}

/// An object with `choose` and `observe`.
pub(crate) struct Own {
    /// What messages call it.
    name: String,
    /// What tells its class from all others.
    class: String,
    object: Py<PyAny>,
    /// The generator of the run, once it has drawn its seed.
    rng: Option<Py<PyAny>>,
    /// The latest arms, and the array that was made of them.
    arms: Option<(Vec<f64>, Py<PyAny>)>,
    /// Nobody knows one.
    estimate: Vec<f64>,
    rounds: u64,
    /// What went wrong while it learnt, which only a choice can tell.
    failure: Option<Error>,
}

impl Own {
    /// An exception, in words; the exception itself is kept for whoever asked for the experiment.
    fn failed(&self, py: Python<'_>, doing: &str, error: PyErr) -> Error {
        raised::keep(py, &self.class, format!("{}.{doing}, round {}", self.name, self.rounds), error)
    }

    fn choose(&mut self, py: Python<'_>, arms: &FiniteArms<'_>, round: &mut Round<'_>) -> PyResult<usize> {
        if self.rng.is_none() {
            let seed = (round.rng.next_u64(), round.rng.next_u64());
            self.rng = Some(py.import("numpy.random")?.call_method1("default_rng", (seed,))?.unbind());
        }
        let array = self.array(py, arms)?;
        let chosen = self.object.bind(py).call_method1("choose", (array, &self.rng))?;
        let index: i64 = chosen.call_method0("__index__").and_then(|index| index.extract()).map_err(|_| {
            let kind = chosen.get_type();
            raised::wrong(format!("returned a {kind}: it must return the index of an arm"))
        })?;
        match usize::try_from(index) {
            Ok(arm) if arm < arms.len() => Ok(arm),
            _ => {
                let last = arms.len() - 1;
                Err(raised::wrong(format!("returned {index}: there are {} arms, from 0 to {last}", arms.len())))
            }
        }
    }

    /// The arms as an array, the same object as long as they are the same.
    fn array(&mut self, py: Python<'_>, arms: &FiniteArms<'_>) -> PyResult<Py<PyAny>> {
        if let Some((known, array)) = &self.arms
            && known == arms.features()
        {
            return Ok(array.clone_ref(py));
        }
        let array = PyArray1::from_slice(py, arms.features()).reshape([arms.len(), arms.dimension()])?;
        let keywords = PyDict::new(py);
        keywords.set_item("write", false)?;
        array.call_method("setflags", (), Some(&keywords))?;
        let array = array.into_any().unbind();
        self.arms = Some((arms.features().to_vec(), array.clone_ref(py)));
        Ok(array)
    }

    /// The object and its generator, copied together.
    fn copies(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, Option<Py<PyAny>>)> {
        let both = PyTuple::new(py, [Some(&self.object), self.rng.as_ref()])?;
        py.import("copy")?.call_method1("deepcopy", (both,))?.extract()
    }
}

impl Rule for Own {
    type Options = OwnOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Off;
    const PICKS_BLINDLY: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> optimist::Result<Self> {
        Python::attach(|py| {
            let name = short(&options.class).to_owned();
            let identity = identity(&options.class, &options.source);
            let make = || -> PyResult<Py<PyAny>> {
                let class = classes::find(py, &options.class, &options.source)?;
                let keywords = PyDict::new(py);
                for (key, value) in &options.options {
                    keywords.set_item(key, json::to_python(py, value)?)?;
                }
                Ok(class.call((problem.dimension,), Some(&keywords))?.unbind())
            };
            let object = make().map_err(|error| raised::keep(py, &identity, format!("{name}.__init__"), error))?;
            let estimate = vec![0.0; problem.dimension];
            Ok(Self { name, class: identity, object, rng: None, arms: None, estimate, rounds: 0, failure: None })
        })
    }

    fn check(&self, _dimension: usize) -> optimist::Result<()> {
        Ok(())
    }

    fn pick(&mut self, arms: &FiniteArms<'_>, mut round: Round<'_>) -> optimist::Result<Pick> {
        if let Some(failure) = &self.failure {
            raised::tell(failure);
            return Err(failure.clone());
        }
        self.rounds = round.number;
        Python::attach(|py| match self.choose(py, arms, &mut round) {
            Ok(arm) => Ok(Pick::bare(arm)),
            Err(error) => {
                let failure = self.failed(py, "choose", error);
                raised::tell(&failure);
                Err(failure)
            }
        })
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        if self.failure.is_some() {
            return;
        }
        self.failure = Python::attach(|py| {
            let x = PyArray1::from_slice(py, x);
            let learnt = self.object.bind(py).call_method1("observe", (x, reward));
            learnt.err().map(|error| self.failed(py, "observe", error))
        });
    }

    fn estimate(&self) -> &[f64] {
        &self.estimate
    }
}

/// The object is copied with all it holds.
impl Clone for Own {
    fn clone(&self) -> Self {
        Python::attach(|py| {
            let (copies, failure) = match self.copies(py) {
                Ok(copies) => (copies, self.failure.clone()),
                Err(error) => {
                    let failure = raised::keep(py, &self.class, format!("{}, as it was copied", self.name), error);
                    ((self.object.clone_ref(py), None), Some(failure))
                }
            };
            let arms = self.arms.as_ref().map(|(known, array)| (known.clone(), array.clone_ref(py)));
            let (name, class, estimate) = (self.name.clone(), self.class.clone(), self.estimate.clone());
            Self { name, class, object: copies.0, rng: copies.1, arms, estimate, rounds: self.rounds, failure }
        })
    }
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Own").field("name", &self.name).finish_non_exhaustive()
    }
}

const NOT_STORED: &str =
    "a policy written in Python cannot be stored: keep the object itself, for instance with pickle";

impl Serialize for Own {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom(NOT_STORED))
    }
}

/// What was stored could be anybody's code.
impl<'de> Deserialize<'de> for Own {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(NOT_STORED))
    }
}
