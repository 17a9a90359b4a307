//! The settings of environments as names and values: what varies among them, and short names made of that.

use serde::Serialize;
use serde_json::Value;

use super::{Arms, Context, Delay, Drift, Environment, Experiment, Hybrid, NormBound, Truth};
use super::{Categories, Gaussian, List, Table};

/// A setting: the name of its column, its value in an environment (null where there is none), and the value that goes without
/// saying.
struct Setting {
    name: &'static str,
    value: fn(&Environment) -> Value,
    usual: Option<&'static str>,
}

const fn setting(name: &'static str, value: fn(&Environment) -> Value) -> Setting {
    Setting { name, value, usual: None }
}

const fn usually(usual: &'static str, name: &'static str, value: fn(&Environment) -> Value) -> Setting {
    Setting { name, value, usual: Some(usual) }
}

/// All settings, in the order of the keys of experiment files.
const SETTINGS: [Setting; 35] = [
    setting("dimension", |e| e.dimension.into()),
    setting("arms", |e| e.arms.kind().name().into()),
    setting("count", |e| e.arms.count().into()),
    usually("run", "redraw", |e| e.arms.redraw().map_or(Value::Null, named)),
    setting("shared", |e| of_hybrid(e, |hybrid| hybrid.shared.into())),
    setting("own", |e| of_hybrid(e, |hybrid| hybrid.own.into())),
    usually("common", "context", |e| {
        of_hybrid(e, |hybrid| if hybrid.context == Context::Each { "each" } else { "common" }.into())
    }),
    usually("false", "written_out", |e| of_hybrid(e, |hybrid| hybrid.written_out.into())),
    setting("list", |e| match &e.arms {
        Arms::List(List { name: Some(name), .. }) => name.clone().into(),
        Arms::List(List { arms, .. }) => arms.len().to_string().into(),
        _ => Value::Null,
    }),
    setting("rates", |e| match &e.arms {
        Arms::List(List { rates, .. }) if !rates.is_empty() => true.into(),
        _ => Value::Null,
    }),
    usually("0", "correlation", |e| of_gaussian(e, |gaussian| gaussian.correlation.into())),
    usually("equal", "form", |e| of_gaussian(e, |gaussian| named(gaussian.form))),
    setting("levels", |e| of_categories(e, |categories| listed(&categories.levels))),
    setting("weights", |e| {
        of_categories(e, |categories| match &categories.weights[..] {
            [] => Value::Null,
            weights => weights.iter().map(|w| joined(w)).collect::<Vec<_>>().join("|").into(),
        })
    }),
    setting("table", |e| of_table(e, |table| table.name.clone().into())),
    setting("columns", |e| of_table(e, |table| table.columns.join(";").into())),
    usually("arms", "rows", |e| of_table(e, |table| named(table.rows))),
    usually("file", "order", |e| of_table(e, |table| named(table.order))),
    usually("norm", "scale", |e| of_table(e, |table| named(table.scale))),
    setting("kappa", |e| if let Truth::Kappa(kappa) = e.truth { kappa.into() } else { Value::Null }),
    setting("theta_norm", |e| if let Truth::ThetaNorm(norm) = e.truth { norm.into() } else { Value::Null }),
    setting("theta", |e| match &e.truth {
        Truth::Theta(theta) => listed(theta),
        _ => Value::Null,
    }),
    setting("fit", |e| if let Truth::Fitted(fitted) = &e.truth { fitted.file.clone().into() } else { Value::Null }),
    usually("exact", "norm_bound", |e| match e.norm_bound {
        NormBound::Exact => "exact".into(),
        NormBound::PlusOne => "+1".into(),
        NormBound::Value(bound) => bound.into(),
        NormBound::None => "none".into(),
    }),
    usually("none", "delay", |e| {
        let kind = match e.feedback.delay {
            Delay::None => "none",
            Delay::Fixed { .. } => "fixed",
            Delay::Geometric { .. } => "geometric",
            Delay::Batch { .. } => "batch",
        };
        kind.into()
    }),
    setting("delay_mean", |e| match e.feedback.delay {
        Delay::Fixed { mean } => (mean as f64).into(),
        Delay::Geometric { mean } => mean.into(),
        Delay::None | Delay::Batch { .. } => Value::Null,
    }),
    setting("delay_size", |e| if let Delay::Batch { size } = e.feedback.delay { size.into() } else { Value::Null }),
    usually("0", "missing", |e| e.feedback.missing.into()),
    usually("none", "drift", |e| {
        let kind = match e.drift {
            Drift::None => "none",
            Drift::Steps { .. } => "steps",
            Drift::Walk { .. } => "walk",
            Drift::Seasons { .. } => "seasons",
        };
        kind.into()
    }),
    setting("drift_rate", |e| if let Drift::Walk { rate } = e.drift { rate.into() } else { Value::Null }),
    setting("drift_rounds", |e| match e.drift {
        Drift::Steps { every: rounds } | Drift::Seasons { period: rounds } => rounds.into(),
        Drift::None | Drift::Walk { .. } => Value::Null,
    }),
    usually("logit", "link", |e| e.rewards.link.name().into()),
    setting("interactions", |e| match &e.rewards.interactions[..] {
        [] => Value::Null,
        all => joined(all).into(),
    }),
    usually("0", "noise", |e| e.rewards.noise.into()),
    usually("0", "flipped", |e| e.rewards.flipped.into()),
];

