//! Keywords become settings.

use optimist_engine::{Action, Features, Settings};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use serde_json::{Map, Value as Json};

use super::columns;
use super::values::{Nan, mapping_of};
use crate::errors::{Fault, Result};
use crate::json;

/// The settings that a constructor was given.
pub(super) fn settings(
    actions: Option<&Bound<'_, PyAny>>,
    context: Option<&Bound<'_, PyAny>>,
    named: &[(&str, Option<&Bound<'_, PyAny>>)],
    others: Option<&Bound<'_, PyDict>>,
) -> Result<Settings> {
    let mut map = Map::new();
    for (name, value) in named {
        if let Some(value) = value {
            map.insert((*name).into(), json::read(value, name)?);
        }
    }
    let mut action_columns = None;
    for (name, value) in others.into_iter().flat_map(|others| others.iter()) {
        let name: String = name.extract()?;
        if name == "action_columns" {
            action_columns = (!value.is_none()).then(|| columns::columns(&value, &name)).transpose()?;
            continue;
        }
        map.insert(name.clone(), json::read(&value, &name)?);
    }
    check_names(&map)?;
    let mut settings = parse(map)?;
    settings.actions = actions.map(list).transpose()?.unwrap_or_default();
    settings.context = context.map(|context| columns::columns(context, "context")).transpose()?;
    settings.action_columns = action_columns;
    Ok(settings)
}

/// Every name must be one of a setting. The names are those of the settings themselves, so that there is no second list.
fn check_names(map: &Map<String, Json>) -> Result<()> {
    let Ok(Json::Object(known)) = serde_json::to_value(Settings::default()) else { return Ok(()) };
    let Some(wrong) = map.keys().find(|name| !known.contains_key(*name)) else { return Ok(()) };
    let distance = |name: &&String| strsim::damerau_levenshtein(name, wrong);
    let nearest = known.keys().min_by_key(distance).filter(|name| distance(name) <= name.len().max(3) / 3);
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    let remedy = match nearest {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => format!("settings are {}", names.join(", ")),
    };
    Err(Fault::option(format!("{wrong} is no setting: {remedy} (options of the policy go into options={{...}})")))
}

/// A wrong value is found again by itself, so that the error can say which one it is.
fn parse(map: Map<String, Json>) -> Result<Settings> {
    let alone = |name: &String, value: &Json| Json::Object(Map::from_iter([(name.clone(), value.clone())]));
    for (name, value) in &map {
        serde_json::from_value::<Settings>(alone(name, value)).map_err(|e| Fault::option(format!("{name}: {e}")))?;
    }
    serde_json::from_value(Json::Object(map)).map_err(|e| Fault::option(e.to_string()))
}

/// Actions: names, dicts with a name and features, or one dict from names to features.
fn list(value: &Bound<'_, PyAny>) -> Result<Vec<Action>> {
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let pair = |pair: Bound<'_, PyAny>| {
            let (name, features): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            action(&name, Some(&features).filter(|features| !features.is_none()))
        };
        return mapping.items()?.iter().map(pair).collect();
    }
    let kind = value.get_type().name()?;
    let Some(items) = value.try_iter().ok().filter(|_| !value.is_instance_of::<PyString>()) else {
        return Err(Fault::input(format!(
            "actions is a {kind}: give a list of names, or a dict from names to features"
        )));
    };
    items.map(|item| action(&item?, None)).collect()
}

/// An action: its name, or a dict that holds name and features.
pub(super) fn action(value: &Bound<'_, PyAny>, features: Option<&Bound<'_, PyAny>>) -> Result<Action> {
    if let Ok(name) = value.extract::<String>() {
        let features = features.map(|features| features_of(features, &name)).transpose()?;
        return Ok(Action::new(name, features.unwrap_or_default()));
    }
    let wrong = || -> Fault {
        let text = value.repr().map_or_else(|_| "something else".into(), |text| text.to_string());
        Fault::input(format!("an action is {text}: give its name as a text, or a dict with \"name\" and \"features\""))
    };
    let mapping = value.cast::<PyMapping>().map_err(|_| wrong())?;
    for key in mapping.keys()?.iter() {
        if !["name", "features"].contains(&&*key.extract::<String>().map_err(|_| wrong())?) {
            return Err(wrong());
        }
    }
    let name: String = mapping.get_item("name").ok().and_then(|name| name.extract().ok()).ok_or_else(wrong)?;
    let features = mapping.get_item("features").ok().filter(|features| !features.is_none());
    let features = features.map(|features| features_of(&features, &name)).transpose()?;
    Ok(Action::new(name, features.unwrap_or_default()))
}

fn features_of(features: &Bound<'_, PyAny>, action: &str) -> Result<Features> {
    let place = format!("action \"{action}\"");
    match features.cast::<PyMapping>() {
        Ok(mapping) => mapping_of(mapping, Nan::Refused).map_err(|fault| fault.at(features.py(), &place)),
        Err(_) => {
            let kind = features.get_type().name()?;
            Err(Fault::input(format!("{place} has features that are a {kind}: give a dict of names and values")))
        }
    }
}
