//! Columns become coordinates: which there are, what each is called, and what a context is in them.

mod inference;
mod moments;
mod places;
mod seen;
mod time;

pub(crate) use inference::{Types, infer};
use serde::{Deserialize, Serialize};

use self::places::Places;
use crate::error::{Error, Result, known_names};
use crate::schema::{Column, Missing};
use crate::value::{Features, Value};

/// The encoder of one side, contexts or actions: all that it decided, to be stored with the model.
///
/// Coordinates are numbered in the order in which they came to be; none ever changes its number or its meaning.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Encoder {
    columns: Vec<Encoded>,
    /// What each coordinate is called.
    names: Vec<String>,
}

/// A column and where its values go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Encoded {
    column: Column,
    places: Places,
    /// The coordinate that says that the value is missing, once there was need for one.
    flag: Option<u32>,
}

/// A coordinate that a context needs and that is not there yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Need {
    /// Of the column with this number: a level.
    Level(usize, String),
    /// Of the column with this number: the place that all further levels share.
    Other(usize),
    /// Of the column with this number: the flag of a missing value.
    Flag(usize),
}

impl Encoder {
    /// Columns with what the values seen so far say of them.
    pub(crate) fn new(columns: &[Column], seen: &[Features]) -> Self {
        let mut this = Self::default();
        columns.iter().for_each(|column| this.add(column, seen));
        this
    }

    /// One more column; values of it that were already seen say what is usual.
    pub(crate) fn add(&mut self, column: &Column, seen: &[Features]) {
        let values = || seen.iter().filter_map(|features| features.get(&column.name));
        let places = Places::new(column, values(), &mut self.names);
        self.columns.push(Encoded { column: column.clone(), places, flag: None });
    }

    pub(crate) fn dimension(&self) -> usize {
        self.names.len()
    }

    /// What each coordinate is called.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns as declared.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &Column> + Clone {
        self.columns.iter().map(|encoded| &encoded.column)
    }

    /// The number of the column with this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.columns().position(|column| column.name == name)
    }

    /// The coordinates of a column.
    pub(crate) fn coordinates(&self, column: usize) -> Vec<u32> {
        let Encoded { places, flag, .. } = &self.columns[column];
        places.coordinates().into_iter().chain(*flag).collect()
    }

    /// Checks that every value has the right name and the right type.
    pub(crate) fn check(&self, features: &Features) -> Result<()> {
        let mut found = 0;
        for (i, Encoded { column, places, .. }) in self.columns.iter().enumerate() {
            let value = features.get_near(i, &column.name);
            found += usize::from(value.is_some());
            let known = places.check(value).map_err(|what| Error::column(&column.name, what))?;
            if !known && column.missing == Missing::Refuse {
                return Err(Error::column(&column.name, "is missing, which its rule does not allow"));
            }
        }
        if found == features.len() { Ok(()) } else { self.check_names(features) }
    }

    /// There are more values than columns have: those that say nothing may be called anything, because a column that was always
    /// null in the warm-up is not known by its name.
    fn check_names(&self, features: &Features) -> Result<()> {
        let mut names = std::collections::BTreeSet::new();
        for (name, value) in features.iter() {
            if *value != Value::Missing && self.position(name).is_none() {
                let names = self.columns().map(|column| column.name.as_str());
                let remedy = known_names(name, names);
                return Err(Error::column(
                    name,
                    format!("is not in the schema: {remedy} (a new one is declared by add_column)"),
                ));
            }
            if !names.insert(name) {
                return Err(Error::column(name, "is there twice"));
            }
        }
        Ok(())
    }

    /// The coordinates that a context needs beyond those that there are. Empty, and nothing is allocated, for most.
    pub(crate) fn needs(&self, features: &Features) -> Vec<Need> {
        let mut needs = Vec::new();
        for (i, Encoded { column, places, flag }) in self.columns.iter().enumerate() {
            let value = features.get_near(i, &column.name);
            if places.is_missing(value) {
                if flag.is_none() && column.missing == Missing::Flag {
                    needs.push(Need::Flag(i));
                }
            } else {
                needs.extend(places.need(i, value));
            }
        }
        needs
    }

    /// Makes the coordinates; says which columns they belong to.
    pub(crate) fn grow(&mut self, needs: Vec<Need>) -> Vec<usize> {
        let mut grown = Vec::new();
        for need in needs {
            let at = self.names.len() as u32;
            let (Need::Flag(i) | Need::Level(i, _) | Need::Other(i)) = need;
            let Encoded { column, places, flag } = &mut self.columns[i];
            self.names.push(match need {
                Need::Flag(_) => {
                    *flag = Some(at);
                    format!("{} is missing", column.name)
                }
                Need::Level(_, level) => {
                    let name = format!("{}={level}", column.name);
                    places.add_level(level, at);
                    name
                }
                Need::Other(_) => {
                    places.add_other(at);
                    format!("{} is another", column.name)
                }
            });
            grown.push(i);
        }
        grown
    }

    /// Notes what has been seen, for the share of collisions.
    pub(crate) fn note(&mut self, features: &Features) {
        for (i, Encoded { column, places, .. }) in self.columns.iter_mut().enumerate() {
            places.note(features.get_near(i, &column.name));
        }
    }

    /// Writes the coordinates of a context that was checked.
    pub(crate) fn encode(&self, features: &Features, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.dimension(), 0.0);
        for (i, Encoded { column, places, flag }) in self.columns.iter().enumerate() {
            let value = features.get_near(i, &column.name);
            if places.is_missing(value) {
                if let Some(flag) = flag {
                    out[*flag as usize] = 1.0;
                }
            } else {
                places.encode(value, out);
            }
        }
    }

    /// Whether a number of a context was cut: it is then not written as what it is.
    pub(crate) fn is_cut(&self, encoded: &[f64]) -> bool {
        self.columns.iter().any(|column| column.places.is_cut(encoded))
    }

    /// The largest that the square of the norm of a context's coordinates can be.
    pub(crate) fn largest_square_norm(&self) -> f64 {
        self.columns.iter().map(|encoded| encoded.places.largest_square_norm()).sum()
    }

    /// The square of the norm that the coordinates of a usual context have.
    pub(crate) fn usual_square_norm(&self) -> f64 {
        self.columns.iter().map(|encoded| encoded.places.usual_square_norm()).sum()
    }

    /// Everything that was decided, a sentence per column.
    pub(crate) fn describe(&self) -> Vec<String> {
        let sentence = |encoded: &Encoded| {
            let Encoded { column, places, flag } = encoded;
            let missing = match (column.missing, flag) {
                (Missing::Flag, Some(_)) => "; missing values are flagged",
                (Missing::Flag, None) => "; a missing value would be flagged",
                (Missing::Middle, _) => "; a missing value counts as the middle",
                (Missing::Refuse, _) => "; a missing value is refused",
            };
            format!("{} ({}): {}{missing}", column.name, column.kind.name(), places.describe())
        };
        self.columns.iter().map(sentence).collect()
    }

    /// Checks a stored state: every coordinate belongs to one place.
    pub(crate) fn is_sound(&self) -> bool {
        if !self.columns.iter().all(|encoded| encoded.places.is_sound(self.dimension())) {
            return false;
        }
        let mut places: Vec<u32> = (0..self.columns.len()).flat_map(|i| self.coordinates(i)).collect();
        places.sort_unstable();
        places.len() == self.dimension() && places.iter().enumerate().all(|(i, place)| i == *place as usize)
    }
}