fn of_hybrid(environment: &Environment, value: fn(&Hybrid) -> Value) -> Value {
    environment.arms.hybrid().as_ref().map_or(Value::Null, value)
}

fn of_gaussian(environment: &Environment, value: fn(&Gaussian) -> Value) -> Value {
    if let Arms::Gaussian(gaussian) = &environment.arms { value(gaussian) } else { Value::Null }
}

fn of_categories(environment: &Environment, value: fn(&Categories) -> Value) -> Value {
    if let Arms::Categories(categories) = &environment.arms { value(categories) } else { Value::Null }
}

fn of_table(environment: &Environment, value: fn(&Table) -> Value) -> Value {
    if let Arms::Table(table) = &environment.arms { value(table) } else { Value::Null }
}

/// The name of a choice as files have it.
fn named(choice: impl Serialize) -> Value {
    serde_json::to_value(choice).unwrap_or(Value::Null)
}

fn listed<T: ToString>(numbers: &[T]) -> Value {
    format!("[{}]", joined(numbers)).into()
}

fn joined<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(";")
}

/// A setting that varies among the environments of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Swept {
    /// Its name: that of the key, with the table before it where the key alone would say too little (`delay_mean`).
    pub name: &'static str,
    /// Its value in every environment; null where there is none.
    pub values: Vec<Value>,
}

/// Short names of environments, and what all of them have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortNames {
    /// Settings that all share; empty if names are not shortened.
    pub common: String,
    /// A name for every environment: its label, or what varies.
    pub names: Vec<String>,
}

impl Experiment {
    /// The settings that vary among the environments.
    pub fn swept(&self) -> Vec<Swept> {
        let values = |setting: &Setting| self.environments.iter().map(setting.value).collect::<Vec<Value>>();
        let all = SETTINGS.iter().map(|setting| Swept { name: setting.name, values: values(setting) });
        all.filter(|swept| swept.values.iter().any(|value| *value != swept.values[0])).collect()
    }

    /// Names for reports: the labels that the user has given, and otherwise only what varies, such as `kappa=50`. One
    /// environment alone has its whole name.
    pub fn short_names(&self) -> ShortNames {
        let swept = self.swept();
        let part = |swept: &Swept, i: usize| shown(&swept.values[i]).map(|value| format!("{}={value}", swept.name));
        let short = |(i, environment): (usize, &Environment)| {
            let parts = || swept.iter().filter_map(|swept| part(swept, i)).collect::<Vec<_>>().join(" ");
            environment.label.clone().unwrap_or_else(parts)
        };
        let names: Vec<String> = self.environments.iter().enumerate().map(short).collect();
        let mut different = names.clone();
        different.sort_unstable();
        different.dedup();
        if different.len() < names.len() || different.iter().any(String::is_empty) {
            let names = self.environments.iter().map(ToString::to_string).collect();
            return ShortNames { common: String::new(), names };
        }
        ShortNames { common: self.common(), names }
    }

    /// The settings that all environments share, but for those that go without saying.
    fn common(&self) -> String {
        let Some(first) = self.environments.first() else { return String::new() };
        let is_shared = |setting: &&Setting| {
            let value = (setting.value)(first);
            self.environments.iter().all(|environment| (setting.value)(environment) == value)
        };
        let part = |setting: &Setting| {
            let value = shown(&(setting.value)(first)).filter(|value| Some(value.as_str()) != setting.usual)?;
            Some(format!("{}={value}", setting.name))
        };
        SETTINGS.iter().filter(is_shared).filter_map(part).collect::<Vec<_>>().join(" ")
    }
}

/// The value of a setting of an environment by its name, as text; an error lists the settings that it has.
pub(super) fn value_of(environment: &Environment, name: &str) -> Result<String, Vec<&'static str>> {
    let value = |setting: &Setting| shown(&(setting.value)(environment));
    let found = SETTINGS.iter().find(|setting| setting.name == name).and_then(value);
    found.ok_or_else(|| SETTINGS.iter().filter(|setting| value(setting).is_some()).map(|s| s.name).collect())
}

/// As people write it: 50, not 50.0.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())),
        other => Some(other.to_string()),
    }
}

/// The values of a setting as a column of one type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SweptColumn {
    Whole(Vec<Option<u64>>),
    Number(Vec<Option<f64>>),
    Truth(Vec<Option<bool>>),
    /// Empty where there is none.
    Text(Vec<String>),
}

impl Swept {
    /// The narrowest type that has room for all values.
    pub(crate) fn column(&self) -> SweptColumn {
        let all = |fits: fn(&Value) -> bool| self.values.iter().all(|value| value.is_null() || fits(value));
        if all(Value::is_u64) {
            SweptColumn::Whole(self.values.iter().map(Value::as_u64).collect())
        } else if all(Value::is_number) {
            SweptColumn::Number(self.values.iter().map(Value::as_f64).collect())
        } else if all(Value::is_boolean) {
            SweptColumn::Truth(self.values.iter().map(Value::as_bool).collect())
        } else {
            SweptColumn::Text(self.values.iter().map(|value| shown(value).unwrap_or_default()).collect())
        }
    }
}
