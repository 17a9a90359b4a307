//! Options as callers write them: one JSON object with a policy's own options and those that all policies share.

use serde_json::{Map, Value};

use super::Policy;
use super::agent::Agent;
use super::common::{Certify, Common};
use super::memory::Memory;
use super::rule::Rule;
use crate::error::{Error, Result, suggestion};
use crate::problem::Problem;

/// Own and shared options in one object.
pub(super) fn to_value<R: Rule>(options: &R::Options, common: Common) -> Result<Value> {
    let failed = |e: serde_json::Error| Error::Option { field: R::INFO.name.into(), what: e.to_string() };
    let mut value = serde_json::to_value(options).map_err(failed)?;
    if let (Value::Object(own), Value::Object(shared)) = (&mut value, serde_json::to_value(common).map_err(failed)?) {
        own.extend(shared.into_iter().filter(|(name, _)| R::INFO.uses_history || name == "explore"));
    }
    Ok(value)
}

/// All options with their defaults.
pub(super) fn default_options<R: Rule>() -> Value {
    to_value::<R>(&R::Options::default(), Common::of::<R>()).unwrap_or_default()
}

/// Splits the shared options off and builds the policy.
pub(super) fn build<R: Rule>(problem: &Problem, options: &Value) -> Result<Box<dyn Policy>> {
    let mut own = match options {
        Value::Null => Map::new(),
        Value::Object(map) => map.clone(),
        other => return Err(wrong_option::<R>(format!("expected an object, got {other}"))),
    };
    check_each_option::<R>(&own)?;
    let [certify, eliminate, memory, explore] =
        ["certify", "eliminate", "memory", "explore"].map(|name| own.remove(name));
    let options: R::Options = read::<R, _>(Value::Object(own))?;
    let mut common = Common::with::<R>(&options, problem.dimension);
    if let Some(value) = certify {
        common.certify = read::<R, _>(value)?;
        // What is dropped by default is not dropped without the set that proves it.
        common.eliminate &= common.certify == Certify::Mixture;
    }
    if let Some(value) = eliminate {
        common.eliminate = read::<R, _>(value)?;
    }
    if let Some(value) = memory {
        common.memory = read::<R, _>(value)?;
    }
    if let Some(value) = explore {
        common.explore = read::<R, _>(value)?;
    }
    Ok(Box::new(Agent::<R>::new(problem, &options, common)?))
}

/// Reads every option by itself, among defaults, so that an error can name it.
fn check_each_option<R: Rule>(given: &Map<String, Value>) -> Result<()> {
    for (name, value) in given {
        let Some(info) = R::INFO.all_options().find(|info| info.name == name) else {
            let known: Vec<&str> = R::INFO.all_options().map(|info| info.name).collect();
            let near = suggestion(name, &known);
            let known = if known.is_empty() { "there are none".into() } else { format!("it has {}", known.join(", ")) };
            return Err(wrong_option::<R>(format!("\"{name}\" is not an option of this policy{near}; {known}")));
        };
        let sound = match name.as_str() {
            "certify" => serde_json::from_value::<Certify>(value.clone()).is_ok(),
            "eliminate" => value.is_boolean(),
            "explore" => value.is_number(),
            "memory" => serde_json::from_value::<Memory>(value.clone()).is_ok(),
            _ => {
                let alone = Map::from_iter([(name.clone(), value.clone())]);
                serde_json::from_value::<R::Options>(Value::Object(alone)).is_ok()
            }
        };
        if !sound {
            return Err(wrong_option::<R>(format!("{name} is {value}, which it cannot be. {name}: {}", info.help)));
        }
    }
    Ok(())
}

fn read<R: Rule, T: serde::de::DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|e| wrong_option::<R>(e.to_string()))
}

fn wrong_option<R: Rule>(what: String) -> Error {
    Error::Option { field: format!("options of \"{}\"", R::INFO.name), what }
}
