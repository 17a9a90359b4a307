//! What an engine is told when it is made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::error::{Error, Result};
use crate::schema::{self, Column};
use crate::value::Features;

/// All settings of an engine. Every field has a default, so that a file names only what differs.
///
/// ```
/// use optimist_engine::Settings;
/// let settings: Settings = serde_json::from_str(r#"{
///     "actions": ["red", "green", {"name": "blue", "features": {"price": 3.5}}],
///     "rewards": {"wait": 3600, "silence": 0}
/// }"#)?;
/// assert_eq!(settings.actions.len(), 3);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The actions that are there from the start.
    pub actions: Vec<Action>,
    /// The columns of contexts; none: they are inferred from the contexts of the warm-up.
    pub context: Option<Vec<Column>>,
    /// The columns of the actions' features; none: they are inferred from the actions that are there from the start.
    pub action_columns: Option<Vec<Column>>,
    /// How parameters belong to actions; none: hybrid where actions have features, disjoint otherwise.
    pub model: Option<Structure>,
    /// Columns of the context that meet parameters of each action's own, beside a constant; none: all (hybrid, disjoint).
    pub own: Option<Vec<String>>,
    /// Products of two columns, such as `device:price`; `device:action` gives each action parameters of its own for `device`.
    pub interactions: Vec<String>,
    /// The policy, a name of the registry.
    pub policy: String,
    /// Options of the policy.
    pub options: Map<String, Json>,
    /// Bound on the norm of the parameters, if one is known.
    pub norm_bound: Option<f64>,
    /// The probability with which any certified bound for a decision may be wrong, and that with which any of the report may be.
    pub delta: f64,
    /// The share of decisions in which an action is drawn at random, all alike, so that logs can be evaluated.
    pub explore: f64,
    /// Simulated choices from which a randomised policy's probabilities come: it then chooses by these.
    pub draws: usize,
    /// How many contexts are seen before the moments of numbers are frozen.
    pub warm_up: usize,
    /// When intervals are computed.
    pub intervals: Intervals,
    /// How rewards join decisions.
    pub rewards: Rewards,
    /// For how many seconds after its settlement a decision is known.
    pub retention: f64,
    /// At most so many settled decisions are known.
    pub most_settled: usize,
    /// At most so many decisions wait for rewards; beyond, the oldest is given up, and nothing is learnt from it.
    pub most_open: usize,
    /// Columns of the context (categories, booleans) by whose levels the report is split.
    pub slices: Vec<String>,
    /// Actions up to which the report compares what each would have earned, had it always been chosen: a microsecond per action and
    /// reward.
    pub compare: usize,
    /// What random numbers are drawn from, together with the event's id and the number of decisions before it.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            actions: Vec::new(),
            context: None,
            action_columns: None,
            model: None,
            own: None,
            interactions: Vec::new(),
            policy: "bayes-ucb".into(),
            options: Map::new(),
            norm_bound: None,
            delta: 0.05,
            explore: 0.05,
            draws: 100,
            warm_up: 128,
            intervals: Intervals::OnRequest,
            rewards: Rewards::default(),
            retention: 86_400.0,
            most_settled: 100_000,
            most_open: 1_000_000,
            slices: Vec::new(),
            compare: 8,
            seed: 0,
        }
    }
}

/// An action: a name, and features if it has some. In files a name alone will do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Action {
    /// Its name.
    pub name: String,
    /// What is known of it.
    #[serde(skip_serializing_if = "Features::is_empty")]
    pub features: Features,
}

impl Action {
    /// An action with features.
    pub fn new(name: impl Into<String>, features: Features) -> Self {
        Self { name: name.into(), features }
    }
}

impl From<&str> for Action {
    fn from(name: &str) -> Self {
        Self::new(name, Features::new())
    }
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "an action is a name, or an object with a name and features")]
enum Written {
    Name(String),
    Whole {
        name: String,
        #[serde(default)]
        features: Features,
    },
}

impl From<Written> for Action {
    fn from(written: Written) -> Self {
        match written {
            Written::Name(name) => Self { name, features: Features::new() },
            Written::Whole { name, features } => Self { name, features },
        }
    }
}

/// How parameters belong to actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// All actions share all parameters: they differ by their features, and by the interactions of these with the context.
    Shared,
    /// Each action has a model of its own.
    Disjoint,
    /// Shared parameters, and some of each action's own.
    Hybrid,
}

/// When intervals are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intervals {
    /// When somebody asks.
    OnRequest,
    /// With every decision.
    Always,
}

/// How rewards join decisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rewards {
    /// For how many seconds after a decision its reward may come.
    pub wait: f64,
    /// The reward that silence means when the waiting time is over; none: nothing is learnt then.
    pub silence: Option<f64>,
    /// When rewards are learnt.
    pub learn: Learn,
    /// What a second reward of one decision means.
    pub second: Second,
    /// What becomes of a reward that comes after the waiting time.
    pub late: Late,
    /// How values become rewards between 0 and 1.
    pub scale: Scale,
}

impl Default for Rewards {
    fn default() -> Self {
        Self {
            wait: 0.0,
            silence: None,
            learn: Learn::WhenDue,
            second: Second::Refuse,
            late: Late::Refuse,
            scale: Scale::Unit,
        }
    }
}

/// When rewards are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learn {
    /// When the waiting time of their decision is over: quick outcomes are not typical ones, and a set that learns them first is
    /// wrong. Without a waiting time, and if silence means nothing, that is at once.
    WhenDue,
    /// When they come. The caller declares that neither delay nor loss of a reward depends on its value.
    OnArrival,
    /// When they come, whatever delay depends on. There are no certificates then.
    Uncertified,
}

