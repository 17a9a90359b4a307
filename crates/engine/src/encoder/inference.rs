//! What kind of column values look like, where no schema was declared.

use std::collections::{BTreeMap, BTreeSet};

use super::places::level_of;
use super::time::seconds;
use crate::error::{Error, Result};
use crate::schema::{Column, Kind, MOST_LEVELS};
use crate::value::{Features, Value};

/// Different texts up to which a column is read as a category.
const FEW: usize = 64;
/// Different texts below which it is, however few rows there are.
const VERY_FEW: usize = 12;

/// The type that each column has had so far.
#[derive(Debug, Default)]
pub(crate) struct Types<'a>(BTreeMap<&'a str, &'a Value>);

impl<'a> Types<'a> {
    pub(crate) fn of(seen: impl Iterator<Item = &'a Features>) -> Self {
        let mut types = BTreeMap::new();
        for (name, value) in seen.flat_map(Features::iter).filter(|(_, value)| **value != Value::Missing) {
            types.entry(name).or_insert(value);
        }
        Self(types)
    }

    /// Checks that a context has the types of those before it, and that its numbers are finite.
    pub(crate) fn check(&self, features: &Features) -> Result<()> {
        let mut names = BTreeSet::new();
        for (name, value) in features.iter() {
            if !names.insert(name) {
                return Err(Error::column(name, "is there twice"));
            }
            crate::schema::validate(&[Column::new(name, Kind::Boolean)])?;
            let wrong = |what: String| Err(Error::column(name, what));
            match value {
                Value::Number(v) if !v.is_finite() => return wrong(format!("is {v}: it must be a finite number")),
                Value::Vector(v) if v.is_empty() || v.len() > MOST_LEVELS => {
                    return wrong(format!("has {} numbers: there must be between 1 and {MOST_LEVELS}", v.len()));
                }
                Value::Vector(v) => {
                    if let Some(bad) = v.iter().find(|v| !v.is_finite()) {
                        return wrong(format!("holds {bad}: all must be finite numbers"));
                    }
                }
                _ => {}
            }
            match (self.0.get(name), value) {
                (None, _) | (_, Value::Missing) => {}
                (Some(Value::Vector(before)), Value::Vector(now)) if before.len() != now.len() => {
                    return wrong(format!("has {} numbers: it had {} before", now.len(), before.len()));
                }
                (Some(before), now) if before.type_name() == now.type_name() => {}
                (Some(before), now) => {
                    return wrong(format!(
                        "is {}: it was {} before; declare its kind if both are meant",
                        now.type_name(),
                        before.type_name()
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The columns that contexts look like, in the order in which they first appear. A column that was always missing is none yet.
pub(crate) fn infer(seen: &[Features]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for (name, value) in seen.iter().flat_map(Features::iter).filter(|(_, value)| **value != Value::Missing) {
        if columns.iter().all(|column| column.name != name) {
            columns.push(Column::new(name, kind(value, seen.iter().filter_map(|features| features.get(name)))));
        }
    }
    columns
}

fn kind<'a>(first: &Value, values: impl Iterator<Item = &'a Value> + Clone) -> Kind {
    match first {
        Value::Bool(_) => Kind::Boolean,
        Value::Number(_) | Value::Missing => Kind::number(),
        Value::Vector(v) => Kind::vector(v.len()),
        Value::Text(_) => {
            let texts: Vec<String> = values.filter_map(level_of).collect();
            // Every moment is another text: as levels they would teach nothing.
            if texts.iter().all(|text| seconds(text).is_some()) {
                return Kind::time();
            }
            let distinct = texts.iter().collect::<BTreeSet<_>>().len();
            let wordy = texts.iter().filter(|text| text.split_whitespace().count() >= 3).count();
            if 2 * wordy > texts.len() && distinct > VERY_FEW {
                Kind::text()
            } else if distinct <= VERY_FEW || (distinct <= FEW && 2 * distinct <= texts.len()) {
                Kind::category()
            } else {
                Kind::hashed()
            }
        }
    }
}
