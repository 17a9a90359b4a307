//! An experiment: environments x policies x runs, as read from a small text file.

mod arms;
mod checkpoints;
mod drift;
mod environment;
mod file;
mod hybrid;
mod rewards;
mod selection;
mod settings;

pub(crate) use arms::ArmsKind;
pub use arms::{Arms, Categories, Form, Gaussian, List, Order, Redraw, Rows, Sample, Scale, Shape, Table};
use checkpoints::CURVE_POINTS;
pub use checkpoints::log_spaced;
pub use drift::Drift;
pub use environment::{Delay, Environment, Feedback, Fitted, NormBound, Truth, kappa_of, norm_of};
pub use file::{Absent, Document, KEYS, Key, Kind, Range, keys_help, read, read_arms, schema};
pub use hybrid::{Context, Hybrid};
pub use rewards::{Interaction, Link, Rewards};
pub(crate) use selection::{Meant, check_names};
pub(crate) use settings::SweptColumn;
pub use settings::{ShortNames, Swept};

use optimist::Problem;
use optimist::policy::{self, HORIZON, Policy, PolicyInfo};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Everything that is to be run. Two experiments that are equal give the same results to the last bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// What reports call it.
    pub name: String,
    /// Run i of every policy in every environment uses stream i of generators seeded with this.
    pub seed: u64,
    /// Runs of each policy in each environment.
    pub runs: usize,
    /// Rounds of a run.
    pub horizon: usize,
    /// The probability with which a confidence set may fail.
    pub delta: f64,
    /// Rounds after which figures are written, ascending; the last is the horizon.
    pub checkpoints: Vec<usize>,
    /// When it is checked whether theta* is in the policy's confidence set.
    pub coverage: Coverage,
    /// The environments, all combinations of the keys that are lists.
    pub environments: Vec<Environment>,
    /// The policies.
    pub policies: Vec<PolicySpec>,
}

/// When it is checked whether theta* is in the policy's confidence set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// In every round.
    #[default]
    Rounds,
    /// At the checkpoints only.
    Checkpoints,
    /// Never.
    Off,
}

/// A policy with options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySpec {
    /// Its name in the registry.
    pub policy: String,
    /// What reports call it; unique in an experiment.
    pub label: String,
    /// The options that were given; the others have their defaults.
    pub options: Map<String, Value>,
}

impl PolicySpec {
    /// A policy with default options, called by its name.
    pub fn plain(policy: &str) -> Self {
        Self { policy: policy.to_owned(), label: policy.to_owned(), options: Map::new() }
    }

    /// The same with another label.
    pub fn labelled(mut self, label: &str) -> Self {
        label.clone_into(&mut self.label);
        self
    }

    /// The same with an option.
    pub fn with(mut self, option: &str, value: impl Into<Value>) -> Self {
        self.options.insert(option.to_owned(), value.into());
        self
    }

    /// Its line of the registry.
    ///
    /// # Errors
    /// If there is no policy of this name.
    pub fn info(&self) -> Result<&'static PolicyInfo> {
        policy::info(&self.policy).map_err(|e| Error::input(e.to_string()))
    }

    /// The policy before its first round, told what the environment says that it is told. Options that an experiment knows are
    /// filled in where they are needed: `horizon` by policies that require it, and by constants "as published"; `own` where
    /// arms have parameters of their own.
    ///
    /// # Errors
    /// If the name, an option or the problem is refused by the registry, or the option `horizon` is below `horizon`.
    pub fn build_for(&self, environment: &Environment, delta: f64, horizon: usize) -> Result<Box<dyn Policy>> {
        let problem = Problem { dimension: environment.dimension, delta, norm_bound: environment.told_bound() };
        let mut options = self.options.clone();
        let info = self.info()?;
        let is_published = options.get("constants").is_some_and(|constants| constants == "published");
        if info.required.contains(&HORIZON) || is_published && info.has_option(HORIZON) {
            options.entry(HORIZON).or_insert_with(|| horizon.into());
        }
        check_horizon(info, &options, horizon)?;
        if let Some(hybrid) = environment.arms.as_hybrid().filter(|_| info.has_option("own")) {
            options.entry("own").or_insert_with(|| hybrid.own.into());
        }
        policy::build_with(&self.policy, &problem, Value::Object(options)).map_err(|e| Error::input(e.to_string()))
    }
}

/// Refuses a policy that is made for fewer rounds than are played: its constants would be too small for the last of them.
/// What is not a whole number is left to the registry to refuse.
fn check_horizon(info: &PolicyInfo, options: &Map<String, Value>, rounds: usize) -> Result<()> {
    let given = options.get(HORIZON).filter(|_| info.has_option(HORIZON)).and_then(Value::as_u64);
    match given {
        Some(given) if given > 0 && given < rounds as u64 => Err(Error::input(format!(
            "{HORIZON} is {given}, and the experiment has {rounds} rounds: leave the key out, or give at least {rounds}"
        ))),
        _ => Ok(()),
    }
}

impl Experiment {
    /// The rounds at which curves are recorded: the checkpoints, half and a quarter of the horizon, and enough others to
    /// draw smooth lines.
    pub fn marks(&self) -> Vec<usize> {
        let mut marks = log_spaced(self.horizon, CURVE_POINTS);
        marks.extend(&self.checkpoints);
        marks.extend([self.horizon.div_ceil(4), self.horizon.div_ceil(2)]);
        marks.sort_unstable();
        marks.dedup();
        marks
    }
}
