//! Which constants a policy computes with.

use serde::{Deserialize, Serialize};

/// Which constants a policy computes with, where ours differ from the paper's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Constants {
    /// Those of this program: proved here, or found to work.
    #[default]
    Ours,
    /// Those of the paper, as printed.
    Published,
}
