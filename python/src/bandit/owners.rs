//! Who the arms are, where they have parameters of their own.

use pyo3::prelude::*;

use super::whole;
use crate::arrays::Table;
use crate::errors::{Fault, Result};

/// More than this is a mistake of a unit.
const MOST: u64 = 1 << 24;

/// How many arms there are, numbered from zero, or the number of each.
pub(super) enum Owners {
    Count(usize),
    Listed(Vec<u64>),
}

impl Owners {
    pub(super) fn read(owners: &Bound<'_, PyAny>) -> Result<Self> {
        if let Ok(count) = owners.extract::<i64>() {
            return match u64::try_from(count) {
                Ok(count @ 1..=MOST) => Ok(Self::Count(count as usize)),
                _ => Err(Fault::input(format!(
                    "owners is {count}: give the number of arms, from 1 to {MOST}, or a list with the number of each"
                ))),
            };
        }
        listed(owners).map(Self::Listed)
    }

    /// One per row; of a row that all share, as many as there are.
    pub(super) fn of(self, table: &Table<'_>, field: &str) -> Result<Vec<u64>> {
        let owners = match self {
            Self::Count(count) => (0..count as u64).collect(),
            Self::Listed(owners) => owners,
        };
        if owners.is_empty() {
            return Err(Fault::input("owners is empty: give at least one arm"));
        }
        if !table.is_single() && owners.len() != table.rows {
            let (count, rows) = (owners.len(), table.rows);
            return Err(Fault::input(format!("owners has {count} arms for {rows} rows of {field}: give one per row")));
        }
        Ok(owners)
    }

    /// The owner of each row that was played.
    pub(super) fn each(owners: &Bound<'_, PyAny>, x: &Table<'_>, field: &str) -> Result<Vec<u64>> {
        if x.is_single() {
            return Ok(vec![whole(owners, "owners")?]);
        }
        Self::Listed(listed(owners)?).of(x, field)
    }
}

fn listed(owners: &Bound<'_, PyAny>) -> Result<Vec<u64>> {
    let wanted = "owners must be a list of whole numbers, zero or positive, below 2^64, or how many arms there are";
    let all = owners.try_iter().map_err(|_| Fault::input(wanted))?;
    all.map(|one| one?.extract::<u64>().map_err(|_| Fault::input(wanted))).collect()
}
