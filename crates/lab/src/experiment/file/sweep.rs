//! Sweeps: a table with lists in it becomes one table for every combination.

use toml::{Table, Value};

use super::keys;
use super::kind::Kind;
use crate::error::{Error, Result};

/// Environments of an experiment: more are surely a mistake.
const MOST: usize = 1_000;

/// All combinations of the keys that are lists, the first key written varying slowest.
pub(super) fn expand(path: &str, table: &Table) -> Result<Vec<Table>> {
    let alternatives = |(name, value): (&String, &Value)| {
        let values = values(&format!("{path}.{name}"), value)?;
        Ok((name.clone(), values))
    };
    let alternatives: Vec<(String, Vec<Value>)> = table.iter().map(alternatives).collect::<Result<_>>()?;
    let count = alternatives.iter().try_fold(1_usize, |count, (_, values)| count.checked_mul(values.len()));
    if count.is_none_or(|count| count > MOST) {
        return Err(Error::input(format!("{path} has more than {MOST} combinations of its lists: shorten them")));
    }
    Ok(alternatives.iter().fold(vec![Table::new()], |tables, (name, values)| {
        tables.iter().flat_map(|table| values.iter().map(|value| with(table, name, value))).collect()
    }))
}

fn with(table: &Table, name: &str, value: &Value) -> Table {
    let mut table = table.clone();
    table.insert(name.to_owned(), value.clone());
    table
}

/// What stands for one key: its value, or the items of its list, each with its own lists expanded.
fn values(path: &str, value: &Value) -> Result<Vec<Value>> {
    let key = keys::find(path);
    match value {
        Value::Array(items) if key.is_some_and(|key| key.sweep && is_list_of(key.kind, items)) => {
            if items.is_empty() {
                return Err(Error::input(format!("{path} is an empty list: give at least one value")));
            }
            let lists: Vec<Vec<Value>> = items.iter().map(|item| single(path, item)).collect::<Result<_>>()?;
            Ok(lists.into_iter().flatten().collect())
        }
        _ => single(path, value),
    }
}

fn single(path: &str, value: &Value) -> Result<Vec<Value>> {
    match value {
        Value::Table(table) => Ok(expand(path, table)?.into_iter().map(Value::Table).collect()),
        other => Ok(vec![other.clone()]),
    }
}

/// Whether a list holds values of this kind, and is not such a value itself.
fn is_list_of(kind: Kind, items: &[Value]) -> bool {
    match kind {
        Kind::Vector => items.iter().any(Value::is_array),
        Kind::VectorOrTable(_) => items.iter().any(|item| item.is_array() || item.is_table()),
        _ => true,
    }
}
