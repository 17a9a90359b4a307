//! Rows that could not be read: how many, and the first few in words.

use std::fmt;

/// How many are kept with their reasons: enough to see what is wrong, little enough to print.
const KEPT: usize = 5;

/// The rows that were left out because they could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Malformed {
    /// How many there were so far.
    pub count: u64,
    /// The first five: line (in Parquet the row; the first is 1) and reason.
    pub first: Vec<(u64, String)>,
}

impl Malformed {
    pub(crate) fn add(&mut self, line: u64, reason: String) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push((line, reason));
        }
    }
}

/// For people: one line with the number, then one for each that is kept. Nothing if no row was malformed.
impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count == 0 {
            return Ok(());
        }
        let rows = if self.count == 1 { "1 malformed row was" } else { &format!("{} malformed rows were", self.count) };
        write!(f, "{rows} left out")?;
        for (line, reason) in &self.first {
            write!(f, "\n  line {line}: {reason}")?;
        }
        let more = self.count - self.first.len() as u64;
        if more > 0 {
            write!(f, "\n  and {more} more")?;
        }
        Ok(())
    }
}
