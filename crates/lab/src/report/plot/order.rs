//! What is to be drawn, and how.

use super::keys::{PLOT_KEYS, PlotKey};
use crate::error::{Error, Result};
use crate::figure::{Format, Style};
use crate::input::suggest;

/// A kind of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Final regret against the number that differs between environments.
    Sweep,
    /// Regret against rounds, a figure an environment.
    Regret,
}

/// Figures to draw. As it is by default, it is what `optimist plot` draws if nothing is said.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotOrder {
    /// What they show and how they look.
    pub style: Style,
    /// The formats of the files.
    pub formats: Vec<Format>,
    /// Pixels an inch of PNG.
    pub dpi: Option<f64>,
    /// The kinds of figures.
    pub kinds: Vec<Kind>,
    /// Whether all environments are panels of one figure.
    pub panels: bool,
}

impl Default for PlotOrder {
    fn default() -> Self {
        let formats = vec![Format::Svg, Format::Png];
        let kinds = vec![Kind::Sweep, Kind::Regret];
        Self { style: Style::default(), formats, dpi: None, kinds, panels: false }
    }
}

impl PlotOrder {
    /// Sets a key as a style file or an option has it.
    ///
    /// # Errors
    /// If there is no such key, or it cannot have these values; the text names the key, the value and what is allowed.
    pub fn set(&mut self, key: &str, values: &[String]) -> Result<()> {
        let name = key.replace('_', "-");
        let Some(key) = PLOT_KEYS.iter().find(|known| known.name == name) else {
            let names: Vec<&str> = PLOT_KEYS.iter().map(|key| key.name).collect();
            return Err(Error::input(format!("{key} is not a key: {}", suggest(key, &names))));
        };
        self.set_known(key, values)
    }

    fn set_known(&mut self, key: &PlotKey, values: &[String]) -> Result<()> {
        if !key.many && values.len() != 1 {
            return Err(Error::input(format!("{} has {} values: give one", key.name, values.len())));
        }
        if values.is_empty() {
            return Err(Error::input(format!("{} has no value: give one, or leave the key out", key.name)));
        }
        for value in values {
            let allowed: Vec<&str> = key.choices.iter().map(|(name, _)| *name).collect();
            if !allowed.is_empty() && !allowed.contains(&value.as_str()) {
                return Err(Error::input(format!("{} is {value:?}: {}", key.name, suggest(value, &allowed))));
            }
        }
        (key.set)(self, values).map_err(|why| {
            let values = values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(", ");
            Error::input(format!("{} is {values}: {why}", key.name))
        })
    }
}
