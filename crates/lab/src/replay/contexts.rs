//! Contexts by column: eight bytes per number, four per level, so that a table fits into memory that fits its file.

use std::collections::HashMap;

use optimist_engine::{Column, Features, Kind, Value};

use crate::error::{Error, Result};

/// The contexts of all rows. Each is made into [`Features`] when it is asked for.
#[derive(Debug, Clone, Default)]
pub struct Contexts {
    columns: Vec<Stored>,
    rows: usize,
}

#[derive(Debug, Clone)]
struct Stored {
    name: String,
    values: Values,
}

#[derive(Debug, Clone)]
enum Values {
    /// NaN where it is missing.
    Numbers(Vec<f64>),
    /// Numbers of levels, and what they are called.
    Levels {
        places: Vec<u32>,
        names: Vec<String>,
        known: HashMap<String, u32>,
    },
    Others(Vec<Value>),
}

/// The level of a value that is missing.
const MISSING: u32 = u32::MAX;

impl Contexts {
    /// No rows yet, of contexts with these columns.
    pub fn new(columns: &[Column]) -> Self {
        let stored = |column: &Column| {
            let values = match column.kind {
                Kind::Number { .. } => Values::Numbers(Vec::new()),
                Kind::Category { .. } | Kind::Hashed { .. } => {
                    Values::Levels { places: Vec::new(), names: Vec::new(), known: HashMap::new() }
                }
                _ => Values::Others(Vec::new()),
            };
            Stored { name: column.name.clone(), values }
        };
        Self { columns: columns.iter().map(stored).collect(), rows: 0 }
    }

    /// Adds a row: a value per column, in their order; columns that are left over are missing.
    ///
    /// # Errors
    /// If a value is not of its column's kind, or there are more values than columns. Nothing is added then.
    pub fn push(&mut self, row: impl IntoIterator<Item = Value>) -> Result<()> {
        let row: Vec<Value> = row.into_iter().collect();
        if row.len() > self.columns.len() {
            return Err(Error::input(format!("a row has {} values for {} columns", row.len(), self.columns.len())));
        }
        for (column, value) in self.columns.iter().zip(&row) {
            let fits = match (&column.values, value) {
                (_, Value::Missing) | (Values::Others(_), _) => true,
                (Values::Numbers(_), Value::Number(number)) => !number.is_nan(),
                (Values::Levels { .. }, Value::Text(_)) => true,
                _ => false,
            };
            if !fits {
                let what = format!("column \"{}\" has {} in row {}", column.name, value.type_name(), self.rows + 1);
                return Err(Error::input(format!("{what}: it is stored as another kind")));
            }
        }
        let rest = std::iter::repeat(Value::Missing);
        for (column, value) in self.columns.iter_mut().zip(row.into_iter().chain(rest)) {
            column.values.push(value);
        }
        self.rows += 1;
        Ok(())
    }

    /// The context of a row; empty if there is no such row.
    pub fn get(&self, row: usize) -> Features {
        self.columns.iter().filter_map(|column| Some((column.name.as_str(), column.values.get(row)?))).collect()
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }
}

impl Values {
    fn push(&mut self, value: Value) {
        match (self, value) {
            (Values::Numbers(numbers), Value::Number(number)) => numbers.push(number),
            (Values::Numbers(numbers), _) => numbers.push(f64::NAN),
            (Values::Levels { places, names, known }, Value::Text(level)) => {
                let next = names.len() as u32;
                let place = *known.entry(level).or_insert_with_key(|level| {
                    names.push(level.clone());
                    next
                });
                places.push(place);
            }
            (Values::Levels { places, .. }, _) => places.push(MISSING),
            (Values::Others(values), value) => values.push(value),
        }
    }

    fn get(&self, row: usize) -> Option<Value> {
        Some(match self {
            Values::Numbers(numbers) => {
                let number = *numbers.get(row)?;
                if number.is_nan() { Value::Missing } else { Value::Number(number) }
            }
            Values::Levels { places, names, .. } => {
                let level = names.get(*places.get(row)? as usize);
                level.map_or(Value::Missing, |level| Value::Text(level.clone()))
            }
            Values::Others(values) => values.get(row)?.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
        let columns = [
            Column::new("age", Kind::number()),
            Column::new("city", Kind::category()),
            Column::new("member", Kind::Boolean),
        ];
        let mut contexts = Contexts::new(&columns);
        contexts.push([31.5.into(), "Kiel".into(), true.into()]).unwrap();
        contexts.push([Value::Missing, "Ulm".into(), Value::Missing]).unwrap();
        contexts.push([2.0.into()]).unwrap();
        assert!(contexts.push(["two".into()]).unwrap_err().to_string().contains("\"age\" has a text in row 4"));
        assert!(contexts.push(vec![Value::Missing; 4]).is_err());
        assert_eq!(contexts.len(), 3);
        let expected = [
            r#"{"age":31.5,"city":"Kiel","member":true}"#,
            r#"{"age":null,"city":"Ulm","member":null}"#,
            r#"{"age":2.0,"city":null,"member":null}"#,
        ];
        for (row, expected) in expected.iter().enumerate() {
            assert_eq!(serde_json::to_string(&contexts.get(row)).unwrap(), *expected);
        }
        assert!(contexts.get(3).is_empty());
    }
}
