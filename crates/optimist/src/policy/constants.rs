//! Which constants a bound has.

use serde::{Deserialize, Serialize};

use super::rule::Options;
use crate::error::Result;

/// Which constants a bound has, where ours differ from the published ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Constants {
    /// Those of this library, by default: the sharpest that are proved, or where nothing is claimed those that work.
    #[default]
    Ours,
    /// Those of the paper.
    Published,
}

/// Options of policies that have a choice of constants and no other.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConstantsOptions {
    /// Which constants the set has.
    pub constants: Constants,
}

impl Options for ConstantsOptions {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}
