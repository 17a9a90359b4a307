//! What is to be replayed, and how.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use optimist_engine::{Scale, Structure};
use optimist_tables::Options;

use crate::error::{Error, Result};

/// What is to be replayed, and how. Messages call the fields by their options, `--reward-scale` for `reward_scale`.
#[derive(Debug, Clone)]
pub struct ReplayOptions {
    /// The table or the log, or what messages call it; `-` is standard input.
    pub data: PathBuf,
    /// A table with classes: the column that holds them.
    pub label: Option<String>,
    /// A log: the column of the action that was taken.
    pub arm: Option<String>,
    /// A log: the column of what came of it.
    pub reward: Option<String>,
    /// A log: the column of the probability with which the action was taken.
    pub propensity: Option<String>,
    /// How values of the reward become numbers from 0 to 1.
    pub reward_scale: Option<Scale>,
    /// Policies; the usual ones if there are none.
    pub policy: Vec<String>,
    /// Options of the policy as JSON; of several policies by name.
    pub options: Option<String>,
    /// Models; the usual one if there are none.
    pub model: Vec<Structure>,
    /// Random orders of the rows; the usual number if absent.
    pub orders: Option<NonZero<usize>>,
    /// Rounds per order, or rows of a log; all if absent.
    pub rounds: Option<NonZero<usize>>,
    /// What orders and random choices are drawn from.
    pub seed: u64,
    /// Candidates at a time; one per core if absent.
    pub jobs: Option<NonZero<usize>>,
    /// The share of decisions drawn at random.
    pub explore: f64,
    /// Whether policies keep the sets from which they could certify.
    pub certify: bool,
    /// A bound on the norm of the parameters, for policies that need one.
    pub norm_bound: Option<f64>,
    /// A log: the probability with which an interval may be wrong.
    pub delta: f64,
    /// A log: the largest possible ratio of a candidate's probability to the logged one, if it is known.
    pub weight_limit: Option<f64>,
    /// Columns that are numbers.
    pub number: Vec<String>,
    /// Columns that are one of several.
    pub category: Vec<String>,
    /// Columns that are words in any order.
    pub text: Vec<String>,
    /// Columns that are points in time.
    pub time: Vec<String>,
    /// Columns that are one of very many.
    pub hashed: Vec<String>,
    /// How the data are read, and which columns are left out.
    pub tables: Options,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self {
            data: PathBuf::new(),
            label: None,
            arm: None,
            reward: None,
            propensity: None,
            reward_scale: None,
            policy: Vec::new(),
            options: None,
            model: Vec::new(),
            orders: None,
            rounds: None,
            seed: 1,
            jobs: None,
            explore: 0.0,
            certify: false,
            norm_bound: None,
            delta: 0.05,
            weight_limit: None,
            number: Vec::new(),
            category: Vec::new(),
            text: Vec::new(),
            time: Vec::new(),
            hashed: Vec::new(),
            tables: Options::default(),
        }
    }
}

/// What is replayed.
pub(super) enum Target<'a> {
    Label(&'a str),
    Arm { arm: &'a str, reward: &'a str, propensity: Option<&'a str> },
}

impl ReplayOptions {
    /// What messages call the data.
    pub fn name(&self) -> String {
        if self.data == Path::new("-") { "stdin".to_owned() } else { self.data.display().to_string() }
    }

    /// What the options say is to be replayed, if they do.
    pub(super) fn target(&self) -> Option<Target<'_>> {
        match (&self.label, &self.arm, &self.reward) {
            (Some(label), ..) => Some(Target::Label(label)),
            (None, Some(arm), Some(reward)) => {
                Some(Target::Arm { arm, reward, propensity: self.propensity.as_deref() })
            }
            _ => None,
        }
    }

    /// What can be checked before anything is read.
    ///
    /// # Errors
    /// If an option is not allowed.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |text: String| Err(Error::input(text));
        if !(0.0..=1.0).contains(&self.explore) {
            return wrong(format!("--explore is {}: give a share from 0 to 1", self.explore));
        }
        if !(self.delta > 0.0 && self.delta < 1.0) {
            return wrong(format!("--delta is {}: give a probability above 0 and below 1", self.delta));
        }
        if let Some(limit) = self.weight_limit.filter(|limit| !(1.0..=1e12).contains(limit)) {
            return wrong(format!("--weight-limit is {limit}: give a number from 1 to 1e12"));
        }
        if self.label.is_some() && (self.arm.is_some() || self.reward.is_some() || self.propensity.is_some()) {
            return wrong(
                "--label is for tables with classes, --arm, --reward and --propensity are for logs: keep one kind"
                    .into(),
            );
        }
        if self.arm.is_some() != self.reward.is_some() || self.propensity.is_some() && self.arm.is_none() {
            return wrong("a log needs --arm and --reward, the columns of what was done and of what came of it".into());
        }
        if self.label.is_some() {
            for (name, given) in
                [("--reward-scale", self.reward_scale.is_some()), ("--weight-limit", self.weight_limit.is_some())]
            {
                if given {
                    return wrong(format!(
                        "{name} is for logs: leave it out, or give --arm and --reward instead of --label"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A failure of reading, in terms of these options.
pub(super) fn tables(options: &ReplayOptions, error: &optimist_tables::Error) -> Error {
    match error {
        optimist_tables::Error::Option { field, value, remedy } => {
            Error::input(format!("--{} is {value}: {remedy}", field.replace('_', "-")))
        }
        // It names the file.
        other => {
            let text = other.to_string();
            let name = options.data.display().to_string();
            let is_named = text.contains(&name) || name == "-";
            Error::input(if is_named { text } else { format!("{name}: {text}") })
        }
    }
}

/// A scale of rewards, as users write it: `unit`, `range:LOW:HIGH` or `cap:X`.
///
/// # Errors
/// If it is none of these, with what is allowed.
pub fn read_scale(text: &str) -> std::result::Result<Scale, String> {
    let allowed = "give unit, range:LOW:HIGH such as range:-1:1, or cap:X such as cap:100";
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        ["unit"] => Ok(Scale::Unit),
        ["range", low, high] => match (number(low), number(high)) {
            (Some(low), Some(high)) if low < high => Ok(Scale::Range(low, high)),
            (Some(_), Some(_)) => Err("the range must rise: give range:LOW:HIGH with LOW below HIGH".to_owned()),
            _ => Err(allowed.to_owned()),
        },
        ["cap", cap] => match number(cap) {
            Some(cap) if cap > 0.0 => Ok(Scale::Cap(cap)),
            Some(_) => Err("the cap must be positive: give cap:X such as cap:100".to_owned()),
            None => Err(allowed.to_owned()),
        },
        _ => Err(allowed.to_owned()),
    }
}

/// A model by its name.
///
/// # Errors
/// If there is no such model, with those that there are.
pub fn read_model(text: &str) -> std::result::Result<Structure, String> {
    match text {
        "disjoint" => Ok(Structure::Disjoint),
        "hybrid" => Ok(Structure::Hybrid),
        "shared" => Ok(Structure::Shared),
        _ => Err("use one of disjoint, hybrid, shared".to_owned()),
    }
}