/// What a second reward of one decision means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Second {
    /// The first counts; others are taken and change nothing.
    First,
    /// They are added, up to one.
    Sum,
    /// An error.
    Refuse,
}

/// What becomes of a reward that comes after the waiting time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Late {
    /// An error.
    Refuse,
    /// It is counted in the report, and nothing is learnt from it.
    Count,
}

/// How values become rewards between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// They are between 0 and 1.
    Unit,
    /// From this range, linearly.
    Range(f64, f64),
    /// Counts or revenue: the share of this cap, and one beyond it.
    Cap(f64),
}

impl Scale {
    /// The reward of a value.
    ///
    /// # Errors
    /// If the value has none, in words that follow "the reward".
    pub fn reward(self, value: f64) -> std::result::Result<f64, String> {
        if !value.is_finite() {
            return Err(format!("is {value}: it must be a finite number"));
        }
        match self {
            Scale::Unit if (0.0..=1.0).contains(&value) => Ok(value),
            Scale::Unit => {
                Err(format!("is {value}: it must be between 0 and 1; declare rewards.scale for other values"))
            }
            Scale::Range(low, high) if (low..=high).contains(&value) => {
                Ok(((value - low) / (high - low)).clamp(0.0, 1.0))
            }
            Scale::Range(low, high) => {
                Err(format!("is {value}: it must be between {low} and {high}, as rewards.scale says"))
            }
            Scale::Cap(cap) if value >= 0.0 => Ok((value / cap).min(1.0)),
            Scale::Cap(_) => Err(format!("is {value}: counts and revenue are not negative")),
        }
    }

    /// What certified statements are about then.
    pub fn describe(self) -> String {
        match self {
            Scale::Unit => "estimates and intervals are of the mean reward".into(),
            Scale::Range(low, high) => format!(
                "values from {low} to {high} become rewards from 0 to 1: estimates and intervals are of the mean of (value - {low})/{}",
                high - low
            ),
            Scale::Cap(cap) => format!(
                "values become min(value, {cap})/{cap}: estimates and intervals are of the mean of that, not of the mean value, \
                 which may be larger by what the cap takes off"
            ),
        }
    }
}

impl Settings {
    /// Checks what can be checked without looking at contexts.
    pub(crate) fn validate(&self) -> Result<()> {
        let positive = |field: &str, value: f64, ok: bool, allowed: &str| {
            if ok { Ok(()) } else { Err(Error::setting(field, format!("is {value}: it must be {allowed}"))) }
        };
        schema::validate(self.context.as_deref().unwrap_or(&[]))?;
        schema::validate(self.action_columns.as_deref().unwrap_or(&[]))?;
        positive("explore", self.explore, (0.0..=1.0).contains(&self.explore), "between 0 and 1")?;
        positive("draws", self.draws as f64, (1..=1_000_000).contains(&self.draws), "between 1 and 1000000")?;
        positive(
            "warm_up",
            self.warm_up as f64,
            (8..=100_000).contains(&self.warm_up),
            "between 8 and 100000 contexts",
        )?;
        let (wait, retention) = (self.rewards.wait, self.retention);
        positive("rewards.wait", wait, (0.0..=1e9).contains(&wait), "between 0 and 1e9 seconds")?;
        positive("retention", retention, (0.0..=1e9).contains(&retention), "between 0 and 1e9 seconds")?;
        positive("most_open", self.most_open as f64, self.most_open >= 1, "at least 1")?;
        for name in ["explore", "own"] {
            if self.options.contains_key(name) {
                return Err(Error::setting(
                    format!("options.{name}"),
                    format!("is the engine's to know: set {name} beside options"),
                ));
            }
        }
        self.rewards.validate()
    }
}

impl Rewards {
    fn validate(&self) -> Result<()> {
        match self.scale {
            Scale::Range(low, high) if !(low < high && low.is_finite() && high.is_finite()) => {
                return Err(Error::setting("rewards.scale", format!("is the range {low} to {high}: it must rise")));
            }
            Scale::Cap(cap) if !(cap > 0.0 && cap.is_finite()) => {
                return Err(Error::setting("rewards.scale", format!("has the cap {cap}: it must be positive")));
            }
            _ => {}
        }
        if let Some(silence) = self.silence {
            if let Err(what) = self.scale.reward(silence) {
                return Err(Error::setting("rewards.silence", what));
            }
            if self.learn == Learn::OnArrival {
                return Err(Error::setting(
                    "rewards.silence",
                    "means a reward that comes later than the others, so that delay depends on the outcome: use learn = \"when-due\" \
                     (or \"uncertified\"), or leave silence out",
                ));
            }
        }
        if self.second == Second::Sum && self.learns_at_once() {
            return Err(Error::setting(
                "rewards.second",
                "is \"sum\", but rewards are learnt when they come: give a waiting time and learn = \"when-due\"",
            ));
        }
        if let (Second::Sum, Scale::Range(low, _)) = (self.second, self.scale)
            && low != 0.0
        {
            let what = format!(
                "is \"sum\", but rewards.scale is a range that begins at {low}: the sum of two rewards is then not that of two \
                 values; let the range begin at 0"
            );
            return Err(Error::setting("rewards.second", what));
        }
        Ok(())
    }

    /// Whether a reward is learnt when it comes.
    pub(crate) fn learns_at_once(&self) -> bool {
        self.learn != Learn::WhenDue || (self.wait == 0.0 && self.silence.is_none())
    }
}
