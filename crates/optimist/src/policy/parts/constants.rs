//! Which constants a policy uses.

use serde::{Deserialize, Serialize};

/// Whose constants a policy uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Constants {
    /// Those of this crate: proved where a guarantee is claimed, practical otherwise.
    #[default]
    Ours,
    /// Those of the paper, as printed.
    Published,
}
