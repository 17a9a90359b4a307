//! The features of a context or an action, flattened and with distinct names.

use std::collections::HashMap;

use crate::Cell;
use crate::json::{Json, push_name};
use crate::words::Words;

/// Named values in the order of the file. Names of namespaces and features are joined by dots: `User.age`.
pub type Features = Vec<(String, Cell)>;

/// The features of one object, with distinct names.
pub(super) fn features(value: Json, words: &Words) -> Result<Features, String> {
    let mut collected = Collected { features: Vec::new(), times: HashMap::new(), words };
    match value {
        Json::Object(_) => collected.add(&mut String::new(), value)?,
        // An outcome may be a bare number.
        value => collected.add(&mut "v".to_owned(), value)?,
    }
    Ok(collected.features)
}

struct Collected<'a> {
    features: Features,
    /// How often each name has come, those that were made up included.
    times: HashMap<String, usize>,
    words: &'a Words,
}

impl Collected<'_> {
    fn add(&mut self, path: &mut String, value: Json) -> Result<(), String> {
        match value {
            Json::Object(members) => {
                for (key, value) in members {
                    let length = push_name(path, &key)?;
                    self.add(path, value)?;
                    path.truncate(length);
                }
            }
            Json::List(list) if list.iter().any(|value| matches!(value, Json::Object(_))) => {
                for value in list {
                    self.add(path, value)?;
                }
            }
            value => {
                let mut name = path.clone();
                while self.times.contains_key(&name) {
                    let times = self.times.entry(path.clone()).or_insert(1);
                    *times += 1;
                    name = format!("{path}.{times}");
                }
                self.times.insert(name.clone(), 1);
                let mut cell = Cell::Missing;
                value.into_cell(self.words, &mut cell);
                self.features.push((name, cell));
            }
        }
        Ok(())
    }
}
