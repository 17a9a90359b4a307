//! Options that belong to no rule but to how a rule is used.

use serde::{Deserialize, Serialize};

use super::memory::Memory;
use super::rule::{Options, Rule};
use crate::error::{Error, Result, check_number};

/// Where intervals come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certify {
    /// The mixture set over all observations, which holds whatever rule chooses the arms.
    Mixture,
    /// The policy's own set, if that promises anything.
    Own,
    /// Nowhere.
    Off,
}

/// Options that policies share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// Where intervals come from.
    pub certify: Certify,
    /// Whether arms of a fixed list are dropped once they are certified worse than another.
    pub eliminate: bool,
    /// How many distinct arms are kept.
    pub memory: Memory,
    /// The share of rounds in which an arm of a list is drawn at random, all alike.
    pub explore: f64,
}

impl Common {
    /// The defaults of a rule.
    pub fn of<R: Rule>() -> Self {
        let memory = if R::CONSOLIDATES { Memory::Auto } else { Memory::All };
        Self { certify: R::CERTIFY, eliminate: R::ELIMINATE, memory, explore: 0.0 }
    }

    /// The defaults of a rule with these options and so many features.
    pub fn with<R: Rule>(options: &R::Options, dimension: usize) -> Self {
        match options.uncertified(dimension) {
            Some(_) if R::CERTIFY == Certify::Mixture => {
                Self { certify: Certify::Off, eliminate: false, memory: Memory::All, explore: 0.0 }
            }
            _ => Self::of::<R>(),
        }
    }

    pub(super) fn validate<R: Rule>(&self, options: &R::Options, dimension: usize) -> Result<()> {
        self.memory.validate()?;
        check_number("explore", self.explore, (0.0..=1.0).contains(&self.explore), "between 0 and 1")?;
        if self.eliminate && self.certify != Certify::Mixture {
            let what = "is true: it needs certify = \"mixture\"".into();
            return Err(Error::Option { field: "eliminate".into(), what });
        }
        if self.certify != Certify::Mixture {
            return Ok(());
        }
        let what = if !R::INFO.uses_history {
            format!("is \"mixture\": \"{}\" does not remember its observations; use \"own\"", R::INFO.name)
        } else if let Some(why) = options.uncertified(dimension) {
            format!("is \"mixture\", but {why}; use \"off\"")
        } else {
            return Ok(());
        };
        Err(Error::Option { field: "certify".into(), what })
    }
}
