//! Which constants a bound has.

use serde::{Deserialize, Serialize};

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
