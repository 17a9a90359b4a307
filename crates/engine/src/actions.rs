//! The actions: their names, their features, and who is retired.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::encoder::{Encoder, Types, infer};
use crate::error::{Error, Result, known_names};
use crate::schema::Column;
use crate::settings::{Action, Settings};
use crate::value::Features;

/// All actions that ever were; their numbers stay with them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Actions {
    pub(crate) encoder: Encoder,
    list: Vec<Known>,
    #[serde(skip)]
    numbers: HashMap<Arc<str>, u32>,
    /// Those that are not retired.
    #[serde(skip)]
    active: Vec<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Known {
    name: Arc<str>,
    features: Features,
    retired: bool,
    #[serde(skip)]
    encoded: Vec<f64>,
    /// Whether a number was cut.
    #[serde(skip)]
    is_cut: bool,
}

impl Actions {
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        let features: Vec<Features> = settings.actions.iter().map(|action| action.features.clone()).collect();
        let columns: Vec<Column> = match &settings.action_columns {
            Some(columns) => columns.clone(),
            None => {
                for i in 0..features.len() {
                    Types::of(features[..i].iter())
                        .check(&features[i])
                        .map_err(|e| of_action(e, &settings.actions[i]))?;
                }
                infer(&features)
            }
        };
        let mut this = Self { encoder: Encoder::new(&columns, &features), ..Self::default() };
        for action in &settings.actions {
            this.check_new(action)?;
            let needs = this.encoder.needs(&action.features);
            this.encoder.grow(needs);
            this.add(action.clone());
        }
        this.refresh();
        Ok(this)
    }

    /// Whether an action can be added.
    pub(crate) fn check_new(&self, action: &Action) -> Result<()> {
        if action.name.is_empty() {
            return Err(Error::action("", "has no name: give one"));
        }
        if self.number(&action.name).is_some() {
            return Err(Error::action(&action.name, "is there already"));
        }
        self.encoder.check(&action.features).map_err(|e| of_action(e, action))
    }

    /// Adds an action that was checked, with the next number.
    pub(crate) fn add(&mut self, action: Action) -> u32 {
        let number = self.list.len() as u32;
        let (name, features) = (action.name.into(), action.features);
        let known = Known { name, features, retired: false, encoded: Vec::new(), is_cut: false };
        self.numbers.insert(known.name.clone(), number);
        self.active.push(number);
        self.list.push(known);
        self.encode(number);
        number
    }

    fn encode(&mut self, number: u32) {
        let known = &mut self.list[number as usize];
        self.encoder.encode(&known.features, &mut known.encoded);
        known.is_cut = self.encoder.is_cut(&known.encoded);
    }

    /// What follows from the rest: after a restore, and when the encoder has grown.
    pub(crate) fn refresh(&mut self) {
        self.numbers = self.list.iter().zip(0..).map(|(known, number)| (known.name.clone(), number)).collect();
        self.active = self.list.iter().zip(0..).filter(|(known, _)| !known.retired).map(|(_, number)| number).collect();
        (0..self.list.len() as u32).for_each(|number| self.encode(number));
    }

    pub(crate) fn retire(&mut self, number: u32, retired: bool) {
        self.list[number as usize].retired = retired;
        self.active = self.list.iter().zip(0..).filter(|(known, _)| !known.retired).map(|(_, number)| number).collect();
    }

    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of an action that must be there.
    pub(crate) fn find(&self, name: &str) -> Result<u32> {
        self.number(name).ok_or_else(|| {
            let names = self.list.iter().map(|known| &*known.name);
            Error::action(name, format!("is unknown: {}", known_names(name, names)))
        })
    }

    /// The same, if it is not retired.
    pub(crate) fn find_active(&self, name: &str) -> Result<u32> {
        let number = self.find(name)?;
        if self.is_retired(number) {
            return Err(Error::action(name, "is retired: bring it back before it can be chosen"));
        }
        Ok(number)
    }

    pub(crate) fn is_retired(&self, number: u32) -> bool {
        self.list[number as usize].retired
    }

    pub(crate) fn name(&self, number: u32) -> &Arc<str> {
        &self.list[number as usize].name
    }

    pub(crate) fn encoded(&self, number: u32) -> &[f64] {
        &self.list[number as usize].encoded
    }

    /// Whether a number of its features was cut.
    pub(crate) fn is_cut(&self, number: u32) -> bool {
        self.list[number as usize].is_cut
    }

    /// Those that are not retired.
    pub(crate) fn active(&self) -> &[u32] {
        &self.active
    }

    /// How many there ever were.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Checks a stored state.
    pub(crate) fn is_sound(&self) -> bool {
        let fits = |known: &Known| self.encoder.check(&known.features).is_ok();
        self.encoder.is_sound() && self.list.iter().all(fits) && self.list.len() <= u32::MAX as usize
    }
}

fn of_action(error: Error, action: &Action) -> Error {
    match error {
        Error::Column { column, what } => {
            Error::action(&action.name, format!("has the feature \"{column}\", which {what}"))
        }
        error => error,
    }
}
