//! How theta* moves in the course of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How theta* moves. Its norm stays, so that a bound on it stays true; only its direction changes.
///
/// If the arms have parameters of their own, every part of theta* (the shared one and that of each arm) moves by itself.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Drift {
    /// Not at all.
    #[default]
    None,
    /// A new direction, drawn uniformly, every so many rounds.
    Steps {
        /// The number of rounds from one direction to the next.
        every: usize,
    },
    /// A random walk on the sphere: along a great circle in a random direction, every round.
    Walk {
        /// The angle of a round's step in radians, in root mean square.
        rate: f64,
    },
    /// From the first direction to one perpendicular to it, and back, again and again.
    Seasons {
        /// The number of rounds until theta* is back.
        period: usize,
    },
}

impl Drift {
    /// Whether theta* stays.
    pub(crate) fn is_none(&self) -> bool {
        *self == Drift::None
    }

    /// Whether it turns by angles, for which a line has no room.
    pub(crate) fn turns(self) -> bool {
        matches!(self, Drift::Walk { .. } | Drift::Seasons { .. })
    }
}

/// `steps(2000)`, `walk(0.01)`, `seasons(500)`.
impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Drift::None => write!(f, "none"),
            Drift::Steps { every } => write!(f, "steps({every})"),
            Drift::Walk { rate } => write!(f, "walk({rate})"),
            Drift::Seasons { period } => write!(f, "seasons({period})"),
        }
    }
}
