//! How many distinct arms a policy keeps: the option `memory`.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::error::{Result, check_number};

/// Rows per feature that are kept unless the caller says otherwise. With fewer the sets become wider, with more a round takes
/// longer; docs/sets.md has the figures.
const ROWS_PER_FEATURE: usize = 200;

/// How many distinct arms are kept before old ones are consolidated
/// ([`Belief::with_memory`](crate::Belief::with_memory)).
///
/// Written as `"auto"`, a number, or `null`; `"all"` is `null` where there is no such word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Memory {
    /// 200 per feature.
    Auto,
    /// So many.
    Rows(u64),
    /// All of them.
    #[default]
    All,
}

impl Memory {
    /// The number of rows for arms with `dimension` features; none if all are kept.
    pub fn rows(self, dimension: usize) -> Option<usize> {
        match self {
            Self::Auto => Some(ROWS_PER_FEATURE * dimension),
            Self::Rows(rows) => Some(usize::try_from(rows).unwrap_or(usize::MAX)),
            Self::All => None,
        }
    }

    pub(super) fn validate(self) -> Result<()> {
        match self {
            Self::Rows(rows) => check_number("memory", rows as f64, rows > 0, "\"auto\", at least 1, or null"),
            Self::Auto | Self::All => Ok(()),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("\"auto\""),
            Self::Rows(rows) => rows.fmt(f),
            Self::All => f.write_str("null"),
        }
    }
}

impl Serialize for Memory {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Rows(rows) => serializer.serialize_u64(*rows),
            Self::All => serializer.serialize_unit(),
        }
    }
}

impl<'de> Deserialize<'de> for Memory {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Written)
    }
}

/// Reads any of the three forms.
struct Written;

impl Visitor<'_> for Written {
    type Value = Memory;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"auto\", a number of rows, \"all\" or null")
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> std::result::Result<Memory, E> {
        match word {
            "auto" => Ok(Memory::Auto),
            "all" => Ok(Memory::All),
            other => Err(E::invalid_value(serde::de::Unexpected::Str(other), &self)),
        }
    }

    fn visit_u64<E: serde::de::Error>(self, rows: u64) -> std::result::Result<Memory, E> {
        Ok(Memory::Rows(rows))
    }

    fn visit_unit<E: serde::de::Error>(self) -> std::result::Result<Memory, E> {
        Ok(Memory::All)
    }

    fn visit_none<E: serde::de::Error>(self) -> std::result::Result<Memory, E> {
        Ok(Memory::All)
    }
}
