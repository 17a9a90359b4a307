//! The policies of an experiment: names, options and labels.

use std::collections::HashSet;

use optimist::policy::{self, PolicyInfo};
use serde_json::{Map, Number, Value};

use super::keys;
use super::table::{Field, Table};
use crate::error::{Error, Result};
use crate::experiment::PolicySpec;
use crate::input::{Path, Value as Input, nearest, shown_text};

/// Where a policy stands in the file, for messages: tables are counted from one.
pub(super) fn place(number: usize, name: &str) -> String {
    format!("[[policy]] number {number} (\"{name}\")")
}

/// Reads all policies.
pub(super) fn read_all(field: &Field<'_, '_>) -> Result<Vec<PolicySpec>> {
    let tables = field.tables()?;
    let drafts: Vec<Draft> = tables.iter().enumerate().map(|(i, table)| read(i + 1, table)).collect::<Result<_>>()?;
    let mut labels = HashSet::new();
    drafts
        .iter()
        .map(|draft| {
            let label = draft.label.clone().unwrap_or_else(|| draft.default_label(&drafts));
            if !labels.insert(label.clone()) {
                return Err(Error::input(format!(
                    "[[policy]]: two policies are called {}; give one of them another label = \"...\"",
                    shown_text(&label)
                )));
            }
            Ok(PolicySpec { policy: draft.info.name.to_owned(), label, options: draft.options.clone() })
        })
        .collect()
}

/// A policy whose label may still depend on the others.
struct Draft {
    info: &'static PolicyInfo,
    label: Option<String>,
    options: Map<String, Value>,
}

fn read(number: usize, entries: &toml::Table) -> Result<Draft> {
    let info = find(number, entries)?;
    let at = format!("{}: ", place(number, info.name));
    let options: Vec<&'static str> = info.all_options().map(|option| option.name).collect();
    let place = Path::Place(&at);
    let table = Table::new("policy", &place, entries, &options)?;
    let label = table.get("label")?.map(|field| field.text()).transpose()?;
    let is_option = |name: &str| keys::of_table("policy").all(|key| key.name() != name);
    let option = |(name, value): (&String, &toml::Value)| match json(value) {
        Some(json) => Ok((name.clone(), json)),
        None => Err(Error::input(format!("{at}{name} is {}, which no option can be", Input::Toml(value).shown()))),
    };
    let options = entries.iter().filter(|(name, _)| is_option(name)).map(option).collect::<Result<_>>()?;
    Ok(Draft { info, label, options })
}

/// The line of the registry. This comes first: which keys the table may have depends on it.
fn find(number: usize, entries: &toml::Table) -> Result<&'static PolicyInfo> {
    let at = format!("[[policy]] number {number}: ");
    let remedy = "`optimist policies` lists all";
    let name = match entries.get("name") {
        Some(toml::Value::String(name)) => name,
        Some(other) => {
            return Err(Error::input(format!(
                "{at}name is {}: it must be a policy; {remedy}",
                Input::Toml(other).shown()
            )));
        }
        None => return Err(Error::input(format!("{at}name is missing: give a policy; {remedy}"))),
    };
    policy::info(name).map_err(|_| {
        let names: Vec<&str> = policy::names().collect();
        let what = nearest(name, &names)
            .map_or_else(|| "there is no such policy".to_owned(), |near| format!("did you mean \"{near}\"?"));
        Error::input(format!("{at}name is {}: {what} ({remedy})", shown_text(name)))
    })
}

impl Draft {
    /// The name, and those written options in which appearances of the same policy differ.
    fn default_label(&self, all: &[Draft]) -> String {
        let defaults = self.info.default_options();
        let same = || all.iter().filter(|other| other.info.name == self.info.name);
        let value = |draft: &Draft, name: &str| draft.options.get(name).or(defaults.get(name)).cloned();
        let differs = |name: &str| same().any(|other| !is_same(value(other, name), value(self, name)));
        let written = self.options.iter().filter(|(name, _)| differs(name));
        written.fold(self.info.name.to_owned(), |label, (name, value)| match value {
            Value::String(text) => format!("{label} {name}={text}"),
            other => format!("{label} {name}={other}"),
        })
    }
}

/// Whether options mean the same: 1 and 1.0 do.
fn is_same(a: Option<Value>, b: Option<Value>) -> bool {
    match (&a, &b) {
        (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

/// TOML as JSON; none for what JSON does not have. Numbers without a fraction become whole numbers, which serve as
/// either kind.
fn json(value: &toml::Value) -> Option<Value> {
    match value {
        toml::Value::String(text) => Some(Value::String(text.clone())),
        toml::Value::Boolean(truth) => Some(Value::Bool(*truth)),
        toml::Value::Integer(n) => Some(Value::from(*n)),
        toml::Value::Float(x) if x.fract() == 0.0 && x.abs() <= 9.0e15 => Some(Value::from(*x as i64)),
        toml::Value::Float(x) => Number::from_f64(*x).map(Value::Number),
        toml::Value::Array(items) => items.iter().map(json).collect(),
        toml::Value::Table(entries) => entries
            .iter()
            .map(|(name, value)| Some((name.clone(), json(value)?)))
            .collect::<Option<Map<_, _>>>()
            .map(Value::Object),
        toml::Value::Datetime(_) => None,
    }
}
